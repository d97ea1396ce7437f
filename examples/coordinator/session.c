#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator.h"
#include <wfsm/agents.h>
#include "shared/files.h"
#include "shared/machine_file.h"
#include "shared/signals.h"
#include "shared/wait.h"
#include "live.h"
#include "show.h"
#include "task.h"
#include "workspace_agent.h"
#include "shared/worktree.h"
#include "shared/owner.h"
#include "wfsm/address.h"

/* How often posts of other processes are read, in ms. */
enum { LONGEST_WAIT = 500, LONGEST_AT_TERMINAL = 200 };

static int host_failed(const host_error *error)
{
    print_error("%s", error->message);
    return END_USAGE;
}

/* ---- opening ---- */

static int load_machine(session *self)
{
    host_error why;

    if (host_machine_add(self->engine, self->with->machine, &why) == 0)
        return END_FINE;
    print_error("%s", why.message);
    return access(self->with->machine, R_OK) == 0 ? END_STORE : END_USAGE;
}

static int make_engine(session *self)
{
    char owner[WFSM_OWNER_SIZE];
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = wfsm_session_name(owner),
                                   .now = wfsm_agents_now(),
                                   .clock = wfsm_agents_clock};

    if (wfsm_engine_new(&self->engine, self->store, &options, self->error) != WFSM_OK ||
        wfsm_engine_observe(self->engine, show_commit, self->progress, self->error) !=
            WFSM_OK ||
        wfsm_engine_on_effect(self->engine, show_effect, self->progress, self->error) !=
            WFSM_OK ||
        wfsm_engine_on_diagnostic(self->engine, wfsm_progress_diagnostic, self->progress,
                                  self->error) != WFSM_OK)
        return library_failed("the engine", self->error);
    return END_FINE;
}

static int add_agents(session *self)
{
    const settings *with = self->with;
    wfsm_agents_options options = {.size = sizeof options,
                                   .runs = with->logs,
                                   .folder = self->workspace,
                                   .store = self->store,
                                   .tell = wfsm_progress_note,
                                   .user = self->progress};

    self->commands = (commands_agent){.with = with, .place = self->place};
    if (settings_agents(with, &self->agents, self->error) != WFSM_OK ||
        commands_agent_add(&self->commands, self->agents, self->error) != WFSM_OK)
        return library_failed("commands", self->error);
    if (workspace_agent_add(self->engine, self->place, self->error) != WFSM_OK)
        return library_failed("workspace", self->error);
    if (wfsm_agents_register(self->agents, self->engine, &options, self->error) == WFSM_OK)
        return END_FINE;
    print_error("%s", wfsm_error_message(self->error));
    return END_USAGE;
}

static void drop(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
}

static int open_workspace(session *self, const char *workspace)
{
    wfsm_progress_options begun = {.size = sizeof begun};
    host_error why;

    self->workspace = strdup(workspace);
    self->error = wfsm_error_new(NULL);
    begun.now = wfsm_agents_now();
    if (self->with->is_json)
        begun.write = drop;
    (void)wfsm_progress_new(&self->progress, &begun, self->error);
    if (!self->workspace || !self->error || !self->progress) {
        print_error("out of memory");
        return END_STORE;
    }
    if (host_folder_make(self->with->logs, &why) != 0)
        return host_failed(&why);
    return END_FINE;
}

int session_open(session *self, const settings *with, const char *id, const json_t *place)
{
    int code;

    memset(self, 0, sizeof *self);
    self->with = with;
    self->id = id;
    self->place = json_deep_copy(place);
    code = open_workspace(self, host_worktree_folder(place));
    if (code == END_FINE &&
        address_open(&self->store, with->store, ADDRESS_MAKE, self->error) != WFSM_OK)
        code = library_failed("the store", self->error);
    if (code == END_FINE)
        code = make_engine(self);
    if (code == END_FINE)
        code = add_agents(self);
    return code;
}

/* ---- beginning and taking over ---- */

/* Only a new task needs the document. The store has those of the others. */
int session_start(session *self, const char *input, int32_t *status)
{
    int code = self->machine_loaded ? END_FINE : load_machine(self);

    if (code != END_FINE)
        return code;
    self->machine_loaded = 1;
    *status = wfsm_engine_start(self->engine, "coordinator", self->id, input, strlen(input),
                                wfsm_agents_now(), self->error);
    if (*status == WFSM_OK || *status == WFSM_EXISTS)
        return END_FINE;
    code = library_failed(*self->id ? self->id : "--id", self->error);
    return *status == WFSM_INVALID ? END_USAGE : code;
}

static int owned_elsewhere(const session *self)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    host_owner_of(self->store, self->id, text);
    print_error("%s: %s is at work on it", self->id, text);
    return END_STORE;
}

int session_adopt(session *self)
{
    int32_t status;

    (void)wfsm_owner_release(self->store, self->id, NULL);
    status = wfsm_engine_adopt(self->engine, self->id, wfsm_agents_now(), self->error);
    if (status == WFSM_DENIED)
        return owned_elsewhere(self);
    return status == WFSM_OK ? END_FINE : library_failed(self->id, self->error);
}

/* ---- driving ---- */

static int32_t is_over(const wfsm_instance *instance)
{
    return wfsm_instance_has_tag(instance, "terminal");
}

static void wait_a_little(session *self)
{
    host_wait(self->agents, self->engine,
              wfsm_progress_is_terminal(self->progress) ? LONGEST_AT_TERMINAL : LONGEST_WAIT);
}

/* One round. *over is 1 after the last one. */
static int drive_once(session *self, int *over)
{
    wfsm_instance *instance;
    int32_t status = wfsm_engine_run(self->engine, wfsm_agents_now(), self->error);

    instance = wfsm_engine_instance(self->engine, self->id);
    *over = status == WFSM_OK && instance && is_over(instance);
    if (status == WFSM_OK && instance && !*over)
        live_show(self->progress, instance, wfsm_agents_now());
    else
        wfsm_progress_live(self->progress, NULL); /* before any other output */
    if (status != WFSM_OK)
        return library_failed("the store", self->error);
    return instance ? END_FINE : owned_elsewhere(self);
}

/* Agents are told to stop when the session is closed, and begin again when it is resumed. */
static int paused(session *self)
{
    wfsm_progress_live(self->progress, NULL);
    print_error("stopped; `coordinator resume %s` continues, `coordinator abort %s` ends it",
                self->id, self->id);
    return END_STOPPED;
}

int session_drive(session *self)
{
    int over = 0, code = END_FINE;

    while (code == END_FINE && !over && !host_signals_asked()) {
        code = drive_once(self, &over);
        if (code == END_FINE && !over)
            wait_a_little(self);
    }
    if (code == END_FINE && !over)
        return paused(self);
    if (code == END_FINE)
        host_drain(self->agents);
    return code;
}

void session_close(session *self)
{
    wfsm_progress_free(self->progress);
    wfsm_engine_free(self->engine);
    host_end_agents(self->agents);
    wfsm_agents_free(self->agents);
    wfsm_store_free(self->store);
    wfsm_error_free(self->error);
    commands_agent_clear(&self->commands);
    free(self->workspace);
    json_decref(self->place);
    memset(self, 0, sizeof *self);
}
