#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/digest_files.h"
#include "shared/files.h"

static const char *const before_specs[] = {"clarifications.md", "proposal.md"};
static const char *const after_specs[] = {"tasks.md", "CHALLENGE.md", "REVIEW.md"};

enum { NAME_MOST = 128 };

static json_t *no_memory(host_error *error)
{
    (void)host_fail(error, "out of memory");
    return NULL;
}

int folder_is_spec(const char *path)
{
    const char *name = path + 6;
    size_t length, index;

    if (strncmp(path, "specs/", 6) != 0)
        return 0;
    length = strlen(name);
    if (length < 4 || length > NAME_MOST || name[0] == '.' || name[0] == '-' ||
        strcmp(name + length - 3, ".md") != 0)
        return 0;
    for (index = 0; index < length; index++)
        if ((unsigned char)name[index] <= ' ' || name[index] == 0x7f || name[index] == '/' ||
            name[index] == '\\')
            return 0;
    return 1;
}

/* ---- the files that exist ---- */

static int add_if_there(json_t *paths, const char *folder, const char *name)
{
    char *path = host_path_join(folder, name);
    int fine = path != NULL;

    if (fine && access(path, F_OK) == 0)
        fine = json_array_append_new(paths, json_string(name)) == 0;
    free(path);
    return fine ? 0 : -1;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

typedef struct names {
    char *list[SPECS_MOST];
    size_t count;
} names;

static int read_names(DIR *specs, names *found, host_error *error)
{
    const struct dirent *entry;
    char path[6 + sizeof entry->d_name];

    while ((entry = readdir(specs))) {
        (void)snprintf(path, sizeof path, "specs/%s", entry->d_name);
        if (!folder_is_spec(path))
            continue;
        if (found->count == SPECS_MOST)
            return host_fail(error, "specs: more than %d files", (int)SPECS_MOST);
        found->list[found->count] = strdup(path);
        if (!found->list[found->count])
            return host_fail(error, "out of memory");
        found->count++;
    }
    return 0;
}

static int add_specs(json_t *paths, const char *folder, host_error *error)
{
    char *path = host_path_join(folder, "specs");
    DIR *specs = path ? opendir(path) : NULL;
    names found = {.count = 0};
    size_t index;
    int done = specs ? read_names(specs, &found, error) : 0;

    if (!path || (!specs && errno != ENOENT && errno != ENOTDIR))
        done = host_fail(error, "%s: %s", path ? path : "specs", strerror(errno));
    qsort(found.list, found.count, sizeof *found.list, compare_names);
    for (index = 0; index < found.count; index++) {
        if (done == 0 && json_array_append_new(paths, json_string(found.list[index])) != 0)
            done = host_fail(error, "specs: a file's name is not UTF-8");
        free(found.list[index]);
    }
    if (specs)
        (void)closedir(specs);
    free(path);
    return done;
}

static int add_all(json_t *paths, const char *folder, host_error *error)
{
    size_t index;

    for (index = 0; index < sizeof before_specs / sizeof *before_specs; index++)
        if (add_if_there(paths, folder, before_specs[index]) != 0)
            return host_fail(error, "out of memory");
    if (add_specs(paths, folder, error) != 0)
        return -1;
    for (index = 0; index < sizeof after_specs / sizeof *after_specs; index++)
        if (add_if_there(paths, folder, after_specs[index]) != 0)
            return host_fail(error, "out of memory");
    return 0;
}

json_t *folder_paths(const project *in, const char *id, host_error *error)
{
    char *folder = change_path(in, id, NULL, error);
    json_t *paths = folder ? json_array() : NULL;

    if (paths && add_all(paths, folder, error) != 0) {
        json_decref(paths);
        paths = NULL;
    }
    free(folder);
    return paths;
}

json_t *folder_digests(const project *in, const char *id, host_error *error)
{
    char *folder = change_path(in, id, NULL, error);
    json_t *paths = folder ? folder_paths(in, id, error) : NULL;
    json_t *digests = paths ? host_digest_files(folder, paths, error) : NULL;

    json_decref(paths);
    free(folder);
    return digests;
}

static int add_text(json_t *texts, const project *in, const char *id, const char *name,
                    host_error *error)
{
    char *path = change_path(in, id, name, error), *text = NULL;
    size_t length;
    json_t *value;
    int done = -1;

    if (path && host_file_read(path, DOCUMENT_MOST, &text, &length, error) == 0) {
        value = json_stringn(text, length);
        done = value && json_object_set_new(texts, name, value) == 0
                   ? 0
                   : host_fail(error, "%s: expected text in UTF-8", path);
    }
    free(text);
    free(path);
    return done;
}

json_t *folder_texts(const project *in, const char *id, host_error *error)
{
    json_t *paths = folder_paths(in, id, error), *texts = paths ? json_object() : NULL, *name;
    size_t index;

    if (paths && !texts)
        texts = no_memory(error);
    json_array_foreach(paths, index,
                       name) if (texts &&
                                 add_text(texts, in, id, json_string_value(name), error) != 0)
    {
        json_decref(texts);
        texts = NULL;
    }
    json_decref(paths);
    return texts;
}

/* ---- comparing ---- */

json_t *folder_documents(const json_t *by_path)
{
    json_t *documents = json_object(), *value;
    const char *path;

    json_object_foreach((json_t *)by_path, path, value) if (strcmp(path, "proposal.md") == 0 ||
                                                            strcmp(path, "tasks.md") == 0 ||
                                                            folder_is_spec(path))(void)
        json_object_set(documents, path, value);
    return documents;
}

json_t *folder_edited(const json_t *known, const json_t *now)
{
    json_t *edited = json_array(), *digest, *found;
    const char *path;

    json_object_foreach((json_t *)known, path, digest)
    {
        found = json_object_get(now, path);
        if (json_is_string(found) && !json_equal(found, digest))
            (void)json_array_append_new(edited, json_string(path));
    }
    return edited;
}

json_t *folder_changed(const json_t *known, const json_t *now)
{
    json_t *changed = json_array(), *digest;
    const char *path;

    json_object_foreach((json_t *)known, path,
                        digest) if (!json_equal(json_object_get(now, path), digest))(void)
        json_array_append_new(changed, json_string(path));
    json_object_foreach((json_t *)now, path, digest) if (!json_object_get(known, path))(void)
        json_array_append_new(changed, json_string(path));
    return changed;
}
