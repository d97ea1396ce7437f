#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/print.h"
#include "wfsm/stored.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm checkpoints [--json] STORE ID\n"
    "\n"
    "Lists the checkpoints of an instance of a store, oldest first: name,\n"
    "revision, time (UTC), active states and artifacts. Changes nothing.\n"
    "\n"
    "  --json   one JSON array of {id, revision, now, configuration, artifacts}\n"
    "\n"
    "Exit codes: 0 success; 1 the instance does not exist, or the store cannot be read; 64\n"
    "the command line is wrong.\n";

static int32_t keep(void *user, const wfsm_row *row)
{
    json_t *artifacts = json_loadb(row->text, row->length, 0, NULL);
    json_t *item = cli_need(json_pack(
        "{s:s, s:I, s:I, s:o}", "id", row->id, "revision", (json_int_t)row->revision, "now",
        (json_int_t)row->now, "artifacts", artifacts ? artifacts : cli_need(json_array())));
    json_array_append_new(user, item);
    return WFSM_OK;
}

/* From the snapshot, which the listing does not hold. */
static int32_t add_states(void *user, const wfsm_row *row)
{
    json_t *snapshot = json_loadb(row->text, row->length, JSON_DECODE_ANY, NULL);
    json_t *states = json_object_get(snapshot, "configuration");
    json_object_set_new(user, "configuration",
                        states ? json_incref(states) : cli_need(json_array()));
    json_decref(snapshot);
    return WFSM_OK;
}

static int32_t read_all(wfsm_store *store, const char *id, json_t *list, wfsm_error *error)
{
    size_t index;
    json_t *item;
    int32_t status = wfsm_store_checkpoints(store, id, keep, list, error);
    json_array_foreach(list, index, item)
    {
        const char *name = json_string_value(json_object_get(item, "id"));
        if (status == WFSM_OK)
            status = wfsm_store_snapshot(store, id, name, add_states, item, error);
    }
    return status;
}

static void add_joined(print_table *table, const json_t *list)
{
    char *text = cli_need(json_dumps(list, JSON_COMPACT));
    char *joined = print_joined(text, strlen(text), " ");
    print_table_add(table, joined);
    free(joined);
    free(text);
}

static void print_all(const json_t *list)
{
    static const char *const titles[] = {"NAME", "REVISION", "TIME", "STATES", "ARTIFACTS"};
    print_table table = {.columns = 5};
    char time[PRINT_TIME_BYTES];
    size_t index;
    const json_t *item;
    for (size_t i = 0; i < 5; i++)
        print_table_add(&table, titles[i]);
    json_array_foreach(list, index, item)
    {
        print_table_add(&table, json_string_value(json_object_get(item, "id")));
        print_table_addf(&table, "%" PRId64,
                         (int64_t)json_integer_value(json_object_get(item, "revision")));
        print_table_add(&table,
                        print_time(json_integer_value(json_object_get(item, "now")), time));
        add_joined(&table, json_object_get(item, "configuration"));
        add_joined(&table, json_object_get(item, "artifacts"));
    }
    print_table_end(stdout, &table, "");
}

static bool list_them(wfsm_store *store, const stored_request *request)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    json_t *list = cli_need(json_array());
    int32_t status = read_all(store, request->id, list, error);
    if (status != WFSM_OK)
        cli_say_error(request->id, error);
    else if (!request->json)
        print_all(list);
    else if (shown_json(list, stdout, JSON_INDENT(2)) == 0)
        shown_fputs("\n", stdout);
    json_decref(list);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static int run(int count, char **list)
{
    stored_request request;
    stored_head head = {0};
    int code = stored_parse(&request, count, list, "checkpoints", STORED_NEEDS_ID);
    if (code != CLI_OK)
        return code;
    wfsm_store *store = stored_open(request.store);
    bool fine = store && stored_find(store, request.store, request.id, &head) &&
                list_them(store, &request);
    stored_head_free(&head);
    wfsm_store_free(store);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_checkpoints = {"checkpoints", "lists the checkpoints of an instance",
                                     help, run};
