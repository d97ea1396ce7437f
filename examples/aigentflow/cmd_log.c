/* log: what the agents of a task write while they work. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run_files.h"
#include "shared/files.h"
#include "shared/text.h"
#include "tasks.h"
#include "wfsm/address.h"
#include "wfsm/shown.h"

enum { LOOK_MS = 200, CHUNK = 65536 };

typedef struct follower {
    const arguments *given;
    const settings *with;
    wfsm_store *store;
    json_t *places; /* how far each log has been printed, by path */
    json_t *agents; /* whose it is: {"agent", "feature"} */
    char last[512]; /* the log that was printed last */
} follower;

/* ---- printing ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void say_who(follower *self, const char *path, const json_t *who)
{
    const char *feature = text_of(who, "feature");

    if (strcmp(self->last, path) == 0)
        return;
    (void)snprintf(self->last, sizeof self->last, "%.500s", path);
    shown_printf("==> %s%s%s <==\n", text_of(who, "agent"), *feature ? " of " : "", feature);
}

static void print_part(follower *self, const char *path, char *text, size_t length)
{
    const json_t *who = json_object_get(self->agents, path);

    if (self->given->json) {
        json_t *line;
        host_text_make_plain(text, length);
        line = json_pack("{s:s, s:s, s:o}", "agent", text_of(who, "agent"), "feature",
                         text_of(who, "feature"), "text", json_stringn(text, length));
        (void)shown_json(line, stdout, JSON_COMPACT);
        shown_puts("");
        json_decref(line);
    } else {
        say_who(self, path, who);
        shown_text(stdout, text, length);
    }
    (void)fflush(stdout);
}

/* Whole lines; `all`: the rest, too, for nothing more will come. */
static size_t whole_lines(const char *text, size_t length, int all)
{
    while (!all && length > 0 && text[length - 1] != '\n')
        length--;
    return length == CHUNK ? host_text_whole(text, length) : length;
}

/* Returns how much was printed. */
static size_t print_from(follower *self, const char *path, long place, int all)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(CHUNK);
    size_t length = 0;

    if (file && text && fseek(file, place, SEEK_SET) == 0)
        length = fread(text, 1, CHUNK, file);
    length = whole_lines(text, length, all || length == CHUNK);
    if (length > 0)
        print_part(self, path, text, length);
    if (file)
        (void)fclose(file);
    free(text);
    return length;
}

static void print_new(follower *self, const char *path, int all)
{
    json_int_t place = json_integer_value(json_object_get(self->places, path));
    size_t printed;

    do {
        printed = print_from(self, path, (long)place, all);
        place += (json_int_t)printed;
    } while (printed > 0);
    json_object_set_new(self->places, path, json_integer(place));
}

static void print_all(follower *self, int all)
{
    const char *path;
    json_t *place;
    void *next;

    json_object_foreach_safe(self->places, next, path, place) print_new(self, path, all);
}

/* ---- whose logs ---- */

static void know(follower *self, const char *path, const char *agent, const task *of)
{
    if (json_object_get(self->places, path))
        return;
    json_object_set_new(self->places, path, json_integer(0));
    json_object_set_new(self->agents, path,
                        json_pack("{s:s, s:s}", "agent", agent, "feature", task_feature(of)));
}

static void know_invocation(follower *self, const json_t *one, const task *of)
{
    char name[RUN_NAME_SIZE], file[RUN_NAME_SIZE + 40];
    json_int_t attempt = (json_int_t)json_number_value(json_object_get(one, "attempt"));
    char *path;

    if (strcmp(text_of(one, "status"), "running") != 0)
        return;
    run_name(text_of(one, "id"), name);
    (void)snprintf(file, sizeof file, "%s.%lld.log", name, (long long)attempt);
    path = host_path_join(self->with->logs, file);
    if (path)
        know(self, path, text_of(one, "src"), of);
    free(path);
}

/* 1 while an agent is at work, or somebody drives the task. */
static int know_work(follower *self, const task *of)
{
    const json_t *one;
    size_t index;
    int32_t owner = wfsm_owner_state(of->stored.owner);

    json_array_foreach(of->stored.invocations, index, one) know_invocation(self, one, of);
    return task_is_unfinished(of) && owner != WFSM_OWNER_NONE && owner != WFSM_OWNER_GONE;
}

static int look(follower *self, const task *root, int *works)
{
    task read;
    task_list features = {NULL, 0};
    size_t index;
    int code = task_read(&read, self->store, self->with, root->id);

    if (code == END_FINE && !task_is_feature(&read))
        code = tasks_of(&features, self->store, self->with, root->id);
    *works = code == END_FINE && know_work(self, &read);
    for (index = 0; index < features.count; index++)
        (void)know_work(self, &features.all[index]);
    tasks_clear(&features);
    task_clear(&read);
    return code;
}

/* ---- the command ---- */

static void print_newest(follower *self, const task *found)
{
    char *path = run_newest_log(self->with->logs, found->id);

    if (path) {
        know(self, path, "the last agent", found);
        print_new(self, path, 1);
    }
    free(path);
}

static int follow(follower *self, const task *found)
{
    const struct timespec pause = {0, LOOK_MS * 1000000L};
    int works = 1, code = END_FINE;

    while (code == END_FINE && works) {
        code = look(self, found, &works);
        print_all(self, !works);
        if (works)
            (void)nanosleep(&pause, NULL);
    }
    if (code == END_FINE && json_object_size(self->places) == 0)
        print_newest(self, found);
    return code;
}

static int any(const task *one)
{
    (void)one;
    return 1;
}

static int log_in(follower *self)
{
    task found;
    int code =
        task_find(&found, self->store, self->with, self->given, any, "there is no such task");

    if (code == END_FINE)
        code = follow(self, &found);
    task_clear(&found);
    return code;
}

int cmd_log(const arguments *given, const settings *with)
{
    wfsm_error *error = wfsm_error_new(NULL);
    follower self = {.given = given,
                     .with = with,
                     .places = json_object(),
                     .agents = json_object(),
                     .last = ""};
    int code;

    if (address_open(&self.store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed("the store", error);
    else
        code = log_in(&self);
    wfsm_store_free(self.store);
    json_decref(self.places);
    json_decref(self.agents);
    wfsm_error_free(error);
    return code;
}
