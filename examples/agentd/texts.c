#include "texts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "durable.h"
#include "folder.h"
#include "shared/files.h"

static char *folder_path(const place *at, text_kind kind, const char *id, host_error *error)
{
    char below[256];

    if (change_id_check(id, error) != 0)
        return NULL;
    (void)snprintf(below, sizeof below, "agentd/.state/%s/%s",
                   kind == TEXT_DRAFT ? "drafts" : "versions", id);
    return project_path(&at->in, below, error);
}

static char *text_path(const place *at, text_kind kind, const char *id, const char *digest,
                       host_error *error)
{
    char *folder, *path = NULL;

    if (strlen(digest) != WFSM_DIGEST_SIZE - 1 ||
        strspn(digest, "0123456789abcdef") != WFSM_DIGEST_SIZE - 1) {
        (void)host_fail(error, "expected a digest of 64 digits of base 16");
        return NULL;
    }
    folder = folder_path(at, kind, id, error);
    if (folder && !(path = host_path_join(folder, digest)))
        (void)host_fail(error, "out of memory");
    free(folder);
    return path;
}

int texts_write(const place *at, text_kind kind, const char *id, const char *text,
                size_t length, char digest[WFSM_DIGEST_SIZE], host_error *error)
{
    char *folder = folder_path(at, kind, id, error), *path = NULL;
    int done = folder ? durable_folder(folder, error) : -1;

    if (done == 0 && wfsm_digest(text, length, digest) != WFSM_OK)
        done = host_fail(error, "out of memory");
    if (done == 0)
        path = text_path(at, kind, id, digest, error);
    if (done == 0)
        done = path ? durable_write(path, text, length, error) : -1;
    free(path);
    free(folder);
    return done;
}

static int check(const char *text, size_t length, const char *expected, host_error *error)
{
    char digest[WFSM_DIGEST_SIZE];

    if (wfsm_digest(text, length, digest) != WFSM_OK)
        return host_fail(error, "out of memory");
    if (strcmp(digest, expected) == 0)
        return 0;
    return host_fail(error, "the text %s was changed", expected);
}

int texts_read(const place *at, text_kind kind, const char *id, const char *digest, char **text,
               size_t *length, host_error *error)
{
    char *path = text_path(at, kind, id, digest, error);
    int done = path ? host_file_read(path, DOCUMENT_MOST, text, length, error) : -1;

    free(path);
    if (done == 0 && check(*text, *length, digest, error) != 0) {
        free(*text);
        *text = NULL;
        done = -1;
    }
    return done;
}

int texts_keep(const place *at, const char *id, const char *document, host_error *error)
{
    char digest[WFSM_DIGEST_SIZE];
    char *path = change_path(&at->in, id, document, error), *text = NULL;
    size_t length;
    int done = path ? 0 : -1;

    if (path && host_file_read(path, DOCUMENT_MOST, &text, &length, NULL) == 0)
        done = texts_write(at, TEXT_VERSION, id, text, length, digest, error);
    free(text);
    free(path);
    return done;
}

static void clear(const place *at, text_kind kind, const char *id)
{
    host_error ignored;
    char *folder = folder_path(at, kind, id, &ignored);
    DIR *list = folder ? opendir(folder) : NULL;
    const struct dirent *entry;

    while (list && (entry = readdir(list)))
        (void)unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        (void)closedir(list);
    if (folder)
        (void)rmdir(folder);
    free(folder);
}

void texts_clear(const place *at, const char *id)
{
    clear(at, TEXT_DRAFT, id);
    clear(at, TEXT_VERSION, id);
}
