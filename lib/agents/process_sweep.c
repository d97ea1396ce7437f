#include "process_sweep.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/instance.h>

#include "../base/invariant.h"
#include "files.h"
#include "run_record.h"

enum { GRACE_MS = 1000 };

typedef struct orphan {
    char id[WFA_FILE_NAME_SIZE];       /* of the invocation */
    char instance[WFA_FILE_NAME_SIZE]; /* its first part */
    long attempt;
} orphan;

/* ---- names: what wfa_run_base() made, read backwards ---- */

static int hex(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* -1 for a name that was cut, which ends in a digest. */
static int decode(const char *name, size_t length, char *id)
{
    size_t at;

    for (at = 0; at < length; at++) {
        if (name[at] == '=')
            return -1;
        if (name[at] == '+') {
            *id++ = '/';
        } else if (name[at] != '%') {
            *id++ = name[at];
        } else if (length - at > 2 && hex(name[at + 1]) >= 0 && hex(name[at + 2]) >= 0) {
            *id++ = (char)(hex(name[at + 1]) * 16 + hex(name[at + 2]));
            at += 2;
        } else {
            return -1;
        }
    }
    *id = '\0';
    return 0;
}

static int is_number(const char *text, const char *end)
{
    if (text == end)
        return 0;
    for (; text < end; text++)
        if (*text < '0' || *text > '9')
            return 0;
    return 1;
}

/* ORDINAL-INCARNATION, or ORDINAL */
static int is_last_part(const char *text)
{
    const char *dash = strchr(text, '-'), *end = strchr(text, '\0');

    if (!dash)
        return is_number(text, end);
    return is_number(text, dash) && is_number(dash + 1, end);
}

/* INSTANCE/REVISION/ORDINAL-INCARNATION */
static int split_id(orphan *found)
{
    char *ordinal = strrchr(found->id, '/'), *revision;

    (void)strcpy(found->instance, found->id);
    if (!ordinal || !is_last_part(ordinal + 1))
        return -1;
    found->instance[ordinal - found->id] = '\0';
    revision = strrchr(found->instance, '/');
    if (!revision || !is_number(revision + 1, strchr(revision, '\0')))
        return -1;
    *revision = '\0';
    WF_INVARIANT(strlen(found->instance) + strlen("/1/1") <= strlen(found->id));
    return 0;
}

/* RUN.ATTEMPT.run */
static int parse(const char *name, orphan *found)
{
    size_t length = strlen(name);
    const char *end = name + length - 4, *dot = end;

    if (length < 5 || length >= WFA_FILE_NAME_SIZE || strcmp(end, ".run") != 0)
        return -1;
    while (dot > name && dot[-1] != '.')
        dot--;
    if (dot == name || !is_number(dot, end))
        return -1;
    found->attempt = strtol(dot, NULL, 10);
    if (decode(name, (size_t)(dot - 1 - name), found->id) != 0)
        return -1;
    return split_id(found);
}

/* ---- is anybody waiting for it? ---- */

static int is_listed(const orphan *found, const char *text, size_t length)
{
    json_t *list = json_loadb(text, length, 0, NULL);
    const json_t *one;
    size_t index;
    int listed = !list; /* not understood: not ours to judge */

    json_array_foreach(list, index, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));
        const char *status = json_string_value(json_object_get(one, "status"));

        if (id && status && strcmp(id, found->id) == 0 && strcmp(status, "running") == 0 &&
            json_integer_value(json_object_get(one, "attempt")) == found->attempt)
            listed = 1;
    }
    json_decref(list);
    return listed;
}

static int is_wanted(const orphan *found, wfsm_store *store)
{
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_instance_load(&instance, NULL, store, NULL, found->instance, NULL);
    const char *text = NULL;
    size_t length = 0;
    int wanted;

    if (status == WFSM_NOT_FOUND)
        return 0;
    if (status == WFSM_OK)
        text = wfsm_instance_invocations(instance, &length);
    wanted = !text || is_listed(found, text, length);
    wfsm_instance_free(instance);
    return wanted;
}

/* ---- the folder ---- */

static int is_at_work(const char *path)
{
    wfa_run_record record;
    int found = 0;

    return wfa_run_record_read(path, &record, &found, NULL) == 0 && found &&
           record.end == WFA_END_NONE && wfa_process_alive(record.identity) == 1;
}

static size_t stop(const wfa_process_host *host, char *path)
{
    wfa_child_spec spec = {.base = path, .grace_ms = GRACE_MS};
    wfa_child *child = NULL;

    path[strlen(path) - 4] = '\0'; /* the base of all its files */
    if (wfa_child_adopt(host->children, &spec, &child, NULL) != 0 || !child)
        return 0;
    wfa_child_cancel(child);
    wfa_child_forget(child);
    return 1;
}

static size_t sweep_one(const wfa_process_host *host, wfsm_store *store, const char *name)
{
    orphan found;
    char *path;
    size_t stopped = 0;

    if (parse(name, &found) != 0)
        return 0;
    path = wfa_path_join(host->runs, name);
    if (path && is_at_work(path) && !is_wanted(&found, store))
        stopped = stop(host, path);
    free(path);
    return stopped;
}

int wfa_process_sweep(const wfa_process_host *host, wfsm_store *store, size_t *stopped,
                      wfa_error *error)
{
    DIR *folder = host->runs ? opendir(host->runs) : NULL;
    const struct dirent *entry;
    size_t count = 0;

    if (host->runs && !folder && errno != ENOENT)
        return wfa_fail_as(error, WFSM_IO, "%s: %s", host->runs, strerror(errno));
    while (folder && (entry = readdir(folder)))
        count += sweep_one(host, store, entry->d_name);
    if (folder)
        (void)closedir(folder);
    if (stopped)
        *stopped = count;
    return 0;
}
