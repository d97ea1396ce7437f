#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm checkpoint [--now MS] STORE ID NAME [ARTIFACT]…\n"
    "       wfsm checkpoint --delete [--now MS] STORE ID NAME\n"
    "\n"
    "Stores the current state of an instance of a store under a name, to restore\n"
    "it or fork from it. An older checkpoint of that name is replaced. Artifacts are names\n"
    "of files or other things that belong to the checkpoint. If a running program owns the\n"
    "instance, the command posts the checkpoint, or its deletion, which that program makes in\n"
    "its next run.\n"
    "\n"
    "  --delete   deletes the checkpoint instead; its record stays in the journal\n"
    "  --now MS   the time of the input in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the instance or the checkpoint does not exist, the instance\n"
    "has ended or has another owner, or the store cannot be written; 64 the command line\n"
    "is wrong.\n";

typedef struct request {
    const char *operands[3]; /* store, id, name */
    int count;
    json_t *artifacts;
    bool delete;
    int64_t now;
} request;

enum { DELETE, NOW };

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {{"--delete", false}, {"--now", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == NOW && !owned_time(args.value, &self->now)))
            return CLI_USAGE;
        if (found == DELETE)
            self->delete = true;
        else if (found == CLI_OPERAND && self->count < 3)
            self->operands[self->count++] = args.value;
        else if (found == CLI_OPERAND &&
                 json_array_append_new(self->artifacts, json_string(args.value)) != 0)
            return cli_misused("the name of an artifact is not UTF-8");
    }
    if (self->count < 3)
        return cli_misused("checkpoint needs a store, an id and a name");
    if (self->delete && json_array_size(self->artifacts) > 0)
        return cli_misused("checkpoint --delete takes no artifacts");
    return CLI_OK;
}

static bool keep(owned *on, const request *self)
{
    int32_t outcome = 0;
    const char *name = self->operands[2];
    char *artifacts = cli_need(json_dumps(self->artifacts, JSON_COMPACT));
    const wfsm_checkpoint kept = {
        .size = sizeof kept, .id = name, .artifacts = artifacts, .length = strlen(artifacts)};
    int32_t status =
        wfsm_instance_checkpoint(on->loaded.instance, &kept, on->now, &outcome, on->error);
    free(artifacts);
    if (!owned_done(on, status))
        return false;
    if (outcome == WFSM_ENDED)
        cli_say("%s: %s has ended", on->path, on->head.id);
    else
        owned_tell(on->loaded.instance, "checkpoint %s", name);
    return outcome != WFSM_ENDED;
}

static bool delete(owned *on, const request *self)
{
    const char *name = self->operands[2];
    int32_t status =
        wfsm_instance_delete_checkpoint(on->loaded.instance, name, on->now, NULL, on->error);
    if (!owned_done(on, status))
        return false;
    owned_tell(on->loaded.instance, "deleted checkpoint %s", name);
    return true;
}

/* For a post. */
static json_t *wanted(const request *self)
{
    if (self->delete)
        return cli_need(json_pack("{s:s s:b}", "id", self->operands[2], "delete", 1));
    return cli_need(
        json_pack("{s:s s:O}", "id", self->operands[2], "artifacts", self->artifacts));
}

static int run(int count, char **list)
{
    request self = {.artifacts = cli_need(json_array()), .now = -1};
    int code = parse(&self, count, list);
    if (code == CLI_OK) {
        owned on = {.now = self.now};
        bool fine = owned_open(&on, self.operands[0], self.operands[1]);
        if (fine && owned_elsewhere(&on))
            fine = owned_post(&on, WFSM_POST_CHECKPOINT, NULL, wanted(&self));
        else
            fine = fine && owned_take(&on) &&
                   (self.delete ? delete (&on, &self) : keep(&on, &self));
        owned_close(&on);
        code = cli_finish(fine ? CLI_OK : CLI_FAILED);
    }
    json_decref(self.artifacts);
    return code;
}

const cli_command cmd_checkpoint = {"checkpoint", "stores the current state under a name", help,
                                    run};
