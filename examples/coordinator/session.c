#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator.h"
#include "agents/clock.h"
#include "agents/files.h"
#include "agents/machine_file.h"
#include "agents/signals.h"
#include "agents/wait.h"
#include "live.h"
#include "show.h"
#include "task.h"

/* Posts of others are looked for at least so often, ms. */
enum { LONGEST_WAIT = 500, LONGEST_AT_TERMINAL = 200 };

static int complain_hostkit(const wfa_error *error)
{
    wfa_complain("%s", error->message);
    return END_USAGE;
}

/* ---- opening ---- */

static int load_machine(session *self)
{
    wfa_error why;

    if (wfa_machine_add(self->engine, self->with->machine, &why) == 0)
        return END_FINE;
    wfa_complain("%s", why.message);
    return access(self->with->machine, R_OK) == 0 ? END_STORE : END_USAGE;
}

static int make_engine(session *self)
{
    char owner[WFA_OWNER_SIZE];
    wfsm_engine_options options = {.size = sizeof options, .owner = owner};

    wfa_owner_name(owner);
    if (wfsm_engine_new(&self->engine, self->store, &options, self->error) != WFSM_OK ||
        wfsm_engine_observe(self->engine, show_commit, &self->progress, self->error) !=
            WFSM_OK ||
        wfsm_engine_on_effect(self->engine, show_effect, &self->progress, self->error) !=
            WFSM_OK)
        return complain_wfsm("the engine", self->error);
    return END_FINE;
}

/* What an HTTP agent does meanwhile. */
static void tell(void *user, const char *instance, const char *line)
{
    session *self = user;

    wfa_progress_line(&self->progress, wfa_now(), instance, WFA_QUIET, "    %s", line);
}

static int add_configured(session *self)
{
    const settings *with = self->with;
    wfa_error why;

    self->crew = (wfa_crew){.children = self->children,
                            .runs = with->logs,
                            .folder = self->workspace,
                            .store = self->store,
                            .tell = tell,
                            .user = self};
    if (wfa_crew_add(&self->crew, with->agents, with->agent_count, self->engine, &why) != 0)
        return complain_hostkit(&why);
    return END_FINE;
}

static int add_agents(session *self)
{
    int code = add_configured(self);

    self->commands = (commands_agent){.with = self->with, .children = self->children};
    if (code == END_FINE &&
        commands_agent_add(&self->commands, self->engine, self->error) != WFSM_OK)
        code = complain_wfsm("commands", self->error);
    return code;
}

static int open_workspace(session *self, const char *workspace)
{
    wfa_error why;

    self->workspace = strdup(workspace);
    self->error = wfsm_error_new(NULL);
    self->children = wfa_children_new();
    if (!self->workspace || !self->error || !self->children) {
        wfa_complain("out of memory");
        return END_STORE;
    }
    if (wfa_folder_make(self->with->logs, &why) != 0)
        return complain_hostkit(&why);
    return END_FINE;
}

int session_open(session *self, const settings *with, const char *id, const char *workspace)
{
    int code;

    memset(self, 0, sizeof *self);
    self->with = with;
    self->id = id;
    wfa_progress_begin(&self->progress, stdout, wfa_now());
    code = open_workspace(self, workspace);
    if (code == END_FINE &&
        wfa_store_open(&self->store, with->store, WFA_STORE_MAKE, self->error) != WFSM_OK)
        code = complain_wfsm("the store", self->error);
    if (code == END_FINE)
        code = make_engine(self);
    if (code == END_FINE)
        code = add_agents(self);
    return code;
}

/* ---- beginning and taking over ---- */

/* Only a new task needs the document: the store keeps those of the others. */
int session_start(session *self, const char *input, int32_t *status)
{
    int code = self->machine_loaded ? END_FINE : load_machine(self);

    if (code != END_FINE)
        return code;
    self->machine_loaded = 1;
    *status = wfsm_engine_start(self->engine, "coordinator", self->id, input, strlen(input),
                                wfa_now(), self->error);
    if (*status == WFSM_OK || *status == WFSM_EXISTS)
        return END_FINE;
    code = complain_wfsm(*self->id ? self->id : "--id", self->error);
    return *status == WFSM_INVALID ? END_USAGE : code;
}

static int complain_owned(const session *self)
{
    char text[WFA_OWNER_SIZE + 16];

    wfa_owner_of(self->store, self->id, text);
    wfa_complain("%s: %s is at work on it", self->id, text);
    return END_STORE;
}

int session_adopt(session *self)
{
    int32_t status;

    wfa_owner_bury(self->store, self->id);
    status = wfsm_engine_adopt(self->engine, self->id, wfa_now(), self->error);
    if (status == WFSM_DENIED)
        return complain_owned(self);
    return status == WFSM_OK ? END_FINE : complain_wfsm(self->id, self->error);
}

/* ---- driving ---- */

static int abort_if_asked(session *self)
{
    int32_t outcome;

    if (!wfa_signals_asked() || self->told)
        return END_FINE;
    self->told = 1;
    wfa_progress_line(&self->progress, wfa_now(), self->id, WFA_QUIET, "%s",
                      "stopping; once more to end at once");
    if (wfsm_engine_send(self->engine, self->id, "aborted_by_operator", NULL, NULL, 0,
                         wfa_now(), &outcome, self->error) == WFSM_OK)
        return END_FINE;
    wfa_progress_end(&self->progress);
    return complain_wfsm(self->id, self->error);
}

static int32_t is_over(const wfsm_instance *instance)
{
    return wfsm_instance_has_tag(instance, "terminal");
}

static void wait_a_little(session *self)
{
    (void)wfa_wait_until(self->children, self->crew.http, wfsm_engine_deadline(self->engine),
                         self->progress.terminal ? LONGEST_AT_TERMINAL : LONGEST_WAIT);
}

/* One round: *over tells whether it was the last. */
static int drive_once(session *self, int *over)
{
    wfsm_instance *instance;
    int32_t status = wfsm_engine_run(self->engine, wfa_now(), self->error);

    instance = wfsm_engine_instance(self->engine, self->id);
    *over = status == WFSM_OK && instance && is_over(instance);
    if (status == WFSM_OK && instance && !*over)
        live_show(&self->progress, instance, wfa_now());
    else
        wfa_progress_end(&self->progress); /* before anything else is said */
    if (status != WFSM_OK)
        return complain_wfsm("the store", self->error);
    return instance ? END_FINE : complain_owned(self);
}

int session_drive(session *self)
{
    int over = 0;
    int code = abort_if_asked(self);

    while (code == END_FINE) {
        code = drive_once(self, &over);
        if (code != END_FINE || over)
            break;
        wait_a_little(self);
        code = abort_if_asked(self);
    }
    if (code == END_FINE)
        wfa_wait_ended(self->children);
    return code;
}

void session_close(session *self)
{
    wfa_progress_end(&self->progress);
    wfsm_engine_free(self->engine);
    wfa_crew_end(&self->crew);
    commands_agent_end(&self->commands);
    wfa_children_free(self->children);
    wfsm_store_free(self->store);
    wfsm_error_free(self->error);
    free(self->workspace);
    memset(self, 0, sizeof *self);
}
