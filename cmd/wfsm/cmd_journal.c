#include <inttypes.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/stored.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm journal [--json] STORE ID\n"
    "\n"
    "Shows the journal of an instance of an SQLite store, one line for each revision: time\n"
    "(UTC), input, outcome, the states before and after, and other changes. Changes\n"
    "nothing.\n"
    "\n"
    "  --json   one JSON array of {revision, now, event_id, record}; times are milliseconds\n"
    "\n"
    "Exit codes: 0 success; 1 the instance does not exist, or the store cannot be read; 64\n"
    "the command line is wrong.\n";

typedef struct journal {
    print_table table;
    size_t count;
    bool bad; /* a record that is not a JSON object */
} journal;

static void add_input(print_table *table, const json_t *record)
{
    cli_text text = {0};
    record_input(&text, record);
    print_table_add(table, text.data ? text.data : "");
    cli_text_free(&text);
}

static void add_states(print_table *table, const json_t *record)
{
    static const char arrow[] = "→ ";
    const json_t *after = json_object_get(record, "configuration");
    cli_text text = {0};
    record_joined(&text, json_object_get(record, "from"), " ");
    cli_text_add(&text, " ", text.length > 0 ? 1 : 0);
    cli_text_add(&text, arrow, after ? sizeof arrow - 1 : 0);
    record_joined(&text, after, " ");
    print_table_add(table, text.data);
    cli_text_free(&text);
}

static void add_phrase(cli_text *text, const char *phrase)
{
    if (text->length > 0)
        cli_text_add(text, "; ", 2);
    cli_text_add(text, phrase, strlen(phrase));
}

static void add_keys(cli_text *text, const json_t *record, const char *what)
{
    const char *key;
    json_t *value;
    json_t *object = json_object_get(record, what);
    const char *before = " ";
    if (json_object_size(object) == 0)
        return;
    add_phrase(text, what);
    json_object_foreach(object, key, value)
    {
        cli_text_add(text, before, strlen(before));
        cli_text_add(text, key, strlen(key));
        before = ", ";
    }
}

static void add_count(cli_text *text, const json_t *record, const char *what, const char *words)
{
    char phrase[80];
    size_t count = json_array_size(json_object_get(record, what));
    if (count == 0)
        return;
    snprintf(phrase, sizeof phrase, "%zu %s", count, words);
    add_phrase(text, phrase);
}

/* "timeout: no answer in time" */
static void add_failure(cli_text *text, const json_t *failure, const char *kind)
{
    const char *message = record_string(failure, "message");
    if (!failure)
        return;
    add_phrase(text, record_string(failure, kind));
    cli_text_add(text, ": ", *message ? 2 : 0);
    cli_text_add(text, message, strlen(message));
}

/* Why error.execution was raised. */
static void add_errors(cli_text *text, const json_t *errors)
{
    size_t index;
    const json_t *error;
    json_array_foreach(errors, index, error)
    {
        const char *why = json_string_value(error);
        add_phrase(text, "error: ");
        cli_text_add(text, why ? why : "?", why ? strlen(why) : 1);
    }
}

static void add_changes(print_table *table, const json_t *record)
{
    cli_text text = {0};
    cli_text_add(&text, "", 0);
    add_failure(&text, json_object_get(record, "failure"), "status");
    add_failure(&text, json_object_get(record, "failed"), "class");
    add_errors(&text, json_object_get(record, "errors"));
    add_keys(&text, record, "set");
    add_keys(&text, record, "unset");
    add_keys(&text, record, "changed");
    add_count(&text, record, "timers", "timers set");
    add_count(&text, record, "timers_cleared", "timers gone");
    add_count(&text, record, "invocations", "invocations set");
    add_count(&text, record, "invocations_cleared", "invocations gone");
    add_count(&text, record, "effects", "effects");
    print_table_add(table, text.data);
    cli_text_free(&text);
}

static int32_t add_row(void *user, const wfsm_row *row)
{
    journal *all = user;
    char time[PRINT_TIME_BYTES];
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    if (!json_is_object(record))
        all->bad = true;
    print_table_addf(&all->table, "%" PRIu64, row->revision);
    print_table_add(&all->table, print_time(row->now, time));
    add_input(&all->table, record);
    print_table_add(&all->table, record_string(record, "outcome"));
    add_states(&all->table, record);
    add_changes(&all->table, record);
    json_decref(record);
    all->count++;
    return WFSM_OK;
}

static int32_t print_item(void *user, const wfsm_row *row)
{
    journal *all = user;
    shown_fputs(all->count++ == 0 ? "[" : ",\n ", stdout);
    shown_printf("{\"revision\": %" PRIu64 ", \"now\": %" PRId64 ", \"event_id\": ",
                 row->revision, row->now);
    if (row->id)
        print_json_string(stdout, row->id);
    else
        shown_fputs("null", stdout);
    shown_fputs(", \"record\": ", stdout);
    shown_text(stdout, row->text, row->length);
    fputc('}', stdout);
    return WFSM_OK;
}

static int32_t read_json(wfsm_store *store, const stored_head *head, wfsm_error *error)
{
    journal all = {.count = 0};
    int32_t status =
        wfsm_store_records(store, head->id, 1, head->revision, print_item, &all, error);
    shown_fputs(all.count == 0 ? "[]\n" : "]\n", stdout);
    return status;
}

static int32_t read_table(wfsm_store *store, const stored_head *head, wfsm_error *error)
{
    static const char *const titles[] = {"REVISION", "TIME",   "INPUT",
                                         "OUTCOME",  "STATES", "CHANGES"};
    journal all = {.table = {.columns = sizeof titles / sizeof *titles}};
    for (size_t i = 0; i < all.table.columns; i++)
        print_table_add(&all.table, titles[i]);
    int32_t status =
        wfsm_store_records(store, head->id, 1, head->revision, add_row, &all, error);
    print_table_end(stdout, &all.table, "");
    if (status == WFSM_OK && all.bad)
        status = wfsm_error_set(error, WFSM_CORRUPT, "a record is not a JSON object");
    return status;
}

static int run(int count, char **list)
{
    stored_request request;
    int code = stored_parse(&request, count, list, "journal", STORED_NEEDS_ID);
    if (code != CLI_OK)
        return code;
    stored_head head = {0};
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = stored_open(request.store);
    bool fine = store && stored_find(store, request.store, request.id, &head);
    int32_t status = WFSM_OK;
    if (fine)
        status =
            request.json ? read_json(store, &head, error) : read_table(store, &head, error);
    if (status != WFSM_OK)
        cli_say_error(request.store, error);
    stored_head_free(&head);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return cli_finish(fine && status == WFSM_OK ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_journal = {"journal", "shows the journal of an instance", help, run};
