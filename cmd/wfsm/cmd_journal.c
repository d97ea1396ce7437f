#include <inttypes.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/journal_row.h"
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/stored.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm journal [--json] STORE ID\n"
    "\n"
    "Shows the journal of an instance of a store, one line for each revision: time\n"
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

/* Adds a cell with what `write` writes. */
static void add_cell(print_table *table, const json_t *record,
                     void (*write)(cli_text *text, const json_t *record))
{
    cli_text text = {0};
    write(&text, record);
    print_table_add(table, text.data ? text.data : "");
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
    add_cell(&all->table, record, record_input);
    print_table_add(&all->table, record_string(record, "outcome"));
    add_cell(&all->table, record, journal_states);
    add_cell(&all->table, record, journal_changes);
    json_decref(record);
    all->count++;
    return WFSM_OK;
}

static int32_t print_item(void *user, const wfsm_row *row)
{
    journal *all = user;
    shown_fputs(all->count++ == 0 ? "[" : ",\n ", stdout);
    journal_object(NULL, row);
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
