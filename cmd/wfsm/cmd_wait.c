/* wfsm wait: until an instance has ended, is in a state, or asks somebody. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/asked.h"
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm wait [--state PATH]... [--asked] [--timeout MS] STORE ID\n"
    "\n"
    "Waits until an instance has ended, and says where it is. The store is read twice a\n"
    "second. Changes nothing.\n"
    "\n"
    "  --state PATH   it is enough that this state is active; may be given several times\n"
    "  --asked        it is enough that an invocation asks people\n"
    "  --timeout MS   gives up after so many milliseconds; the default is to wait for ever\n"
    "\n"
    "Exit codes: 0 it has come to that; 1 not in that time, or it has ended elsewhere than in\n"
    "one of the states, or the instance or the store cannot be read; 64 the command line is\n"
    "wrong.\n";

enum { STATE, ASKED, TIMEOUT, PAUSE_MS = 500 };
/* What a look finds. */
enum seen { NOT_YET, REACHED, MISSED, UNREADABLE };

typedef struct waiting {
    const char *path, *id;
    many states;
    bool asked;
    int64_t timeout; /* 0: none */
    wfsm_store *store;
} waiting;

/* A state is active, too, while a state below it is. */
static bool is_within(const char *active, const char *state)
{
    size_t length = strlen(state);
    return strncmp(active, state, length) == 0 &&
           (active[length] == '\0' || active[length] == '.');
}

static bool is_in_one(const waiting *self, const char *configuration, size_t length)
{
    json_t *active = json_loadb(configuration, length, 0, NULL), *state;
    bool found = false;
    size_t index;
    json_array_foreach(active, index, state)
    {
        for (size_t i = 0; i < self->states.count; i++)
            found = found || is_within(json_string_value(state), self->states.ids[i]);
    }
    json_decref(active);
    return found;
}

static bool is_asked(const waiting *self, const stored_head *head)
{
    json_t *asked = asked_of(self->store, head);
    bool is = json_array_size(asked) > 0;
    json_decref(asked);
    return is;
}

static enum seen judge(const waiting *self, const stored_head *head, wfsm_instance *instance)
{
    size_t length;
    const char *configuration = wfsm_instance_configuration(instance, &length);
    bool done = head->status == WFSM_DONE;
    if (is_in_one(self, configuration, length) || (done && self->states.count == 0) ||
        (self->asked && !done && is_asked(self, head)))
        return REACHED;
    return done ? MISSED : NOT_YET;
}

static enum seen look(const waiting *self, bool last)
{
    stored_head head = {0};
    stored_instance loaded = {0};
    enum seen seen = UNREADABLE;
    if (stored_find(self->store, self->path, self->id, &head) &&
        stored_load(&loaded, self->store, &head))
        seen = judge(self, &head, loaded.instance);
    if (seen == MISSED || seen == REACHED || (seen == NOT_YET && last))
        owned_tell(loaded.instance, "%s is %s", self->id,
                   head.status == WFSM_DONE ? "done" : "running");
    stored_unload(&loaded);
    stored_head_free(&head);
    return seen;
}

static bool wait_for(const waiting *self)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    int64_t begun = owned_clock(), waited = 0;
    enum seen seen = NOT_YET;
    while (seen == NOT_YET) {
        waited = owned_clock() - begun;
        bool last = self->timeout > 0 && waited >= self->timeout;
        seen = look(self, last);
        if (seen == NOT_YET && last)
            return false;
        if (seen == NOT_YET)
            nanosleep(&pause, NULL);
    }
    return seen == REACHED;
}

static int parse(waiting *self, int count, char **list)
{
    static const cli_option options[] = {[STATE] = {"--state", true},
                                         [ASKED] = {"--asked", false},
                                         [TIMEOUT] = {"--timeout", true},
                                         [TIMEOUT + 1] = {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD ||
            (found == TIMEOUT && !many_number("--timeout", args.value, &self->timeout)))
            return CLI_USAGE;
        if (found == STATE)
            many_add(&self->states, args.value);
        else if (found == ASKED)
            self->asked = true;
        else if (found == CLI_OPERAND && !self->path)
            self->path = args.value;
        else if (found == CLI_OPERAND && !self->id)
            self->id = args.value;
        else if (found == CLI_OPERAND)
            return cli_misused("wait does not take %s", args.value);
    }
    return self->id ? CLI_OK : cli_misused("wait needs a store and an id");
}

static int run(int count, char **list)
{
    waiting self = {.path = NULL};
    int code = parse(&self, count, list);
    if (code == CLI_OK) {
        self.store = stored_open(self.path);
        code = cli_finish(self.store && wait_for(&self) ? CLI_OK : CLI_FAILED);
    }
    wfsm_store_free(self.store);
    many_free(&self.states);
    return code;
}

const cli_command cmd_wait = {"wait", "waits until an instance has ended", help, run};
