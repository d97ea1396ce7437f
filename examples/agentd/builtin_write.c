/* Writes into a change's folder, but not over files that a person has edited. */
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "folder.h"
#include "shared/digest_files.h"
#include "durable.h"
#include "texts.h"

static json_t *digest_of(const builtin_text *text)
{
    char digest[WFSM_DIGEST_SIZE];

    if (wfsm_digest(text->text, text->length, digest) != WFSM_OK)
        return NULL;
    return json_string(digest);
}

/* True if the file does not exist, is as agentd wrote it, or already has the new text. */
static int is_ours(const builtin_text *text, const json_t *found, const json_t *known)
{
    json_t *mine;
    int same;

    if (!json_is_string(found) || json_equal(found, json_object_get(known, text->path)))
        return 1;
    mine = digest_of(text);
    same = mine && json_equal(found, mine);
    json_decref(mine);
    return same;
}

static json_t *find_edited(const place *at, const char *id, const builtin_text *texts,
                           size_t count, const json_t *known, host_error *error)
{
    json_t *now = folder_digests(&at->in, id, error), *edited = now ? json_array() : NULL;
    size_t index;

    for (index = 0; edited && index < count; index++)
        if (!is_ours(&texts[index], json_object_get(now, texts[index].path), known))
            (void)json_array_append_new(edited, json_string(texts[index].path));
    json_decref(now);
    return edited;
}

static int write_one(const place *at, const char *id, const builtin_text *text,
                     host_error *error)
{
    char *path = change_path(&at->in, id, text->path, error), *slash;
    int done = -1;

    if (path) {
        slash = strrchr(path, '/');
        *slash = '\0';
        done = durable_folder(path, error);
        *slash = '/';
    }
    if (done == 0)
        done = texts_keep(at, id, text->path, error);
    if (done == 0)
        done = durable_write(path, text->text, text->length, error);
    free(path);
    return done;
}

static int write_all(const place *at, const char *id, const builtin_text *texts, size_t count,
                     json_t *digests, host_error *error)
{
    size_t index;

    for (index = 0; index < count; index++) {
        if (write_one(at, id, &texts[index], error) != 0)
            return -1;
        if (json_object_set_new(digests, texts[index].path, digest_of(&texts[index])) != 0)
            return host_fail(error, "out of memory");
    }
    return 0;
}

int builtin_write(const place *at, const char *id, const builtin_text *texts, size_t count,
                  const json_t *known, int overwrite, json_t **digests, json_t **edited,
                  host_error *error)
{
    *digests = json_is_object(known) ? json_copy((json_t *)known) : json_object();
    *edited = overwrite ? json_array() : find_edited(at, id, texts, count, known, error);
    if (*digests && *edited &&
        (json_array_size(*edited) > 0 || write_all(at, id, texts, count, *digests, error) == 0))
        return 0;
    json_decref(*digests);
    json_decref(*edited);
    *digests = *edited = NULL;
    return -1;
}
