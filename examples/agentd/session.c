#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agentd.h"
#include "builtin.h"
#include <wfsm/agents.h>
#include "durable.h"
#include "shared/signals.h"
#include "shared/wait.h"
#include "machines.h"
#include "state_sync.h"
#include "workspace.h"
#include "shared/owner.h"

/* How often posts of other processes are read, in ms. */
enum { LONGEST_WAIT = 500 };

/* ---- opening ---- */

static int add_machines(session *self)
{
    const machine_text *at;
    wfsm_machine *machine;

    for (at = machine_texts; at->name; at++) {
        machine = NULL;
        if (wfsm_machine_load(&machine, at->text, strlen(at->text), NULL, NULL, self->error) !=
            WFSM_OK)
            return library_failed(at->name, self->error);
        if (wfsm_engine_add_machine(self->engine, machine, self->error) != WFSM_OK) {
            wfsm_machine_unref(machine);
            return library_failed(at->name, self->error);
        }
        wfsm_machine_unref(machine);
    }
    return END_DONE;
}

static int make_engine(session *self)
{
    char owner[WFSM_OWNER_SIZE];
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = wfsm_session_name(owner),
                                   .now = wfsm_agents_now(),
                                   .clock = wfsm_agents_clock};

    if (wfsm_engine_new(&self->engine, self->store, &options, self->error) != WFSM_OK ||
        wfsm_engine_observe(self->engine, show_commit, &self->show, self->error) != WFSM_OK ||
        wfsm_engine_on_diagnostic(self->engine, wfsm_progress_diagnostic, self->show.progress,
                                  self->error) != WFSM_OK)
        return library_failed("the engine", self->error);
    return END_DONE;
}

/* Prints what an HTTP agent is doing. */
static void tell(void *user, const char *instance, const char *line)
{
    session *self = user;

    (void)instance;
    show_note(&self->show, WFSM_TONE_QUIET, line);
}

int session_add_agents(session *self)
{
    const agentd_config *config = &self->at->config;
    wfsm_agents_options options = {.size = sizeof options,
                                   .runs = self->at->runs,
                                   .folder = workspace_root(self->at),
                                   .store = self->store,
                                   .tell = tell,
                                   .user = self};

    self->checks = (checks_agent){.at = self->at};
    if (checks_agent_add(&self->checks, self->error) != WFSM_OK)
        return library_failed("the checks", self->error);
    if (wfsm_agents_register(config->agents, self->engine, &options, self->error) != WFSM_OK) {
        print_error("%s", wfsm_error_message(self->error));
        return END_USAGE;
    }
    if (builtin_add(self->engine, self->at, self->error) != WFSM_OK)
        return library_failed("the local agents", self->error);
    return END_DONE;
}

static int open_parts(session *self)
{
    host_error why;

    self->error = wfsm_error_new(NULL);
    if (!self->error) {
        print_error("out of memory");
        return END_STORE;
    }
    if (durable_folder(self->at->runs, &why) != 0)
        return host_failed(&why, END_STORE);
    return place_open_store(self->at, 0, &self->store, self->error);
}

int session_open(session *self, const place *at, const char *id)
{
    int code;

    memset(self, 0, sizeof *self);
    self->at = at;
    self->id = id;
    show_begin(&self->show, id, wfsm_agents_now());
    code = open_parts(self);
    if (code == END_DONE)
        code = make_engine(self);
    return code == END_DONE ? add_machines(self) : code;
}

void session_close(session *self)
{
    show_end(&self->show);
    wfsm_engine_free(self->engine);
    if (self->at)
        host_end_agents(self->at->config.agents);
    checks_agent_clear(&self->checks);
    wfsm_store_free(self->store);
    wfsm_error_free(self->error);
    memset(self, 0, sizeof *self);
}

/* ---- beginning and taking over ---- */

int session_create(session *self, const char *description)
{
    json_t *input = json_pack("{s:s, s:s}", "change", self->id, "description", description);
    char *text = input ? json_dumps(input, JSON_COMPACT) : NULL;
    int32_t status;

    json_decref(input);
    if (!text) {
        print_error("the description: expected text in UTF-8");
        return END_USAGE;
    }
    status = wfsm_engine_start(self->engine, "lifecycle", self->id, text, strlen(text),
                               wfsm_agents_now(), self->error);
    free(text);
    if (status == WFSM_OK || status == WFSM_EXISTS)
        return END_DONE;
    return library_failed(self->id, self->error);
}

static int owned_elsewhere(const session *self)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    host_owner_of(self->store, self->id, text);
    print_error("%s: %s is at work on it", self->id, text);
    return END_BUSY;
}

int session_take(session *self)
{
    int32_t status;

    (void)wfsm_owner_release(self->store, self->id, NULL);
    status = wfsm_engine_adopt(self->engine, self->id, wfsm_agents_now(), self->error);
    if (status == WFSM_DENIED)
        return owned_elsewhere(self);
    return status == WFSM_OK ? END_DONE : library_failed(self->id, self->error);
}

int session_send(session *self, const char *event, json_t *data)
{
    char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
    int32_t outcome = WFSM_NO_TRANSITION, status = WFSM_NO_MEMORY;

    json_decref(data);
    if (text)
        status = wfsm_engine_send(self->engine, self->id, event, NULL, text, strlen(text),
                                  wfsm_agents_now(), &outcome, self->error);
    free(text);
    if (status != WFSM_OK)
        return library_failed(self->id, self->error);
    return outcome == WFSM_TAKEN || outcome == WFSM_ENDED ? END_DONE : END_REFUSED;
}

int session_read(session *self, change *read)
{
    if (change_read(read, self->store, self->id, self->error) != WFSM_OK)
        return library_failed(self->id, self->error);
    return END_DONE;
}

/* ---- driving ---- */

static int sync_state(session *self)
{
    change now;
    int code = session_read(self, &now);

    if (code == END_DONE)
        code = state_sync(self->at, &now, 0);
    change_clear(&now);
    return code;
}

static void wait_a_little(session *self)
{
    host_wait(self->at->config.agents, self->engine, LONGEST_WAIT);
}

/* One round. *over is 1 after the last one. */
static int drive_once(session *self, int *over)
{
    wfsm_instance *instance;
    int32_t status = wfsm_engine_run(self->engine, wfsm_agents_now(), self->error);
    uint64_t commits = self->show.commits;

    if (status != WFSM_OK)
        return library_failed("the store", self->error);
    instance = wfsm_engine_instance(self->engine, self->id);
    *over = !instance || wfsm_instance_has_tag(instance, "terminal") ||
            wfsm_instance_status(instance) == WFSM_DONE;
    if (!instance && wfsm_engine_adopt(self->engine, self->id, wfsm_agents_now(),
                                       self->error) == WFSM_DENIED)
        return owned_elsewhere(self);
    if (commits == self->synced)
        return END_DONE;
    self->synced = commits;
    return sync_state(self);
}

int session_drive(session *self)
{
    int over = 0, code = END_DONE;

    while (code == END_DONE && !over && !host_signals_asked()) {
        code = drive_once(self, &over);
        if (code == END_DONE && !over)
            wait_a_little(self);
    }
    if (code == END_DONE && !over) {
        print_error("stopped; `agentd resume %s`, or the same command again, continues",
                    self->id);
        return END_STOPPED;
    }
    if (code == END_DONE)
        host_drain(self->at->config.agents);
    return code;
}
