/* wfsm send: the event is stepped here if the instance has no living owner. */
#include <stdio.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/owned.h"
#include "wfsm/selection.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm send [OPTION]… STORE ID EVENT [DATA]\n"
    "       wfsm send [OPTION]… SELECTION… STORE EVENT [DATA]\n"
    "\n"
    "Sends an event to an instance and says what it did. DATA is JSON; the default is null.\n"
    "Agents of the states that the event enters start when a program adopts the instance.\n"
    "The event is posted instead, as by wfsm post, if a running program owns the instance, or\n"
    "if the document has guards or actions of a program.\n"
    "\n"
    "Without ID, it is sent to every instance that has not ended and that these options\n"
    "find:\n" SELECTION_HELP "  --all            all of the store\n"
    "  --dry-run        only shows which; sends nothing\n"
    "If this is interrupted, the same command with the same --id continues.\n"
    "\n"
    "  --by NAME   who sends it; the default is the user's name. The record says so\n"
    "  --id ID     the id of the event; an event with a known id is not taken again\n"
    "  --now MS    the time of the event in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 taken or posted; 1 not taken: no transition, blocked by a guard, failed, or a\n"
    "known id, the instance has ended or does not exist, or the store cannot be written; with a\n"
    "selection, one of them has not taken it; 64 the command line is wrong.\n";

enum { OPERANDS = 4 };

typedef struct request {
    const char *by, *id;
    const char *operands[OPERANDS];
    int count;
    const char *path, *event, *data; /* of the operands */
    int64_t now;
    selection which;
    bool dry_run;
} request;

enum { BY = SELECTION_OPTIONS, ID, NOW, ALL, DRY_RUN };

static bool take(request *self, int option, const char *value)
{
    if (option < SELECTION_OPTIONS)
        return selection_take(&self->which, option, value);
    if (option == NOW)
        return owned_time(value, &self->now);
    if (option == BY)
        self->by = value;
    else if (option == ID)
        self->id = value;
    else if (option == ALL)
        self->which.given = true;
    else
        self->dry_run = true;
    return true;
}

/* With a selection there is no id of an instance. */
static int name_operands(request *self)
{
    int event = self->which.given ? 1 : 2;
    if (self->dry_run && !self->which.given)
        return cli_misused("--dry-run needs a selection, such as --machine or --all");
    if (self->count > event + 2)
        return cli_misused("send does not take %s", self->operands[event + 2]);
    if (self->count <= event)
        return cli_misused(self->which.given ? "send needs a store and an event"
                                             : "send needs a store, an id and an event");
    self->path = self->operands[0];
    self->event = self->operands[event];
    self->data = self->operands[event + 1];
    return CLI_OK;
}

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        SELECTION_LIST,   {"--by", true},       {"--id", true}, {"--now", true},
        {"--all", false}, {"--dry-run", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found >= 0 && !take(self, found, args.value)))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->count == OPERANDS)
            return cli_misused("send does not take %s", args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
    }
    return name_operands(self);
}

static const char *sender_of(const request *self)
{
    return self->by ? self->by : owned_user();
}

static bool post(const request *self, owned *on)
{
    return owned_submit(on, &(wfsm_post){.name = self->event,
                                         .id = self->id,
                                         .data = self->data,
                                         .length = self->data ? strlen(self->data) : 0,
                                         .sender = sender_of(self)});
}

static bool uses_functions(const wfsm_machine *machine)
{
    return wfsm_machine_uses(machine, WFSM_USES_GUARDS, 0) ||
           wfsm_machine_uses(machine, WFSM_USES_ACTIONS, 0);
}

/* ENDED is also the outcome for an instance that had ended before. A command that is repeated for a
 * selection finds what it has sent before. */
static bool tell(const request *self, owned *on, int32_t outcome)
{
    bool taken = outcome == WFSM_TAKEN ||
                 (outcome == WFSM_ENDED && on->head.status != WFSM_DONE) ||
                 (outcome == WFSM_DUPLICATE && self->which.given);
    owned_tell(on->loaded.instance, "%s %s", self->event, wfsm_outcome_name(outcome));
    if (outcome == WFSM_FAILED)
        cli_say_error(on->head.id, on->error);
    return taken;
}

static bool step(const request *self, owned *on)
{
    int32_t outcome = WFSM_FAILED;
    const wfsm_event event = {.size = sizeof event,
                              .name = self->event,
                              .id = self->id,
                              .data = self->data,
                              .length = self->data ? strlen(self->data) : 0,
                              .interface = WFSM_INTERFACE_COMMAND,
                              .sender = sender_of(self)};
    return owned_done(on, wfsm_instance_send(on->loaded.instance, &event, on->now, &outcome,
                                             on->error)) &&
           tell(self, on, outcome);
}

static bool send_here(const request *self, owned *on)
{
    if (!owned_take(on))
        return false;
    if (!uses_functions(on->loaded.machine))
        return step(self, on);
    return post(self, on);
}

static bool send_to(const request *self, owned_session *session, const char *id)
{
    owned on = {.now = self->now, .may_exist = self->which.given, .session = session};
    bool fine = owned_open(&on, self->path, id);
    if (fine)
        fine = owned_elsewhere(&on) ? post(self, &on) : send_here(self, &on);
    owned_close(&on);
    return fine;
}

static bool list_ids(const request *self, many *ids)
{
    wfsm_query query = selection_query(&self->which);
    wfsm_store *store = stored_open(self->path);
    query.status = WFSM_RUNNING;
    bool fine = store && many_list(ids, store, self->path, &query);
    wfsm_store_free(store);
    return fine;
}

static bool send_to_all(const request *self)
{
    many ids = {0};
    owned_session session = {0};
    bool fine = list_ids(self, &ids);
    size_t sent = 0, count = fine ? ids.count : 0;
    for (size_t i = 0; i < count; i++) {
        shown_printf(self->dry_run ? "%s\n" : "%s: ", ids.ids[i]);
        sent += !self->dry_run && send_to(self, &session, ids.ids[i]);
        fflush(stdout); /* it is the progress of the command */
    }
    owned_session_end(&session);
    if (fine && self->dry_run)
        shown_printf("%zu would be sent to\n", count);
    else if (fine)
        shown_printf("%zu sent, %zu not taken\n", sent, count - sent);
    many_free(&ids);
    return fine && (self->dry_run || sent == count);
}

static int run(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, count, list);
    if (code == CLI_OK) {
        bool fine =
            self.which.given ? send_to_all(&self) : send_to(&self, NULL, self.operands[1]);
        code = cli_finish(fine ? CLI_OK : CLI_FAILED);
    }
    selection_free(&self.which);
    return code;
}

const cli_command cmd_send = {"send", "sends an event and says what it did", help, run};
