#include "digest_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"

enum { MOST_BYTES = 64 * 1024 * 1024 };

static int is_below(const char *path)
{
    const char *at = path;

    if (!*path || *path == '/')
        return 0;
    for (;;) {
        size_t length = strcspn(at, "/");
        if (length == 2 && strncmp(at, "..", 2) == 0)
            return 0;
        if (at[length] == '\0')
            return 1;
        at += length + 1;
    }
}

static int is_missing(const char *path)
{
    struct stat found;

    return stat(path, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static json_t *digest_file(const char *path, host_error *error)
{
    char digest[WFSM_DIGEST_SIZE], *data;
    size_t length;

    if (is_missing(path))
        return json_null();
    if (host_file_read(path, MOST_BYTES, &data, &length, error) != 0)
        return NULL;
    (void)wfsm_digest(data, length, digest);
    free(data);
    return json_string(digest);
}

static int add(json_t *digests, const char *folder, const json_t *item, host_error *error)
{
    const char *name = json_string_value(item);
    json_t *digest;
    char *path;

    if (!name || !is_below(name))
        return host_fail(error, "files: expected paths below the folder%s%s",
                         name ? ", found " : "", name ? name : "");
    path = host_path_join(folder, name);
    digest = path ? digest_file(path, error) : NULL;
    free(path);
    return digest ? json_object_set_new(digests, name, digest) : -1;
}

json_t *host_digest_files(const char *folder, const json_t *paths, host_error *error)
{
    json_t *digests = json_object(), *item;
    size_t index;

    (void)host_fail(error, "out of memory");
    json_array_foreach(paths, index,
                       item) if (digests && add(digests, folder, item, error) != 0)
    {
        json_decref(digests);
        return NULL;
    }
    return digests;
}

static int32_t answer(wfsm_call *call, json_t *digests)
{
    json_t *result = json_pack("{s:o}", "files", digests);
    char *text = result ? json_dumps(result, JSON_COMPACT) : NULL;
    int32_t status = WFSM_NO_MEMORY;

    if (text)
        status = wfsm_call_done(call, text, strlen(text));
    free(text);
    json_decref(result);
    return status;
}

static int32_t start(void *user, wfsm_call *call)
{
    size_t length = 0;
    const char *text = wfsm_call_input(call, &length);
    json_t *input = text ? json_loadb(text, length, JSON_DECODE_ANY, NULL) : NULL;
    const json_t *paths = json_object_get(input, "files");
    json_t *digests = NULL;
    host_error why = {"expected {\"files\": [PATH, …]}"};

    if (json_is_array(paths))
        digests = host_digest_files(user, paths, &why);
    json_decref(input);
    return digests ? answer(call, digests) : wfsm_call_failed(call, "other", why.message);
}

int32_t host_digest_agent_add(wfsm_engine *engine, const char *name, const char *folder,
                              wfsm_error *error)
{
    return wfsm_engine_add_agent(engine, name, start, (void *)folder, error);
}
