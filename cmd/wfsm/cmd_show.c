#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/commands.h"
#include "wfsm/print.h"
#include "wfsm/stored.h"

static const char help[] =
    "usage: wfsm show [--json] STORE ID\n"
    "\n"
    "Shows an instance of an SQLite store: machine, active states, context, outstanding\n"
    "invocations, timers, budgets, repeated failures, checkpoints, the events in its\n"
    "inbox, and for a child workflow the invocation that it works for. Changes nothing.\n"
    "\n"
    "  --json   one JSON object; times are milliseconds\n"
    "\n"
    "Exit codes: 0 success; 1 the instance does not exist, or the store cannot be read; 64\n"
    "the command line is wrong.\n";

typedef struct shown {
    const stored_head *head;
    wfsm_instance *instance;
    const wfsm_machine *machine;
    print_table rows; /* of checkpoints or posts */
    cli_text json;    /* the same as JSON items */
} shown;

static void add_json(cli_text *out, const char *json, size_t length)
{
    if (out->length > 0)
        cli_text_add(out, ", ", 2);
    cli_text_add(out, json, length);
}

static int32_t keep_checkpoint(void *user, const wfsm_row *row)
{
    shown *show = user;
    char time[PRINT_TIME_BYTES];
    print_table_add(&show->rows, row->id);
    print_table_addf(&show->rows, "%" PRIu64, row->revision);
    print_table_add(&show->rows, print_time(row->now, time));
    json_t *artifacts = json_loadb(row->text, row->length, 0, NULL);
    json_t *item = cli_need(json_pack(
        "{s:s s:I s:I s:o}", "id", row->id, "revision", (json_int_t)row->revision, "now",
        (json_int_t)row->now, "artifacts", artifacts ? artifacts : cli_need(json_array())));
    char *text = cli_need(json_dumps(item, JSON_COMPACT));
    add_json(&show->json, text, strlen(text));
    free(text);
    json_decref(item);
    return WFSM_OK;
}

static int32_t keep_post(void *user, const wfsm_row *row)
{
    shown *show = user;
    char time[PRINT_TIME_BYTES];
    print_table_add(&show->rows, row->name);
    print_table_add(&show->rows, row->id ? row->id : "");
    print_table_add(&show->rows, print_time(row->now, time));
    json_t *item = cli_need(json_pack("{s:s s:s? s:I}", "event", row->name, "id", row->id,
                                      "now", (json_int_t)row->now));
    char *text = cli_need(json_dumps(item, JSON_COMPACT));
    add_json(&show->json, text, strlen(text));
    free(text);
    json_decref(item);
    return WFSM_OK;
}

static void line(const char *title, const char *value)
{
    if (*value)
        printf("%-14s%s\n", title, value);
}

static void print_head(const shown *show)
{
    const stored_head *head = show->head;
    char time[PRINT_TIME_BYTES];
    size_t length = 0;
    const char *states = wfsm_instance_configuration(show->instance, &length);
    char *joined = print_joined(states, length, " ");
    line("instance", head->id);
    printf("%-14s%s", "machine", head->machine);
    const char *version = wfsm_machine_version(show->machine);
    printf("%s%s, fingerprint %.16s…\n", *version ? " " : "", version, head->fingerprint);
    line("parent", wfsm_instance_parent(show->instance));
    line("status", wfsm_instance_stopped(show->instance) ? "stopped" : stored_status(head));
    line("state", joined);
    line("tags", head->tags);
    printf("%-14s%" PRIu64 "\n", "revision", head->revision);
    line("created", print_time(head->created, time));
    line("updated", print_time(head->updated, time));
    line("deadline", head->deadline == WFSM_NEVER ? "" : print_time(head->deadline, time));
    line("owner", head->owner);
    printf("%-14s%" PRIu64 " made, %" PRIu64 " acknowledged\n", "effects", head->effects,
           head->acknowledged);
    free(joined);
}

static void print_section(const char *title, const char *json, size_t length)
{
    printf("%s\n  ", title);
    print_json_pretty(stdout, json ? json : "null", json ? length : 4, "  ");
    putchar('\n');
}

static void print_list_section(const char *title, const char *json, size_t length)
{
    if (json && strcmp(json, "[]") != 0)
        print_section(title, json, length);
}

static void print_rows(shown *show, const char *title)
{
    if (show->rows.count > 0)
        printf("%s\n", title);
    print_table_end(stdout, &show->rows, "  ");
}

typedef int32_t (*read_rows)(wfsm_store *store, const char *id, shown *show, wfsm_error *error);

static int32_t read_checkpoints(wfsm_store *store, const char *id, shown *show,
                                wfsm_error *error)
{
    return wfsm_store_checkpoints(store, id, keep_checkpoint, show, error);
}

static int32_t read_inbox(wfsm_store *store, const char *id, shown *show, wfsm_error *error)
{
    return wfsm_store_inbox(store, id, 0, keep_post, show, error);
}

/* One list of the store, as a table or as a key of the object. */
static bool print_stored(shown *show, wfsm_store *store, bool json, const char *title,
                         read_rows reader)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    show->rows = (print_table){.columns = 3};
    cli_text_free(&show->json);
    cli_text_add(&show->json, "", 0);
    int32_t status = reader(store, show->head->id, show, error);
    if (status != WFSM_OK)
        cli_say_error(show->head->id, error);
    if (json) {
        printf(", \"%s\": [%s]", title, show->json.data);
        print_table_free(&show->rows);
    } else {
        print_rows(show, title);
    }
    cli_text_free(&show->json);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static void key_string(const char *key, const char *value)
{
    printf(", \"%s\": ", key);
    print_json_string(stdout, value);
}

static void key_json(const char *key, const char *json)
{
    printf(", \"%s\": %s", key, json ? json : "null");
}

static void print_head_json(const shown *show)
{
    const stored_head *head = show->head;
    fputs("{\"id\": ", stdout);
    print_json_string(stdout, head->id);
    key_string("machine", head->machine);
    key_string("version", wfsm_machine_version(show->machine));
    key_string("fingerprint", head->fingerprint);
    if (*wfsm_instance_parent(show->instance))
        key_string("parent", wfsm_instance_parent(show->instance));
    key_string("status",
               wfsm_instance_stopped(show->instance) ? "stopped" : stored_status(head));
    key_string("owner", head->owner);
    fputs(", \"tags\": ", stdout);
    print_json_words(stdout, head->tags);
    printf(", \"revision\": %" PRIu64 ", \"created\": %" PRId64 ", \"updated\": %" PRId64
           ", \"effects\": %" PRIu64 ", \"acknowledged\": %" PRIu64 ", \"deadline\": ",
           head->revision, head->created, head->updated, head->effects, head->acknowledged);
    print_json_time(stdout, head->deadline);
}

static int64_t now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void print_instance_json(wfsm_instance *instance)
{
    size_t length = 0;
    key_json("configuration", wfsm_instance_configuration(instance, &length));
    key_json("context", wfsm_instance_context(instance, &length));
    key_json("output", wfsm_instance_output(instance, &length));
    key_json("invocations", wfsm_instance_invocations(instance, &length));
    key_json("timers", wfsm_instance_timers(instance, &length));
    key_json("budgets", wfsm_instance_budgets(instance, now_ms(), &length));
    key_json("failures", wfsm_instance_failures(instance, &length));
}

static void print_instance(wfsm_instance *instance)
{
    size_t length = 0;
    const char *json = wfsm_instance_context(instance, &length);
    print_section("context", json, length);
    json = wfsm_instance_output(instance, &length);
    if (json && strcmp(json, "null") != 0)
        print_section("output", json, length);
    json = wfsm_instance_invocations(instance, &length);
    print_list_section("invocations", json, length);
    json = wfsm_instance_timers(instance, &length);
    print_list_section("timers", json, length);
    json = wfsm_instance_budgets(instance, now_ms(), &length);
    if (json && strcmp(json, "{}") != 0)
        print_section("budgets", json, length);
    json = wfsm_instance_failures(instance, &length);
    print_list_section("failures", json, length);
}

static bool show_all(shown *show, wfsm_store *store, bool json)
{
    if (json) {
        print_head_json(show);
        print_instance_json(show->instance);
    } else {
        print_head(show);
        print_instance(show->instance);
    }
    bool fine = print_stored(show, store, json, "checkpoints", read_checkpoints);
    fine = print_stored(show, store, json, "inbox", read_inbox) && fine;
    fputs(json ? "}\n" : "", stdout);
    return fine;
}

static int run(int count, char **list)
{
    stored_request request;
    int code = stored_parse(&request, count, list, "show", STORED_NEEDS_ID);
    if (code != CLI_OK)
        return code;
    stored_head head = {0};
    stored_instance loaded = {0};
    wfsm_store *store = stored_open(request.store);
    bool fine = store && stored_find(store, request.store, request.id, &head) &&
                stored_load(&loaded, store, &head);
    if (fine) {
        shown show = {.head = &head, .instance = loaded.instance, .machine = loaded.machine};
        fine = show_all(&show, store, request.json);
    }
    stored_unload(&loaded);
    stored_head_free(&head);
    wfsm_store_free(store);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_show = {"show", "shows an instance of a store", help, run};
