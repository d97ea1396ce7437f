/* The commands schedules and schedule. A schedule is an instance, so pause and the like leave it a post. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/schedule.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

static const char list_help[] =
    "usage: wfsm schedules [--json] [--next N] [--now MS] STORE\n"
    "\n"
    "Shows the schedules of a store: what each of them starts, its state, when it starts the\n"
    "next instances, and what it has done. doc/schedules.md is the guide. Changes nothing.\n"
    "\n"
    "  --json     an array of schedules; times are milliseconds\n"
    "  --next N   shows the next N times of each, at most 100; the default is 1\n"
    "  --now MS   the time in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the store cannot be read; 64 the command line is wrong.\n";

static const char help[] =
    "usage: wfsm schedule add [--now MS] STORE ID FILE\n"
    "       wfsm schedule update [OPTION]… STORE ID FILE\n"
    "       wfsm schedule pause [OPTION]… STORE ID\n"
    "       wfsm schedule resume [OPTION]… STORE ID\n"
    "       wfsm schedule trigger [OPTION]… STORE ID\n"
    "       wfsm schedule next [--next N] [--now MS] FILE\n"
    "\n"
    "A schedule starts instances at times: of cron lines, or of rules of RFC 5545. FILE is a\n"
    "schedule document, JSON (doc/schedules.md). wfsm work carries schedules out.\n"
    "\n"
    "add creates the schedule ID. update gives it another document. pause and resume stop it\n"
    "and let it continue; times that passed during the pause are skipped. trigger starts an instance\n"
    "now, also while it is paused. next prints the next times of a document, and needs no\n"
    "store. wfsm stop ends a schedule.\n"
    "\n"
    "update, pause, resume and trigger leave a post. The worker that has the schedule takes\n"
    "it, now or when it runs again, and the journal shows the result.\n"
    "\n"
    "  --by NAME  who does it; the default is the user's name. The record says so\n"
    "  --id ID    the id of the post; a post with a known id is not posted again\n"
    "  --next N   how many times are printed, at most 100; the default is 5\n"
    "  --now MS   the time in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the document or the store has an error, or the schedule exists\n"
    "(add) or does not (the others); 64 the command line is wrong.\n";

enum { MOST_TIMES = 100, OPERANDS = 4 };

typedef struct request {
    const char *operands[OPERANDS];
    int count;
    const char *by, *id;
    int64_t now, next;
    bool json;
} request;

enum { BY, ID, NEXT, NOW, JSON };

static int take(request *self, int option, const char *value)
{
    if (option == BY)
        self->by = value;
    else if (option == ID)
        self->id = value;
    else if (option == JSON)
        self->json = true;
    else if (option == NOW)
        return owned_time(value, &self->now) ? CLI_OK : CLI_USAGE;
    else if (!many_number("--next", value, &self->next))
        return CLI_USAGE;
    if (self->next <= MOST_TIMES)
        return CLI_OK;
    return cli_misused("--next: expected at most %d, not %s", MOST_TIMES, value);
}

static int parse(request *self, int count, char **list, const cli_option *options)
{
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found >= 0 && take(self, found, args.value) != CLI_OK))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->count == OPERANDS)
            return cli_misused("schedule does not take %s", args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
    }
    if (self->now < 0)
        self->now = owned_clock();
    return CLI_OK;
}

/* ---- listing ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The next times of a document, an array; NULL with the reason said. */
static json_t *times_of(const char *about, const char *document, size_t length, int64_t after,
                        int64_t count)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    json_t *times = cli_need(json_array());
    int32_t status = WFSM_OK;
    while ((int64_t)json_array_size(times) < count && status == WFSM_OK) {
        status = wfsm_schedule_next(document, length, after, &after, error);
        if (status == WFSM_OK && after == WFSM_NEVER)
            break;
        if (status == WFSM_OK)
            json_array_append_new(times, json_integer(after));
    }
    if (status != WFSM_OK) {
        cli_say_error(about, error);
        json_decref(times);
        times = NULL;
    }
    wfsm_error_free(error);
    return times;
}

/* While a schedule waits, its own next time is the first. A time that has passed is due: the worker has
 * not come to it. */
static json_t *next_of(const request *self, const stored_head *head, const char *state,
                       const json_t *context)
{
    const json_t *document = json_object_get(context, "schedule");
    int64_t after = json_integer_value(json_object_get(context, "last"));
    if (strcmp(state, "ended") == 0 || strcmp(state, "broken") == 0 || !document)
        return cli_need(json_array());
    if (strcmp(state, "paused") == 0)
        after = self->now;
    char *text = cli_need(json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY));
    json_t *times = times_of(head->id, text, strlen(text), after, self->next);
    free(text);
    return times ? times : cli_need(json_array());
}

static json_t *describe(const request *self, wfsm_store *store, const stored_head *head,
                        stored_machines *known)
{
    stored_instance loaded;
    size_t length;
    if (!stored_load_known(&loaded, store, head, known))
        return NULL;
    const char *text = wfsm_instance_context(loaded.instance, &length);
    json_t *context = cli_need(json_loadb(text, length, 0, NULL));
    text = wfsm_instance_configuration(loaded.instance, &length);
    json_t *states = cli_need(json_loadb(text, length, 0, NULL));
    const char *state = json_string_value(json_array_get(states, 0));
    json_t *about =
        json_pack("{s:s, s:s, s:O, s:o}", "id", head->id, "state", state ? state : "",
                  "schedule", json_object_get(context, "schedule"), "next",
                  next_of(self, head, state ? state : "", context));
    static const char *const kept[] = {"starts",  "running", "pending", "started",
                                       "skipped", "missed",  "failed",  "error"};
    for (size_t i = 0; about && i < sizeof kept / sizeof *kept; i++)
        json_object_set(about, kept[i], json_object_get(context, kept[i]));
    json_decref(states);
    json_decref(context);
    stored_unload(&loaded);
    return about;
}

static json_t *describe_all(const request *self, wfsm_store *store, const many *ids, bool *fine)
{
    stored_machines known = {0};
    json_t *all = cli_need(json_array());
    for (size_t i = 0; i < ids->count; i++) {
        stored_head head = {0};
        json_t *one = stored_find(store, self->operands[0], ids->ids[i], &head)
                          ? describe(self, store, &head, &known)
                          : NULL;
        if (one)
            json_array_append_new(all, one);
        *fine = *fine && one;
        stored_head_free(&head);
    }
    stored_machines_free(&known);
    return all;
}

static void print_times(print_table *table, const json_t *times)
{
    char text[PRINT_TIME_BYTES], *line = cli_need(calloc(1, 1));
    const json_t *time;
    size_t index;
    json_array_foreach(times, index, time)
    {
        const char *next = print_time(json_integer_value(time), text);
        size_t room = strlen(line) + strlen(next) + 2;
        line = cli_need(realloc(line, room));
        snprintf(line + strlen(line), room - strlen(line), "%s%s", *line ? " " : "", next);
    }
    print_table_add(table, *line ? line : "-");
    free(line);
}

static void print_all(const json_t *all)
{
    static const char *const names[] = {"ID",      "STATE",   "MACHINE", "NEXT",
                                        "STARTED", "SKIPPED", "MISSED",  "FAILED"};
    print_table table = {.columns = sizeof names / sizeof *names};
    const json_t *one;
    size_t index;
    if (json_array_size(all) == 0) {
        shown_puts("there are no schedules");
        return;
    }
    for (size_t i = 0; i < table.columns; i++)
        print_table_add(&table, names[i]);
    json_array_foreach(all, index, one)
    {
        print_table_add(&table, text_of(one, "id"));
        print_table_add(&table, text_of(one, "state"));
        print_table_add(&table, text_of(json_object_get(one, "schedule"), "machine"));
        print_times(&table, json_object_get(one, "next"));
        static const char *const counts[] = {"started", "skipped", "missed", "failed"};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            print_table_addf(&table, "%lld",
                             (long long)json_integer_value(json_object_get(one, counts[i])));
    }
    print_table_end(stdout, &table, "");
}

static int list_schedules(const request *self)
{
    const wfsm_query query = {.size = sizeof query, .machine = WFSM_SCHEDULE_MACHINE};
    wfsm_store *store = stored_open(self->operands[0]);
    many ids = {0};
    bool fine = store && many_list(&ids, store, self->operands[0], &query);
    json_t *all = fine ? describe_all(self, store, &ids, &fine) : NULL;
    if (all && self->json) {
        shown_json(all, stdout, JSON_INDENT(1));
        shown_puts("");
    } else if (all)
        print_all(all);
    json_decref(all);
    many_free(&ids);
    wfsm_store_free(store);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

static int run_list(int count, char **list)
{
    static const cli_option options[] = {
        [BY] = {"--by", true},   [ID] = {"--id", true},      [NEXT] = {"--next", true},
        [NOW] = {"--now", true}, [JSON] = {"--json", false}, {NULL, false}};
    request self = {.now = -1, .next = 1};
    if (parse(&self, count, list, options) != CLI_OK)
        return CLI_USAGE;
    if (self.by || self.id)
        return cli_misused("schedules takes neither --by nor --id");
    if (self.count != 1)
        return cli_misused("schedules needs a store");
    return list_schedules(&self);
}

/* ---- changing ---- */

static bool done(const char *about, int32_t status, const wfsm_error *error)
{
    if (status != WFSM_OK)
        cli_say_error(about, error);
    return status == WFSM_OK;
}

/* A mistake such as 31 February is a rule that is never due. */
static void tell_added(const request *self, const cli_text *document)
{
    int64_t next = WFSM_NEVER;
    wfsm_schedule_next(document->data, document->length, self->now, &next, NULL);
    shown_printf("%s was added%s\n", self->operands[2],
                 next == WFSM_NEVER ? ", and is never due" : "");
}

static bool add(const request *self)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    cli_text document = {0};
    wfsm_store *store = NULL;
    bool fine = cli_read_file(self->operands[3], &document) &&
                (store = stored_open_to_write(self->operands[1])) &&
                done(self->operands[2],
                     wfsm_schedule_create(store, self->operands[2], document.data,
                                          document.length, self->now, error),
                     error);
    if (fine)
        tell_added(self, &document);
    wfsm_store_free(store);
    cli_text_free(&document);
    wfsm_error_free(error);
    return fine;
}

static bool is_schedule(wfsm_store *store, const request *self)
{
    stored_head head = {0};
    bool fine = stored_find(store, self->operands[1], self->operands[2], &head);
    if (fine && strcmp(head.machine, WFSM_SCHEDULE_MACHINE) != 0) {
        cli_say("%s is not a schedule, but an instance of %s", head.id, head.machine);
        fine = false;
    }
    stored_head_free(&head);
    return fine;
}

static bool post(const request *self, const char *event, const cli_text *data)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = stored_open_to_write(self->operands[1]);
    const wfsm_post made = {.size = sizeof made,
                            .instance = self->operands[2],
                            .name = event,
                            .id = self->id,
                            .data = data ? data->data : "null",
                            .length = data ? data->length : strlen("null"),
                            .now = self->now,
                            .interface = WFSM_INTERFACE_COMMAND,
                            .sender = self->by ? self->by : owned_user()};
    bool fine = store && is_schedule(store, self) &&
                done(self->operands[2], wfsm_store_submit(store, &made, error), error);
    if (fine)
        shown_printf("posted for %s\n", self->operands[2]);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return fine;
}

static bool pause_one(const request *self)
{
    return post(self, "pause", NULL);
}

static bool resume(const request *self)
{
    return post(self, "resume", NULL);
}

static bool trigger(const request *self)
{
    return post(self, "trigger", NULL);
}

/* A document that is not one is refused here, and not by the worker. */
static bool update(const request *self)
{
    cli_text document = {0};
    json_t *times = NULL;
    bool fine =
        cli_read_file(self->operands[3], &document) &&
        (times = times_of(self->operands[3], document.data, document.length, self->now, 1)) &&
        post(self, "update", &document);
    json_decref(times);
    cli_text_free(&document);
    return fine;
}

static bool print_next(const request *self)
{
    cli_text document = {0};
    char text[PRINT_TIME_BYTES];
    const json_t *time;
    size_t index;
    json_t *times =
        cli_read_file(self->operands[1], &document)
            ? times_of(self->operands[1], document.data, document.length, self->now, self->next)
            : NULL;
    json_array_foreach(times, index, time)
        shown_puts(print_time(json_integer_value(time), text));
    bool fine = times != NULL;
    json_decref(times);
    cli_text_free(&document);
    return fine;
}

static const struct {
    const char *name;
    int operands;
    bool (*act)(const request *self);
    const char *needs;
} actions[] = {
    {"add", 4, add, "a store, an id and a schedule document"},
    {"update", 4, update, "a store, an id and a schedule document"},
    {"pause", 3, pause_one, "a store and an id"},
    {"resume", 3, resume, "a store and an id"},
    {"trigger", 3, trigger, "a store and an id"},
    {"next", 2, print_next, "a schedule document"},
};

static int run(int count, char **list)
{
    static const cli_option options[] = {[BY] = {"--by", true},
                                         [ID] = {"--id", true},
                                         [NEXT] = {"--next", true},
                                         [NOW] = {"--now", true},
                                         {NULL, false}};
    request self = {.now = -1, .next = 5};
    if (parse(&self, count, list, options) != CLI_OK)
        return CLI_USAGE;
    for (size_t i = 0; self.count > 0 && i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(self.operands[0], actions[i].name) != 0)
            continue;
        if (self.count != actions[i].operands)
            return cli_misused("schedule %s needs %s", actions[i].name, actions[i].needs);
        return cli_finish(actions[i].act(&self) ? CLI_OK : CLI_FAILED);
    }
    return cli_misused("schedule needs one of add, update, pause, resume, trigger and next");
}

const cli_command cmd_schedules = {"schedules", "shows the schedules of a store", list_help,
                                   run_list};
const cli_command cmd_schedule = {"schedule", "adds, pauses and triggers schedules", help, run};
