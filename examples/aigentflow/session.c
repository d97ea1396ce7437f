#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/clock.h"
#include "agents/files.h"
#include "agents/machine_file.h"
#include "agents/signals.h"
#include "agents/wait.h"
#include "live.h"

/* Posts of others are looked for at least so often, ms. */
enum { LONGEST_WAIT = 300, LONGEST_AT_TERMINAL = 200 };

/* ---- opening ---- */

static int add_machine(session *self, const char *name)
{
    char *path = wfa_path_join(self->with->machines, name);
    wfa_error why;
    int done =
        path ? wfa_machine_add(self->engine, path, &why) : wfa_fail(&why, "out of memory");

    free(path);
    if (done == 0)
        return END_FINE;
    wfa_complain("%s", why.message);
    return END_STORE;
}

static int make_engine(session *self)
{
    char owner[WFA_OWNER_SIZE];
    wfsm_engine_options options = {.size = sizeof options, .owner = owner};

    wfa_owner_name(owner);
    if (wfsm_engine_new(&self->engine, self->store, &options, self->error) != WFSM_OK ||
        wfsm_engine_observe(self->engine, show_commit, &self->shown, self->error) != WFSM_OK)
        return complain_wfsm("the engine", self->error);
    return END_FINE;
}

static int make_pool(session *self)
{
    wfa_error why;

    if (agent_pool_new(&self->pool, self->engine, self->with->pool, self->with->machines,
                       &why) != 0)
        return complain_hostkit(&why);
    return END_FINE;
}

/* What an HTTP agent does meanwhile. */
static void tell(void *user, const char *instance, const char *line)
{
    session *self = user;

    wfa_progress_line(&self->progress, wfa_now(), instance, WFA_QUIET, "    %s", line);
}

static int add_crew(session *self)
{
    const settings *with = self->with;
    wfa_error why;

    self->crew = (wfa_crew){.children = self->children,
                            .runs = with->logs,
                            .folder = with->project,
                            .store = self->store,
                            .tell = tell,
                            .user = self};
    if (wfa_crew_add(&self->crew, with->crew, with->crew_count, self->engine, &why) != 0)
        return complain_hostkit(&why);
    return END_FINE;
}

/* The model that the router may ask; NULL without one. */
static wfa_http_agent *router_model(const session *self)
{
    size_t index;

    for (index = 0; index < self->with->crew_count; index++)
        if (strcmp(self->with->crew[index].name, ROUTER_MODEL) == 0)
            return self->crew.http_agents[index];
    return NULL;
}

/* Who decides where no program was configured to. */
static int add_rules(session *self)
{
    wfa_http_agent *model = router_model(self);
    wfsm_agent callbacks;
    int32_t status = WFSM_OK;

    if (model)
        wfa_http_agent_callbacks(model, &callbacks);
    if (!settings_agent(self->with, "router"))
        status =
            router_add(&self->router, model ? &callbacks : NULL, self->engine, self->error);
    if (status == WFSM_OK && !settings_agent(self->with, "task_analyzer"))
        status = router_add_analyzer(self->engine, self->error);
    return status == WFSM_OK ? END_FINE : complain_wfsm("who decides", self->error);
}

static int open_folders(session *self)
{
    wfa_error why;

    self->error = wfsm_error_new(NULL);
    self->children = wfa_children_new();
    if (!self->error || !self->children) {
        wfa_complain("out of memory");
        return END_STORE;
    }
    if (wfa_folder_make(self->with->logs, &why) != 0)
        return complain_hostkit(&why);
    return END_FINE;
}

int session_open(session *self, const settings *with, int verbose)
{
    int code;

    memset(self, 0, sizeof *self);
    self->with = with;
    wfa_progress_begin(&self->progress, stdout, wfa_now());
    self->shown = (show){.progress = &self->progress, .verbose = verbose};
    code = open_folders(self);
    if (code == END_FINE &&
        wfa_store_open(&self->store, with->store, WFA_STORE_MAKE, self->error) != WFSM_OK)
        code = complain_wfsm(with->store, self->error);
    if (code == END_FINE)
        code = make_engine(self);
    if (code == END_FINE)
        code = add_machine(self, "aigentflow.json");
    if (code == END_FINE)
        code = add_machine(self, "feature.json");
    if (code == END_FINE)
        code = make_pool(self);
    if (code == END_FINE)
        code = add_crew(self);
    if (code == END_FINE)
        code = add_rules(self);
    return code;
}

/* ---- beginning and taking over ---- */

/* What lines of features are called by. */
static void know_features(session *self)
{
    task read;

    if (task_read(&read, self->store, self->with, self->id) == END_FINE)
        self->epic = json_incref(json_object_get(read.stored.context, "epicContext"));
    task_clear(&read);
    self->shown.root = self->id;
    self->shown.features = json_object_get(self->epic, "features");
}

int session_start(session *self, const char *id, const char *input, int32_t *status)
{
    *status = wfsm_engine_start(self->engine, "aigentflow", id, input, strlen(input), wfa_now(),
                                self->error);
    self->id = id;
    if (*status == WFSM_OK || *status == WFSM_EXISTS)
        return END_FINE;
    (void)complain_wfsm(*id ? id : "--id", self->error);
    return *status == WFSM_INVALID || *status == WFSM_SEMANTIC ? END_USAGE : END_STORE;
}

static int complain_owned(const session *self)
{
    char text[WFA_OWNER_SIZE + 16];

    wfa_owner_of(self->store, self->id, text);
    wfa_complain("%s: %s is at work on it", self->id, text);
    return END_STORE;
}

int session_adopt(session *self, const char *id)
{
    int32_t status;

    self->id = id;
    wfa_owner_bury(self->store, id);
    status = wfsm_engine_adopt(self->engine, id, wfa_now(), self->error);
    if (status == WFSM_DENIED)
        return complain_owned(self);
    return status == WFSM_OK ? END_FINE : complain_wfsm(id, self->error);
}

int session_send(session *self, const char *id, const char *event, const char *event_id,
                 const char *data, int32_t *outcome)
{
    if (wfsm_engine_send(self->engine, id, event, event_id, data, data ? strlen(data) : 0,
                         wfa_now(), outcome, self->error) == WFSM_OK)
        return END_FINE;
    return complain_wfsm(id, self->error);
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
    return session_send(self, self->id, "ABORT", NULL, NULL, &outcome);
}

/* A run that was killed before it had begun, too. */
static int begin_if_idle(session *self, const wfsm_instance *instance)
{
    int32_t outcome;

    if (!wfsm_instance_in(instance, "IDLE"))
        return END_FINE;
    return session_send(self, self->id, "START", "start", NULL, &outcome);
}

/* So that there is something to restore: one checkpoint before each agent. */
static int keep_checkpoint(session *self, const wfsm_instance *instance)
{
    int32_t outcome;

    int works = wfsm_instance_in(instance, "AGENT_WORKING");

    if (!works || self->kept) {
        self->kept = works;
        return END_FINE;
    }
    if (wfsm_engine_checkpoint(self->engine, self->id, "latest", NULL, 0, wfa_now(), &outcome,
                               self->error) != WFSM_OK)
        return complain_wfsm(self->id, self->error);
    self->kept = 1;
    return END_FINE;
}

static int is_over(const wfsm_instance *instance)
{
    return wfsm_instance_has_tag(instance, "terminal") ||
           wfsm_instance_has_tag(instance, "error") ||
           wfsm_instance_status(instance) != WFSM_RUNNING;
}

/* Nobody is at work, and nobody will be without a person. */
static int is_paused(const session *self)
{
    return wfsm_engine_working(self->engine) == 0 && wfsm_engine_waiting(self->engine) == 0 &&
           wfsm_engine_deadline(self->engine) > wfa_now();
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
    int code;

    if (wfsm_engine_run(self->engine, wfa_now(), self->error) != WFSM_OK)
        return complain_wfsm(self->with->store, self->error);
    instance = wfsm_engine_instance(self->engine, self->id);
    if (!instance)
        return complain_owned(self);
    code = begin_if_idle(self, instance);
    if (code == END_FINE)
        code = keep_checkpoint(self, instance);
    *over = is_over(instance) || is_paused(self);
    if (!*over)
        live_show(&self->progress, self->pool);
    else
        wfa_progress_end(&self->progress); /* before anything else is said */
    return code;
}

static int show_how_it_stands(session *self)
{
    task ended;
    task_list features;
    int code = task_read(&ended, self->store, self->with, self->id);

    if (code == END_FINE) {
        code = tasks_read(&features, self->store, self->with, 1, task_is_feature);
        if (code == END_FINE)
            code = show_end(&ended, &features);
        tasks_clear(&features);
    }
    task_clear(&ended);
    return code;
}

int session_drive(session *self)
{
    int over = 0, code;

    wfa_signals_watch();
    know_features(self);
    code = abort_if_asked(self);
    while (code == END_FINE && !over) {
        code = drive_once(self, &over);
        if (code == END_FINE && !over) {
            wait_a_little(self);
            code = abort_if_asked(self);
        }
    }
    if (code != END_FINE)
        return code;
    wfa_wait_ended(self->children);
    return show_how_it_stands(self);
}

void session_close(session *self)
{
    wfa_progress_end(&self->progress);
    agent_pool_free(self->pool);
    wfsm_engine_free(self->engine);
    wfa_crew_end(&self->crew);
    wfa_children_free(self->children);
    wfsm_store_free(self->store);
    wfsm_error_free(self->error);
    json_decref(self->epic);
    memset(self, 0, sizeof *self);
}

int drive_stored(const settings *with, const arguments *given, const char *id)
{
    session self;
    int code = session_open(&self, with, given->verbose);

    if (code == END_FINE)
        code = session_adopt(&self, id);
    if (code == END_FINE)
        code = session_drive(&self);
    session_close(&self);
    return code;
}
