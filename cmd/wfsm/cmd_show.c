#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/commands.h"
#include "wfsm/print.h"
#include "wfsm/stored.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm show [--at REVISION] [--json] STORE ID\n"
    "\n"
    "Shows an instance of a store: machine, active states, context, outstanding\n"
    "invocations, timers, budgets, repeated failures, checkpoints, the events in its\n"
    "inbox, and for a child workflow the invocation that it works for. Changes nothing.\n"
    "\n"
    "  --at REVISION   the instance as it was at this revision, which its journal still\n"
    "                  has: without owner, checkpoints and inbox. Of the effects it had\n"
    "                  made, those are acknowledged that are by now\n"
    "  --json          one JSON object; times are milliseconds\n"
    "\n"
    "Exit codes: 0 success; 1 the instance or the revision does not exist, or the store\n"
    "cannot be read; 64 the command line is wrong.\n";

enum { AT, JSON };

typedef struct request {
    const char *operands[2]; /* store, id */
    int count;
    uint64_t revision; /* 0: the present one */
    bool json;
} request;

typedef struct shown {
    const stored_head *head;
    wfsm_instance *instance;
    const wfsm_machine *machine;
    bool past; /* a revision of the past */
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
        shown_printf("%-14s%s\n", title, value);
}

static void print_head(const shown *show)
{
    const stored_head *head = show->head;
    char time[PRINT_TIME_BYTES];
    size_t length = 0;
    const char *states = wfsm_instance_configuration(show->instance, &length);
    char *joined = print_joined(states, length, " ");
    line("instance", head->id);
    shown_printf("%-14s%s", "machine", head->machine);
    const char *version = wfsm_machine_version(show->machine);
    shown_printf("%s%s, fingerprint %.16s…\n", *version ? " " : "", version, head->fingerprint);
    line("parent", wfsm_instance_parent(show->instance));
    line("status", wfsm_instance_stopped(show->instance) ? "stopped" : stored_status(head));
    line("state", joined);
    line("tags", head->tags);
    if (strcmp(head->attributes, "{}") != 0)
        line("attributes", head->attributes);
    shown_printf("%-14s%" PRIu64 "\n", "revision", head->revision);
    line("created", print_time(head->created, time));
    line("updated", print_time(head->updated, time));
    line("deadline", head->deadline == WFSM_NEVER ? "" : print_time(head->deadline, time));
    line("owner", head->owner);
    shown_printf("%-14s%" PRIu64 " made, %" PRIu64 " acknowledged\n", "effects", head->effects,
                 head->acknowledged);
    free(joined);
}

static void print_section(const char *title, const char *json, size_t length)
{
    shown_printf("%s\n  ", title);
    print_json_pretty(stdout, json ? json : "null", json ? length : 4, "  ");
    shown_fputs("\n", stdout);
}

static void print_list_section(const char *title, const char *json, size_t length)
{
    if (json && strcmp(json, "[]") != 0)
        print_section(title, json, length);
}

static void print_rows(shown *show, const char *title)
{
    if (show->rows.count > 0)
        shown_printf("%s\n", title);
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
        shown_printf(", \"%s\": [", title);
        shown_fputs(show->json.data, stdout);
        shown_fputs("]", stdout);
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
    shown_printf(", \"%s\": ", key);
    print_json_string(stdout, value);
}

static void key_json(const char *key, const char *json)
{
    shown_printf(", \"%s\": ", key);
    shown_fputs(json ? json : "null", stdout);
}

static void print_head_json(const shown *show)
{
    const stored_head *head = show->head;
    shown_fputs("{\"id\": ", stdout);
    print_json_string(stdout, head->id);
    key_string("machine", head->machine);
    key_string("version", wfsm_machine_version(show->machine));
    key_string("fingerprint", head->fingerprint);
    if (*wfsm_instance_parent(show->instance))
        key_string("parent", wfsm_instance_parent(show->instance));
    key_string("status",
               wfsm_instance_stopped(show->instance) ? "stopped" : stored_status(head));
    if (!show->past)
        key_string("owner", head->owner);
    shown_fputs(", \"tags\": ", stdout);
    print_json_words(stdout, head->tags);
    shown_fprintf(stdout, ", \"attributes\": %s", head->attributes);
    shown_printf(", \"revision\": %" PRIu64 ", \"created\": %" PRId64 ", \"updated\": %" PRId64
                 ", \"effects\": %" PRIu64 ", \"acknowledged\": %" PRIu64 ", \"deadline\": ",
                 head->revision, head->created, head->updated, head->effects,
                 head->acknowledged);
    print_json_time(stdout, head->deadline);
}

static int64_t now_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Budgets of time count on in the present. */
static int64_t time_of(const shown *show)
{
    return show->past ? wfsm_instance_now(show->instance) : now_ms();
}

static void print_instance_json(const shown *show)
{
    wfsm_instance *instance = show->instance;
    size_t length = 0;
    key_json("configuration", wfsm_instance_configuration(instance, &length));
    key_json("context", wfsm_instance_context(instance, &length));
    key_json("output", wfsm_instance_output(instance, &length));
    key_json("invocations", wfsm_instance_invocations(instance, &length));
    key_json("timers", wfsm_instance_timers(instance, &length));
    key_json("budgets", wfsm_instance_budgets(instance, time_of(show), &length));
    key_json("failures", wfsm_instance_failures(instance, &length));
}

static void print_instance(const shown *show)
{
    wfsm_instance *instance = show->instance;
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
    json = wfsm_instance_budgets(instance, time_of(show), &length);
    if (json && strcmp(json, "{}") != 0)
        print_section("budgets", json, length);
    json = wfsm_instance_failures(instance, &length);
    print_list_section("failures", json, length);
}

static bool show_all(shown *show, wfsm_store *store, bool json)
{
    if (json) {
        print_head_json(show);
        print_instance_json(show);
    } else {
        print_head(show);
        print_instance(show);
    }
    bool fine = show->past || print_stored(show, store, json, "checkpoints", read_checkpoints);
    fine = (show->past || print_stored(show, store, json, "inbox", read_inbox)) && fine;
    shown_fputs(json ? "}\n" : "", stdout);
    return fine;
}

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {{"--at", true}, {"--json", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == AT && !stored_revision(args.value, &self->revision)))
            return CLI_USAGE;
        if (found == JSON)
            self->json = true;
        if (found == CLI_OPERAND && self->count == 2)
            return cli_misused("show does not take %s", args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
    }
    return self->count == 2 ? CLI_OK : cli_misused("show needs a store and an id");
}

/* What no record has comes from the present head. */
static void take_head(stored_head *head, const wfsm_head *then)
{
    stored_head now = *head;
    stored_head_copy(head, then);
    head->created = now.created;
    stored_head_free(&now);
}

static bool load_past(stored_instance *loaded, wfsm_store *store, stored_head *head,
                      uint64_t revision)
{
    wfsm_head then = {.size = sizeof then};
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_instance_load_at(&loaded->instance, store, head->id, revision, error);
    if (status != WFSM_OK)
        cli_say_error(head->id, error);
    else if (wfsm_instance_head(loaded->instance, &then) == WFSM_OK)
        take_head(head, &then);
    else
        cli_need(NULL);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static bool show_one(const request *self, wfsm_store *store, stored_head *head)
{
    stored_instance loaded = {0};
    bool past = self->revision != 0;
    bool fine = past ? load_past(&loaded, store, head, self->revision)
                     : stored_load(&loaded, store, head);
    if (fine) {
        shown show = {.head = head,
                      .instance = loaded.instance,
                      .machine = wfsm_instance_machine(loaded.instance),
                      .past = past};
        fine = show_all(&show, store, self->json);
    }
    stored_unload(&loaded);
    return fine;
}

static int run(int count, char **list)
{
    request self = {.count = 0};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    stored_head head = {0};
    wfsm_store *store = stored_open(self.operands[0]);
    bool fine = store && stored_find(store, self.operands[0], self.operands[1], &head) &&
                show_one(&self, store, &head);
    stored_head_free(&head);
    wfsm_store_free(store);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_show = {"show", "shows an instance of a store", help, run};
