/* Writes the files of an archive before anything is moved. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/base.h>

#include "archive_work.h"
#include "durable.h"
#include "shared/files.h"
#include "spec_date.h"
#include "time_text.h"

enum { MOST_BYTES = 4 * 1024 * 1024, MOST_SPECS = 1000 };

static const char intent_name[] = "intent.json";

static int no_memory(const archive_work *at)
{
    return host_fail(at->error, "out of memory");
}

/* ---- the specs of the change ---- */

static int is_spec(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > 3 && strcmp(name + length - 3, ".md") == 0;
}

static int add_name(archive_work *at, json_t *names, const char *name)
{
    if (!is_spec(name))
        return 0;
    if (json_object_size(names) == MOST_SPECS)
        return host_fail(at->error, "specs: more than the %d allowed", (int)MOST_SPECS);
    /* Sorted by name. */
    if (json_object_set_new(names, name, json_null()) != 0)
        return host_fail(at->error, "specs: the name of a file is not UTF-8, or out of memory");
    return 0;
}

static int read_names(archive_work *at, json_t *names, const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int done = 0;

    if (!folder)
        return errno == ENOENT ? 0 : host_fail(at->error, "%s: %s", path, strerror(errno));
    for (errno = 0; done == 0 && (entry = readdir(folder)); errno = 0)
        done = add_name(at, names, entry->d_name);
    if (done == 0 && errno != 0)
        done = host_fail(at->error, "%s: %s", path, strerror(errno));
    (void)closedir(folder);
    return done;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static int add_sorted(archive_work *at, json_t *names)
{
    size_t count = json_object_size(names), index = 0;
    const char **list = malloc((count + 1) * sizeof *list), *name;
    json_t *value;
    int done = list ? 0 : no_memory(at);

    if (done == 0)
        json_object_foreach(names, name, value) list[index++] = name;
    if (done == 0 && count > 0)
        qsort(list, count, sizeof *list, compare_names);
    for (index = 0; done == 0 && index < count; index++)
        if (json_array_append_new(at->specs, json_pack("{s:s}", "name", list[index])) != 0)
            done = no_memory(at);
    free(list);
    return done;
}

static int list_specs(archive_work *at)
{
    char *path = archive_path(at, ARCHIVE_CHANGE_SPECS, NULL);
    json_t *names = json_object();
    int done = path ? 0 : -1;

    if (done == 0 && (!names || !at->specs))
        done = no_memory(at);
    if (done == 0)
        done = read_names(at, names, path);
    if (done == 0)
        done = add_sorted(at, names);
    json_decref(names);
    free(path);
    return done;
}

/* ---- their texts ---- */

/* The text of a spec with today's date. */
static int read_dated(const archive_work *at, archive_folder folder, const char *name,
                      host_text *dated)
{
    char *path = archive_path(at, folder, name), *text = NULL, date[TIME_TEXT_SIZE];
    size_t length;
    int done = path ? host_file_read(path, MOST_BYTES, &text, &length, at->error) : -1;

    date_text(at->order->now, date);
    if (done == 0 && spec_date(dated, text, length, date) != 0)
        done = no_memory(at);
    free(text);
    free(path);
    return done;
}

static int set_digest(const archive_work *at, json_t *spec, const host_text *dated)
{
    char digest[WFSM_DIGEST_SIZE];

    (void)wfsm_digest(dated->data, dated->length, digest);
    if (json_object_set_new(spec, "digest", json_string(digest)) != 0)
        return no_memory(at);
    return 0;
}

/* 1: agentd/specs has it with another text. Another date does not count. */
static int is_other(const archive_work *at, const char *name, const host_text *dated)
{
    host_text there = {.data = NULL};
    int is = archive_has(at, ARCHIVE_SPECS, name);

    if (is == 1 && read_dated(at, ARCHIVE_SPECS, name, &there) != 0)
        is = -1;
    if (is == 1)
        is =
            there.length != dated->length || memcmp(there.data, dated->data, there.length) != 0;
    host_text_free(&there);
    return is;
}

static int add_conflict(const archive_work *at, json_t **conflicts, const char *name)
{
    if (!*conflicts)
        *conflicts = json_array();
    if (json_array_append_new(*conflicts, json_sprintf("agentd/specs/%s", name)) != 0)
        return no_memory(at);
    return 0;
}

static int compare(archive_work *at, json_t *spec, json_t **conflicts)
{
    const char *name = archive_spec_name(spec);
    host_text dated = {.data = NULL};
    int done = read_dated(at, ARCHIVE_CHANGE_SPECS, name, &dated), other = 0;

    if (done == 0)
        done = set_digest(at, spec, &dated);
    if (done == 0 && !at->order->overwrite)
        other = is_other(at, name, &dated);
    host_text_free(&dated);
    if (done != 0 || other < 0)
        return -1;
    return other ? add_conflict(at, conflicts, name) : 0;
}

int archive_compare(archive_work *at, json_t **conflicts)
{
    json_t *spec;
    size_t index;

    if (list_specs(at) != 0)
        return -1;
    json_array_foreach(at->specs, index, spec) if (compare(at, spec, conflicts) != 0) return -1;
    return 0;
}

/* ---- the stage ---- */

static int write_at(const archive_work *at, archive_folder folder, const char *name,
                    const char *text, size_t length)
{
    char *path = archive_path(at, folder, name);
    int done = path ? durable_write(path, text, length, at->error) : -1;

    free(path);
    return done;
}

/* Somebody may have edited it since it was compared. The intent records that. */
static int stage_spec(const archive_work *at, json_t *spec)
{
    const char *name = archive_spec_name(spec);
    host_text dated = {.data = NULL};
    int done = read_dated(at, ARCHIVE_CHANGE_SPECS, name, &dated);

    if (done == 0)
        done = set_digest(at, spec, &dated);
    if (done == 0)
        done = write_at(at, ARCHIVE_STAGE_SPECS, name, dated.data, dated.length);
    host_text_free(&dated);
    return done;
}

static int write_intent(const archive_work *at)
{
    char *text = json_dumps(at->specs, JSON_COMPACT);
    int done =
        text ? write_at(at, ARCHIVE_STAGE, intent_name, text, strlen(text)) : no_memory(at);

    free(text);
    return done;
}

int archive_stage(archive_work *at)
{
    json_t *spec;
    size_t index;

    if (archive_make_folder(at, ARCHIVE_STAGE_SPECS) != 0 ||
        archive_make_folder(at, ARCHIVE_STAGE_OLD) != 0 ||
        archive_make_folder(at, ARCHIVE_SPECS) != 0 ||
        archive_make_folder(at, ARCHIVE_ABOVE) != 0)
        return -1;
    json_array_foreach(at->specs, index, spec) if (stage_spec(at, spec) != 0) return -1;
    return write_intent(at);
}

/* ---- the intent ---- */

static int check_intent(const archive_work *at, const char *path)
{
    json_t *spec;
    size_t index;

    if (!json_is_array(at->specs))
        return host_fail(at->error, "%s: expected what agentd wrote; move it away", path);
    json_array_foreach(at->specs, index, spec)
    {
        const char *name = archive_spec_name(spec);
        if (!name || !is_spec(name) || strchr(name, '/') ||
            !json_is_string(json_object_get(spec, "digest")))
            return host_fail(at->error, "%s: expected what agentd wrote; move it away", path);
    }
    return 1;
}

static int parse_intent(archive_work *at, const char *path)
{
    char *text;
    size_t length;
    int is;

    if (host_file_read(path, MOST_BYTES, &text, &length, at->error) != 0)
        return -1;
    json_decref(at->specs);
    at->specs = json_loadb(text, length, 0, NULL);
    is = check_intent(at, path);
    free(text);
    return is;
}

int archive_read_intent(archive_work *at)
{
    int is = archive_has(at, ARCHIVE_STAGE, intent_name);
    char *path;

    if (is != 1)
        return is;
    path = archive_path(at, ARCHIVE_STAGE, intent_name);
    is = path ? parse_intent(at, path) : -1;
    free(path);
    return is;
}
