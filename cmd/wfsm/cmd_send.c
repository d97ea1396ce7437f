/* wfsm send: the event is stepped here if the instance has no living owner. */
#include <stdio.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm send [OPTION]… STORE ID EVENT [DATA]\n"
    "\n"
    "Sends an event to an instance and says what it did. DATA is JSON; the default is null.\n"
    "Agents of the states that the event enters start when a program adopts the instance.\n"
    "The event is posted instead, as by wfsm post, if a running program owns the instance, or\n"
    "if the document has guards or actions of a program.\n"
    "\n"
    "  --by NAME   who sends it; the default is the user's name. The record says so\n"
    "  --id ID     the id of the event; an event with a known id is not taken again\n"
    "  --now MS    the time of the event in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 taken or posted; 1 not taken: no transition, blocked by a guard, failed, or a\n"
    "known id, the instance has ended or does not exist, or the store cannot be written; 64 the\n"
    "command line is wrong.\n";

typedef struct request {
    const char *by, *id;
    const char *operands[4]; /* store, instance, event, data */
    int count;
    int64_t now;
} request;

enum { BY, ID, NOW };

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--by", true}, {"--id", true}, {"--now", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == NOW && !owned_time(args.value, &self->now)))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->count == 4)
            return cli_misused("send does not take %s", args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
        else if (found == BY)
            self->by = args.value;
        else if (found == ID)
            self->id = args.value;
    }
    return self->count < 3 ? cli_misused("send needs a store, an id and an event") : CLI_OK;
}

static const char *sender_of(const request *self)
{
    return self->by ? self->by : owned_user();
}

static bool post(const request *self, owned *on)
{
    const char *data = self->operands[3];
    return owned_submit(on, &(wfsm_post){.name = self->operands[2],
                                         .id = self->id,
                                         .data = data,
                                         .length = data ? strlen(data) : 0,
                                         .sender = sender_of(self)});
}

static bool uses_functions(const wfsm_machine *machine)
{
    return wfsm_machine_uses(machine, WFSM_USES_GUARDS, 0) ||
           wfsm_machine_uses(machine, WFSM_USES_ACTIONS, 0);
}

/* ENDED is also the outcome for an instance that had ended before. */
static bool tell(owned *on, const char *event, int32_t outcome)
{
    bool taken =
        outcome == WFSM_TAKEN || (outcome == WFSM_ENDED && on->head.status != WFSM_DONE);
    owned_tell(on->loaded.instance, "%s %s", event, wfsm_outcome_name(outcome));
    if (outcome == WFSM_FAILED)
        cli_say_error(on->head.id, on->error);
    return taken;
}

static bool step(const request *self, owned *on)
{
    const char *data = self->operands[3];
    int32_t outcome = WFSM_FAILED;
    const wfsm_event event = {.size = sizeof event,
                              .name = self->operands[2],
                              .id = self->id,
                              .data = data,
                              .length = data ? strlen(data) : 0,
                              .interface = WFSM_INTERFACE_COMMAND,
                              .sender = sender_of(self)};
    return owned_done(on, wfsm_instance_send(on->loaded.instance, &event, on->now, &outcome,
                                             on->error)) &&
           tell(on, event.name, outcome);
}

static bool send_here(const request *self, owned *on)
{
    if (!owned_take(on))
        return false;
    if (!uses_functions(on->loaded.machine))
        return step(self, on);
    return post(self, on);
}

static int run(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    owned on = {.now = self.now};
    bool fine = owned_open(&on, self.operands[0], self.operands[1]);
    if (fine)
        fine = owned_elsewhere(&on) ? post(&self, &on) : send_here(&self, &on);
    owned_close(&on);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_send = {"send", "sends an event and says what it did", help, run};
