#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include "wfsm/address.h"
#include "wfsm/audit_archive.h"
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/vote_keys.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm audit [--json] [--archive FILE] [--keys FILE] STORE [ID]\n"
    "\n"
    "Replays the journal of one instance of a store, or of all of them, and compares\n"
    "every record, the last full snapshot, the checkpoints and the head with what is stored.\n"
    "Without an ID, the file itself is checked first: its pages, its indexes and the\n"
    "checksums of its rows. The host is not needed, because the records contain its answers.\n"
    "Prints a line for each diagnostic and a last line with counts. Changes nothing.\n"
    "\n"
    "A compacted journal is audited from its anchor on.\n"
    "\n"
    "  --json          one JSON object {instances, records, snapshots, checkpoints,\n"
    "                  diagnostics: […]}\n"
    "  --archive FILE  also audits this archive of the store, and checks that it leads to the\n"
    "                  anchors of the store\n"
    "  --keys FILE     each vote that counted must be signed with a key of its voter; FILE has\n"
    "                  a line of `wfsm key` for each key\n"
    "\n"
    "Exit codes: 0 no diagnostics; 1 there are diagnostics, the instance does not exist, or\n"
    "the store cannot be read; 64 the command line is wrong.\n";

/* Diagnostics of the file belong to no instance. */
static int32_t print_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    const char *path = user;
    shown_printf("%s", diagnostic->instance[0] != '\0' ? diagnostic->instance : path);
    if (diagnostic->revision != 0)
        shown_printf(" revision %" PRIu64, diagnostic->revision);
    shown_printf(": %s\n", diagnostic->message);
    return WFSM_OK;
}

static int32_t keep_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    json_t *made =
        cli_need(json_pack("{s:s, s:I, s:s}", "instance", diagnostic->instance, "revision",
                           (json_int_t)diagnostic->revision, "message", diagnostic->message));
    json_array_append_new(user, made);
    return WFSM_OK;
}

typedef struct counting {
    wfsm_audit_sink sink;
    void *user;
    uint64_t diagnostics;
} counting;

static int32_t count_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    counting *self = user;
    self->diagnostics++;
    return self->sink(self->user, diagnostic);
}

typedef struct asking {
    const char *path, *archive_path, *keys_path, *id;
    bool json;
    wfsm_store *store, *archive;
    json_t *keys; /* or NULL */
} asking;

/* First the file, and then its contents. */
static int32_t audit_store(const char *path, const char *id, wfsm_store *store, counting *found,
                           wfsm_audit_counts *counts, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    if (!id && address_is_file(path))
        status = wfsm_sqlite_check(path, count_diagnostic, found, NULL, error);
    if (status == WFSM_OK)
        status = wfsm_store_audit(store, id, found->sink, found->user, counts, error);
    return status;
}

static int32_t archive_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    counting *self = user;
    char message[600];
    wfsm_audit_diagnostic told = *diagnostic;
    snprintf(message, sizeof message, "in the archive: %s", diagnostic->message);
    told.message = message;
    return self->sink(self->user, &told);
}

/* An instance that nothing was dropped of need not be there. */
static int32_t audit_rest(const asking *asked, counting *found, wfsm_audit_counts *counts,
                          wfsm_error *error)
{
    counting there = {archive_diagnostic, found, 0};
    wfsm_audit_counts more = {.size = sizeof more};
    int32_t status =
        audit_store(asked->archive_path, asked->id, asked->archive, &there, &more, error);
    if (status == WFSM_NOT_FOUND && asked->id)
        status = WFSM_OK;
    if (status == WFSM_OK)
        status = audit_archive(asked->store, asked->archive, asked->id, count_diagnostic, found,
                               error);
    counts->instances += more.instances;
    counts->records += more.records;
    counts->snapshots += more.snapshots;
    counts->checkpoints += more.checkpoints;
    counts->diagnostics += more.diagnostics + there.diagnostics;
    return status;
}

/* ---- signatures ---- */

typedef struct signatures {
    const json_t *keys;
    const char *instance;
    counting *found;
} signatures;

static int32_t check_signature(void *user, const wfsm_row *row)
{
    signatures *self = user;
    char why[VOTE_WHY_BYTES];
    json_t *record = json_loadb(row->text, row->length, 0, NULL), *vote = vote_counted(record);
    int32_t status = WFSM_OK;
    if (vote && !vote_is_signed(self->keys, self->instance, vote, why)) {
        const wfsm_audit_diagnostic diagnostic = {sizeof diagnostic, self->instance,
                                                  row->revision, why};
        status = count_diagnostic(self->found, &diagnostic);
    }
    json_decref(vote);
    json_decref(record);
    return status;
}

/* A compacted journal does not begin at 1. */
static int32_t audit_votes_of(const asking *asked, const char *id, counting *found,
                              wfsm_error *error)
{
    signatures self = {asked->keys, id, found};
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(asked->store, id, &head, error);
    return status != WFSM_OK ? status
                             : wfsm_store_records(asked->store, id, head.first, head.revision,
                                                  check_signature, &self, error);
}

static int32_t audit_votes(const asking *asked, counting *found, wfsm_error *error)
{
    const wfsm_query all = {.size = sizeof all};
    int32_t status = WFSM_OK;
    many ids = {0};
    if (asked->id)
        many_add(&ids, asked->id);
    else if (!many_list(&ids, asked->store, asked->path, &all))
        status = WFSM_IO;
    for (size_t i = 0; i < ids.count && status == WFSM_OK; i++)
        status = audit_votes_of(asked, ids.ids[i], found, error);
    many_free(&ids);
    return status;
}

static int32_t audit(const asking *asked, wfsm_audit_sink sink, void *user,
                     wfsm_audit_counts *counts, wfsm_error *error)
{
    counting self = {sink, user, 0};
    int32_t status = audit_store(asked->path, asked->id, asked->store, &self, counts, error);
    if (status == WFSM_OK && asked->archive)
        status = audit_rest(asked, &self, counts, error);
    if (status == WFSM_OK && asked->keys)
        status = audit_votes(asked, &self, error);
    counts->diagnostics += self.diagnostics;
    return status;
}

static int32_t audit_table(const asking *asked, wfsm_audit_counts *counts, wfsm_error *error)
{
    char *path = cli_need(strdup(asked->path));
    int32_t status = audit(asked, print_diagnostic, path, counts, error);
    free(path);
    if (status == WFSM_OK)
        shown_printf("%" PRIu64 " instances, %" PRIu64 " records, %" PRIu64
                     " snapshots, %" PRIu64 " checkpoints: %" PRIu64 " diagnostics\n",
                     counts->instances, counts->records, counts->snapshots, counts->checkpoints,
                     counts->diagnostics);
    return status;
}

static int32_t audit_json(const asking *asked, wfsm_audit_counts *counts, wfsm_error *error)
{
    json_t *diagnostics = cli_need(json_array());
    int32_t status = audit(asked, keep_diagnostic, diagnostics, counts, error);
    json_t *all = cli_need(json_pack(
        "{s:I, s:I, s:I, s:I, s:o}", "instances", (json_int_t)counts->instances, "records",
        (json_int_t)counts->records, "snapshots", (json_int_t)counts->snapshots, "checkpoints",
        (json_int_t)counts->checkpoints, "diagnostics", diagnostics));
    if (status == WFSM_OK && shown_json(all, stdout, JSON_INDENT(2)) == 0)
        shown_fputs("\n", stdout);
    json_decref(all);
    return status;
}

static int parse(asking *asked, int count, char **list)
{
    static const cli_option options[] = {
        {"--json", false}, {"--archive", true}, {"--keys", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == 0)
            asked->json = true;
        else if (found == 1)
            asked->archive_path = args.value;
        else if (found == 2)
            asked->keys_path = args.value;
        else if (!asked->path)
            asked->path = args.value;
        else if (!asked->id)
            asked->id = args.value;
        else
            return cli_misused("audit does not take %s", args.value);
    }
    return asked->path ? CLI_OK : cli_misused("audit needs a store");
}

static bool open_stores(asking *asked)
{
    asked->store = stored_open(asked->path);
    if (asked->store && asked->archive_path)
        asked->archive = stored_open(asked->archive_path);
    return asked->store && (asked->archive || !asked->archive_path);
}

static int run(int count, char **list)
{
    asking asked = {.json = false};
    wfsm_audit_counts counts = {.size = sizeof counts};
    int code = parse(&asked, count, list);
    if (code != CLI_OK)
        return code;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = WFSM_INVALID;
    asked.keys = asked.keys_path ? vote_keys_read(asked.keys_path) : NULL;
    bool open = (asked.keys || !asked.keys_path) && open_stores(&asked);
    if (open)
        status = asked.json ? audit_json(&asked, &counts, error)
                            : audit_table(&asked, &counts, error);
    if (open && status != WFSM_OK)
        cli_say_error(asked.path, error);
    wfsm_store_free(asked.archive);
    wfsm_store_free(asked.store);
    json_decref(asked.keys);
    wfsm_error_free(error);
    return cli_finish(status == WFSM_OK && counts.diagnostics == 0 ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_audit = {"audit", "replays journals and compares the results", help, run};
