/* The command evidence: the head of an instance, with its chain of records and its votes, as one
 * file; and the check of such a file, without the store. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/evidence.h"
#include "wfsm/record.h"
#include "wfsm/stored.h"
#include "wfsm/vote_keys.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm evidence STORE ID\n"
    "       wfsm evidence [--keys FILE] [--head DIGEST] --check EVIDENCE\n"
    "\n"
    "Prints what shows how an instance of a store came to where it is: its head, all\n"
    "records of its journal, its document, and the votes that counted. One JSON object.\n"
    "\n"
    "  --check FILE   checks such a file (- is stdin), without the store: each record has the\n"
    "                 digest that the next one names, the last one is the head, the votes are\n"
    "                 those of the records and on what the records ask, and the document is\n"
    "                 that of the records\n"
    "  --keys FILE    each vote must also be signed with a key of its voter; FILE has a line\n"
    "                 of `wfsm key` for each key\n"
    "  --head DIGEST  the head must be this one, which you know from elsewhere. If\n"
    "                 somebody writes the whole file again, the chain fits, but the head differs\n"
    "\n"
    "A journal that was compacted begins with a later record than the first.\n"
    "\n"
    "Exit codes: 0 success; 1 the instance does not exist, the store cannot be read, or the\n"
    "evidence is not what it should be; 64 the command line is wrong.\n";

typedef struct request {
    const char *check, *keys, *head;
    const char *operands[2]; /* store, instance */
    int count;
} request;

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--check", true}, {"--keys", true}, {"--head", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    const char **values[] = {&self->check, &self->keys, &self->head};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found >= 0)
            *values[found] = args.value;
        else if (self->count == 2)
            return cli_misused("evidence does not take %s", args.value);
        else
            self->operands[self->count++] = args.value;
    }
    if (self->check ? self->count > 0 : self->count < 2)
        return cli_misused("evidence needs a store and an instance, or --check");
    if (!self->check && (self->keys || self->head))
        return cli_misused("--keys and --head go with --check");
    return CLI_OK;
}

/* ---- export ---- */

static int32_t add_record(void *user, const wfsm_row *row)
{
    json_t *evidence = user, *record = json_loadb(row->text, row->length, 0, NULL);
    json_t *vote = vote_counted(record);
    json_array_append_new(json_object_get(evidence, "records"),
                          cli_need(json_stringn(row->text, row->length)));
    if (vote)
        json_array_append_new(json_object_get(evidence, "votes"), vote);
    json_decref(record);
    return WFSM_OK;
}

static int32_t add_document(void *user, const wfsm_row *row)
{
    json_object_set_new(user, "document", cli_need(json_stringn(row->text, row->length)));
    return WFSM_OK;
}

static int32_t collect(json_t *evidence, wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);
    if (status != WFSM_OK)
        return status;
    uint64_t revision = head.revision, first = head.first;
    json_object_set_new(evidence, "instance", json_string(id));
    json_object_set_new(evidence, "machine", json_string(head.machine));
    json_object_set_new(evidence, "fingerprint", json_string(head.fingerprint));
    json_object_set_new(evidence, "head", cli_need(json_string(head.token)));
    json_object_set_new(evidence, "first", json_integer((json_int_t)first));
    json_object_set_new(evidence, "revision", json_integer((json_int_t)revision));
    status = wfsm_store_document(store, record_string(evidence, "fingerprint"), add_document,
                                 evidence, error);
    return status != WFSM_OK
               ? status
               : wfsm_store_records(store, id, first, revision, add_record, evidence, error);
}

static int export_from(const char *path, const char *id)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = stored_open(path);
    json_t *evidence = cli_need(
        json_pack("{s:i, s:[], s:[]}", "evidence", EVIDENCE_FORMAT, "records", "votes"));
    int32_t status = store ? collect(evidence, store, id, error) : WFSM_IO;
    if (store && status != WFSM_OK)
        cli_say_error(id, error);
    if (status == WFSM_OK && shown_json(evidence, stdout, JSON_INDENT(1)) == 0)
        shown_printf("\n");
    json_decref(evidence);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return cli_finish(status == WFSM_OK ? CLI_OK : CLI_FAILED);
}

/* ---- check ---- */

static int check(const request *self)
{
    cli_text text = {0};
    json_t *keys = self->keys ? vote_keys_read(self->keys) : NULL;
    bool good = (keys || !self->keys) && cli_read_file(self->check, &text);
    if (good)
        good = evidence_check(self->check, &text, keys, self->head);
    json_decref(keys);
    cli_text_free(&text);
    return cli_finish(good ? CLI_OK : CLI_FAILED);
}

static int run(int count, char **list)
{
    request self = {.count = 0};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    return self.check ? check(&self) : export_from(self.operands[0], self.operands[1]);
}

const cli_command cmd_evidence = {"evidence", "exports a chain with its votes, and checks it",
                                  help, run};
