#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/stored.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm diff [--json] STORE ID REVISION REVISION\n"
    "\n"
    "Shows what changed in an instance of a store from one revision to a later one:\n"
    "document, status, active states, context, timers, invocations, effects made in between,\n"
    "budgets, limits, repeated failures and output. \"+\" is what was added, \"-\" what was\n"
    "removed, and \"~\" what changed. The parts of the context are named by JSON pointers.\n"
    "The journal must still have both revisions. Changes nothing.\n"
    "\n"
    "  --json   one JSON object, as wfsm/revisions.h describes it; times are milliseconds\n"
    "\n"
    "Exit codes: 0 success, also if nothing changed; 1 the instance or a revision does not\n"
    "exist, or the store cannot be read; 64 the command line is wrong.\n";

typedef struct request {
    const char *operands[4]; /* store, id, two revisions */
    int count;
    wfsm_revision_range range;
    bool json;
} request;

/* ---- one section ---- */

static void add_json(cli_text *text, const json_t *value)
{
    char *dumped =
        cli_need(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)));
    cli_text_add(text, dumped, strlen(dumped));
    free(dumped);
}

/* "1 → 2" */
static void add_values(cli_text *text, const json_t *change)
{
    static const char arrow[] = " → ";
    const json_t *from = json_object_get(change, "from"), *to = json_object_get(change, "to");
    if (from)
        add_json(text, from);
    cli_text_add(text, arrow, from && to ? sizeof arrow - 1 : 0);
    if (to)
        add_json(text, to);
}

static const char *sign_of(const json_t *change)
{
    if (!json_object_get(change, "from"))
        return "+";
    return json_object_get(change, "to") ? "~" : "-";
}

static void add_row(print_table *table, const char *sign, const char *name, cli_text *values)
{
    cli_text_add(values, "", 0);
    print_table_add(table, sign);
    print_table_add(table, name);
    print_table_add(table, values->data);
    cli_text_free(values);
}

static void print_table_of(const char *title, print_table *table)
{
    if (table->count > 0)
        shown_printf("%s\n", title);
    print_table_end(stdout, table, "  ");
}

static void print_changes(const json_t *diff, const char *section)
{
    const json_t *change;
    size_t index;
    print_table table = {.columns = 3};
    json_array_foreach(json_object_get(diff, section), index, change)
    {
        cli_text values = {0};
        add_values(&values, change);
        add_row(&table, sign_of(change), record_string(change, "path"), &values);
    }
    print_table_of(section, &table);
}

static void print_pair(const json_t *pair, const char *section)
{
    print_table table = {.columns = 2};
    cli_text values = {0};
    if (!pair)
        return;
    add_values(&values, pair);
    print_table_add(&table, section);
    print_table_add(&table, values.data);
    print_table_end(stdout, &table, "");
    cli_text_free(&values);
}

/* ---- what is more than changes ---- */

static void add_states(print_table *table, const char *sign, const json_t *states)
{
    const json_t *state;
    size_t index;
    json_array_foreach(states, index, state)
    {
        const char *path = json_string_value(state);
        cli_text none = {0};
        add_row(table, sign, path ? path : "?", &none);
    }
}

static void print_states(const json_t *diff)
{
    const json_t *states = json_object_get(diff, "configuration");
    print_table table = {.columns = 3};
    add_states(&table, "-", json_object_get(states, "left"));
    add_states(&table, "+", json_object_get(states, "entered"));
    print_table_of("states", &table);
}

static void add_timer(print_table *table, const char *sign, const json_t *timer)
{
    const json_t *due = json_object_get(timer, "due");
    char time[PRINT_TIME_BYTES];
    cli_text text = {0};
    print_time((int64_t)json_number_value(due), time);
    cli_text_add(&text, "due ", 4);
    cli_text_add(&text, time, strlen(time));
    add_row(table, sign, record_string(json_object_get(timer, "raised"), "event"), &text);
}

/* "coder at work, pending, attempt 0" */
static void add_invocation(print_table *table, const char *sign, const json_t *invocation)
{
    const char *const words[] = {record_string(invocation, "agent"),  " at ",
                                 record_string(invocation, "state"),  ", ",
                                 record_string(invocation, "status"), ", attempt "};
    cli_text text = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cli_text_add(&text, words[i], strlen(words[i]));
    add_json(&text, json_object_get(invocation, "attempt"));
    add_row(table, sign, record_string(invocation, "id"), &text);
}

/* "/status "pending" → "running", /attempt 0 → 1" */
static void add_changed(print_table *table, const json_t *changed)
{
    const json_t *change;
    size_t index;
    char number[40];
    const json_t *timer = json_object_get(changed, "number");
    cli_text text = {0};
    json_array_foreach(json_object_get(changed, "changes"), index, change)
    {
        const char *path = record_string(change, "path");
        cli_text_add(&text, ", ", index > 0 ? 2 : 0);
        cli_text_add(&text, path, strlen(path));
        cli_text_add(&text, " ", 1);
        add_values(&text, change);
    }
    snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(timer));
    add_row(table, "~", timer ? number : record_string(changed, "id"), &text);
}

static void print_elements(const json_t *diff, const char *section,
                           void (*add)(print_table *table, const char *sign,
                                       const json_t *element))
{
    const json_t *all = json_object_get(diff, section), *one;
    size_t index;
    print_table table = {.columns = 3};
    json_array_foreach(json_object_get(all, "removed"), index, one) add(&table, "-", one);
    json_array_foreach(json_object_get(all, "added"), index, one) add(&table, "+", one);
    json_array_foreach(json_object_get(all, "changed"), index, one) add_changed(&table, one);
    print_table_of(section, &table);
}

static void print_effects(const json_t *diff)
{
    const json_t *effect;
    size_t index;
    print_table table = {.columns = 3};
    json_array_foreach(json_object_get(diff, "effects"), index, effect)
    {
        const json_t *emit = json_object_get(effect, "emit");
        cli_text text = {0};
        add_json(&text, json_object_get(emit, "data"));
        add_row(&table, "+", record_string(emit, "event"), &text);
    }
    print_table_of("effects", &table);
}

/* ---- the whole ---- */

static void print_end(const json_t *end)
{
    char time[PRINT_TIME_BYTES];
    shown_printf("%" JSON_INTEGER_FORMAT " (%s)",
                 json_integer_value(json_object_get(end, "revision")),
                 print_time((int64_t)json_number_value(json_object_get(end, "now")), time));
}

static void print_document(const json_t *from, const json_t *to)
{
    const char *before = record_string(from, "fingerprint");
    const char *after = record_string(to, "fingerprint");
    if (strcmp(before, after) != 0)
        shown_printf("document  %.16s… → %.16s…\n", before, after);
}

static void print_diff(const json_t *diff)
{
    const json_t *from = json_object_get(diff, "from"), *to = json_object_get(diff, "to");
    shown_fputs("revision ", stdout);
    print_end(from);
    shown_fputs(" to ", stdout);
    print_end(to);
    shown_fputs("\n", stdout);
    print_document(from, to);
    print_pair(json_object_get(diff, "status"), "status");
    print_states(diff);
    print_changes(diff, "histories");
    print_changes(diff, "context");
    print_elements(diff, "timers", add_timer);
    print_elements(diff, "invocations", add_invocation);
    print_effects(diff);
    print_changes(diff, "budgets");
    print_changes(diff, "limits");
    print_pair(json_object_get(diff, "failures"), "failures");
    print_pair(json_object_get(diff, "output"), "output");
    if (json_object_size(diff) == 3) /* instance, from and to */
        shown_puts("nothing changed");
}

static int32_t take(void *user, const wfsm_row *row)
{
    const request *self = user;
    if (self->json) {
        shown_text(stdout, row->text, row->length);
        shown_fputs("\n", stdout);
        return WFSM_OK;
    }
    json_t *diff = cli_need(json_loadb(row->text, row->length, 0, NULL));
    print_diff(diff);
    json_decref(diff);
    return WFSM_OK;
}

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {{"--json", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found != CLI_OPERAND)
            self->json = true;
        else if (self->count == 4)
            return cli_misused("diff does not take %s", args.value);
        else
            self->operands[self->count++] = args.value;
    }
    if (self->count != 4)
        return cli_misused("diff needs a store, an id and two revisions");
    bool fine = stored_revision(self->operands[2], &self->range.first) &&
                stored_revision(self->operands[3], &self->range.last);
    if (!fine)
        return CLI_USAGE;
    if (self->range.first > self->range.last)
        return cli_misused("revision %s is after revision %s", self->operands[2],
                           self->operands[3]);
    return CLI_OK;
}

static bool show(request *self, wfsm_store *store, const char *id)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_store_diff(store, id, &self->range, take, self, error);
    if (status != WFSM_OK)
        cli_say_error(id, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static int run(int count, char **list)
{
    request self = {.range.size = sizeof self.range};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    stored_head head = {0};
    wfsm_store *store = stored_open(self.operands[0]);
    bool fine = store && stored_find(store, self.operands[0], self.operands[1], &head) &&
                show(&self, store, head.id);
    stored_head_free(&head);
    wfsm_store_free(store);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_diff = {"diff", "shows what changed between two revisions", help, run};
