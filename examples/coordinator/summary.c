#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator.h"
#include "shared/owner.h"
#include "shared/usage.h"
#include "wfsm/shown.h"

enum { MOST_NAMED = 8 };

typedef struct work {
    json_t *usage; /* amounts by name */
    json_int_t attempts;
} work;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* ---- the journal ---- */

static void add_usage(json_t *usage, const json_t *more)
{
    const char *name;
    json_t *amount;

    json_object_foreach((json_t *)(uintptr_t)more, name, amount)
        json_object_set_new(usage, name,
                            json_integer(json_integer_value(json_object_get(usage, name)) +
                                         (json_int_t)json_number_value(amount)));
}

/* An agent's answer or failure; what the host itself does is none. */
static int is_work(const json_t *input)
{
    const char *kind = text_of(input, "kind");

    return strcmp(kind, "result") == 0 || strcmp(kind, "failure") == 0;
}

static int32_t take_record(void *user, const wfsm_row *row)
{
    work *self = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    const json_t *input = json_object_get(record, "input");

    if (is_work(input)) {
        self->attempts += json_object_get(json_object_get(input, "output"), "change") == NULL &&
                          json_object_get(json_object_get(input, "output"), "status") == NULL;
        add_usage(self->usage, json_object_get(input, "usage"));
    }
    json_decref(record);
    return WFSM_OK;
}

/* ---- the object ---- */

static const char *title_of(const task *found)
{
    const char *words = host_stored_text(found, "task");

    return words + strspn(words, "# \t\r\n");
}

static json_t *owner_of(const task *found)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    if (found->over || !host_owner_is_at_work(found->owner))
        return json_null();
    wfsm_owner_describe(found->owner, text);
    return json_string(text);
}

static json_t *agents_of(const task *found)
{
    json_t *list = json_array(), *one;
    size_t index;

    json_array_foreach(found->invocations, index, one) json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:O?}", "agent", text_of(one, "src"), "state",
                        text_of(one, "state"), "status", text_of(one, "status"), "attempt",
                        json_object_get(one, "attempt")));
    return list;
}

static void copy_keys(json_t *made, const json_t *context)
{
    static const char *const keys[] = {"executionMode", "workspace", "round",   "maxRounds",
                                       "outcome",       "cause",     "failure", "mustFix",
                                       "discussion",    "messages",  "rounds",  "change",
                                       "landed",        "review",    "tests",   "place"};
    size_t index;

    for (index = 0; index < sizeof keys / sizeof *keys; index++)
        if (json_object_get(context, keys[index]))
            json_object_set(made, keys[index], json_object_get(context, keys[index]));
}

json_t *summary_make(wfsm_store *store, const task *found, const char *id, wfsm_error *error)
{
    work done = {.usage = json_object()};
    const char *title = title_of(found);
    json_t *made = NULL;

    if (wfsm_store_records(store, id, 1, UINT64_MAX, take_record, &done, error) == WFSM_OK)
        made = json_pack("{s:s, s:s, s:s%, s:I, s:I, s:o, s:o, s:O, s:I}", "task", id, "state",
                         found->state, "title", title, strcspn(title, "\r\n"), "started",
                         (json_int_t)found->created, "updated", (json_int_t)found->updated,
                         "owner", owner_of(found), "agents", agents_of(found), "usage",
                         done.usage, "attempts", done.attempts);
    json_decref(done.usage);
    if (made)
        copy_keys(made, found->context);
    return made;
}

int summary_print(wfsm_store *store, const task *found, const char *id, wfsm_error *error)
{
    json_t *made = summary_make(store, found, id, error);

    if (!made)
        return library_failed(id, error);
    shown_json(made, stdout, JSON_COMPACT);
    shown_printf("\n");
    json_decref(made);
    return END_FINE;
}

/* ---- for people ---- */

static void show_files(const json_t *change)
{
    const json_t *files = json_object_get(change, "files");
    size_t count = json_array_size(files), index;

    if (count == 0)
        return;
    shown_printf("  %-10s %zu %s:", "changed", count, count == 1 ? "file" : "files");
    for (index = 0; index < count && index < MOST_NAMED; index++)
        shown_printf(" %s", json_string_value(json_array_get(files, index)));
    shown_printf("%s\n", count > MOST_NAMED ? " …" : "");
}

static void show_usage(const json_t *usage)
{
    char text[HOST_USAGE_SIZE];

    host_usage_text(usage, text);
    if (*text)
        shown_printf("  %-10s %s\n", "used", text);
}

/* As a shell reads it. */
static void show_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+=:,@%";

    if (*word && strspn(word, plain) == strlen(word)) {
        shown_printf("%s", word);
        return;
    }
    shown_printf("'");
    for (; *word; word += strcspn(word, "'") + (strchr(word, '\'') != NULL))
        shown_printf("%.*s%s", (int)strcspn(word, "'"), word,
                     strchr(word, '\'') ? "'\\''" : "");
    shown_printf("'");
}

static void show_further(const json_t *made, const char *id)
{
    const json_t *place = json_object_get(made, "place");
    const json_t *change = json_object_get(made, "change");
    int is_copy = strcmp(text_of(place, "kind"), "copy") == 0;

    shown_printf("  %-10s coordinator history %s, coordinator log %s\n", "look", id, id);
    if (json_array_size(json_object_get(change, "files")) == 0)
        return;
    shown_printf("  %-10s git -C ", "");
    show_word(text_of(place, is_copy ? "root" : "project"));
    shown_printf(" diff %.12s %.12s\n", text_of(change, "base"), text_of(change, "commit"));
}

int summary_show(wfsm_store *store, const task *found, const char *id, wfsm_error *error)
{
    json_t *made = summary_make(store, found, id, error);
    char took[WFSM_DURATION_SIZE];

    if (!made)
        return library_failed(id, error);
    show_files(json_object_get(made, "change"));
    shown_printf("  %-10s %s, %lld runs of agents and commands\n", "took",
                 wfsm_progress_duration(found->updated - found->created, took),
                 (long long)json_integer_value(json_object_get(made, "attempts")));
    show_usage(json_object_get(made, "usage"));
    show_further(made, id);
    json_decref(made);
    return END_FINE;
}
