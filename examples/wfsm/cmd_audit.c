#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include "wfsm/commands.h"
#include "wfsm/stored.h"

static const char help[] =
    "usage: wfsm audit [--json] STORE [ID]\n"
    "\n"
    "Runs the journal of an instance of an SQLite store again, or of all of them, and compares\n"
    "every record, the last full snapshot, the checkpoints and the head with what is stored.\n"
    "Before that, without an ID, the file itself is checked: its pages, its indexes and the\n"
    "checksums of its rows.\n"
    "The host is not needed: its answers stand in the records. Prints a line for each flaw\n"
    "and a last one with counts. Changes nothing.\n"
    "\n"
    "  --json   one JSON object {instances, records, snapshots, checkpoints, flaws: […]}\n"
    "\n"
    "Exit codes: 0 all is as it was done; 1 there are flaws, there is no such instance, or\n"
    "the store cannot be read; 64 the command line is not understood.\n";

/* Flaws of the file belong to no instance. */
static int32_t print_flaw(void *user, const wfsm_flaw *flaw)
{
    const char *path = user;
    printf("%s", flaw->instance[0] != '\0' ? flaw->instance : path);
    if (flaw->revision != 0)
        printf(" revision %" PRIu64, flaw->revision);
    printf(": %s\n", flaw->message);
    return WFSM_OK;
}

static int32_t keep_flaw(void *user, const wfsm_flaw *flaw)
{
    json_t *made = cli_need(json_pack("{s:s, s:I, s:s}", "instance", flaw->instance, "revision",
                                      (json_int_t)flaw->revision, "message", flaw->message));
    json_array_append_new(user, made);
    return WFSM_OK;
}

typedef struct counting {
    wfsm_flaw_sink sink;
    void *user;
    uint64_t flaws;
} counting;

static int32_t count_flaw(void *user, const wfsm_flaw *flaw)
{
    counting *self = user;
    self->flaws++;
    return self->sink(self->user, flaw);
}

/* The file, and then what is in it. */
static int32_t audit(const stored_request *asked, wfsm_store *store, wfsm_flaw_sink sink,
                     void *user, wfsm_audit_counts *counts, wfsm_error *error)
{
    counting self = {sink, user, 0};
    int32_t status = WFSM_OK;
    if (asked->id == NULL)
        status = wfsm_sqlite_check(asked->store, count_flaw, &self, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_store_audit(store, asked->id, sink, user, counts, error);
    counts->flaws += self.flaws;
    return status;
}

static int32_t audit_table(const stored_request *asked, wfsm_store *store,
                           wfsm_audit_counts *counts, wfsm_error *error)
{
    char *path = cli_need(strdup(asked->store));
    int32_t status = audit(asked, store, print_flaw, path, counts, error);
    free(path);
    if (status == WFSM_OK)
        printf("%" PRIu64 " instances, %" PRIu64 " records, %" PRIu64 " snapshots, %" PRIu64
               " checkpoints: %" PRIu64 " flaws\n",
               counts->instances, counts->records, counts->snapshots, counts->checkpoints,
               counts->flaws);
    return status;
}

static int32_t audit_json(const stored_request *asked, wfsm_store *store,
                          wfsm_audit_counts *counts, wfsm_error *error)
{
    json_t *flaws = cli_need(json_array());
    int32_t status = audit(asked, store, keep_flaw, flaws, counts, error);
    json_t *all = cli_need(json_pack(
        "{s:I, s:I, s:I, s:I, s:o}", "instances", (json_int_t)counts->instances, "records",
        (json_int_t)counts->records, "snapshots", (json_int_t)counts->snapshots,
        "checkpoints", (json_int_t)counts->checkpoints, "flaws", flaws));
    if (status == WFSM_OK && json_dumpf(all, stdout, JSON_INDENT(2)) == 0)
        putchar('\n');
    json_decref(all);
    return status;
}

static int run(int count, char **list)
{
    stored_request request = {0};
    wfsm_audit_counts counts = {.size = sizeof counts};
    int code = stored_parse(&request, count, list, "audit", STORED_MAYBE_ID);
    if (code != CLI_OK)
        return code;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = stored_open(request.store);
    int32_t status = WFSM_INVALID;
    if (store != NULL)
        status = request.json ? audit_json(&request, store, &counts, error)
                              : audit_table(&request, store, &counts, error);
    if (store != NULL && status != WFSM_OK)
        cli_say_error(request.store, error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return cli_finish(status == WFSM_OK && counts.flaws == 0 ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_audit = {"audit", "runs journals again and compares", help, run};
