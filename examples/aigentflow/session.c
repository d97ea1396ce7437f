#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wfsm/agents.h>
#include "shared/context.h"
#include "shared/files.h"
#include "shared/machine_file.h"
#include "shared/signals.h"
#include "shared/wait.h"
#include "forked.h"
#include "judged.h"
#include "landing.h"
#include "show_task.h"
#include "summary.h"
#include "live.h"
#include "shared/progress_line.h"
#include "shared/owner.h"
#include "wfsm/address.h"
#include "wfsm/shown.h"

/* How often posts of other processes are read, in ms. */
enum { LONGEST_WAIT = 300, LONGEST_AT_TERMINAL = 200 };

/* ---- opening ---- */

static int add_machine(session *self, const char *name)
{
    char *path = host_path_join(self->with->machines, name);
    host_error why;
    int done =
        path ? host_machine_add(self->engine, path, &why) : host_fail(&why, "out of memory");

    free(path);
    if (done == 0)
        return END_FINE;
    print_error("%s", why.message);
    return END_STORE;
}

static int32_t see_commit(void *user, wfsm_call *call)
{
    session *self = user;
    host_error why;

    if (judged_commit(self->with, &self->place, self->engine, call, &why) != 0)
        wfsm_progress_note(self->progress, wfsm_call_instance(call), why.message);
    depend_commit(&self->waits, call);
    return show_commit(&self->shown, call);
}

static int make_engine(session *self)
{
    char owner[WFSM_OWNER_SIZE];
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = wfsm_session_name(owner),
                                   .now = wfsm_agents_now(),
                                   .clock = wfsm_agents_clock};

    if (wfsm_engine_new(&self->engine, self->store, &options, self->error) != WFSM_OK ||
        wfsm_engine_observe(self->engine, see_commit, self, self->error) != WFSM_OK ||
        wfsm_engine_on_diagnostic(self->engine, wfsm_progress_diagnostic, self->progress,
                                  self->error) != WFSM_OK)
        return library_failed("the engine", self->error);
    self->shown.engine = self->engine;
    return END_FINE;
}

static int make_pool(session *self)
{
    host_error why;

    if (agent_pool_new(&self->pool, self->engine, self->with->pool, self->with->machines,
                       &why) != 0)
        return host_failed(&why);
    return END_FINE;
}

static int add_agents(session *self)
{
    const settings *with = self->with;
    wfsm_agents_options options = {.size = sizeof options,
                                   .runs = with->logs,
                                   .folder = workspace_folder(&self->place, with),
                                   .store = self->store,
                                   .tell = wfsm_progress_note,
                                   .user = self->progress};

    if (wfsm_agents_register(with->agents, self->engine, &options, self->error) == WFSM_OK)
        return END_FINE;
    print_error("%s", wfsm_error_message(self->error));
    return END_USAGE;
}

/* Adds the built-in analyzer and router where no program is configured. */
static int add_rules(session *self)
{
    const settings *with = self->with;
    int has_model = settings_has_agent(with, ROUTER_MODEL);
    wfsm_agent model = {.size = sizeof model};
    int32_t status = WFSM_OK;

    if (has_model)
        status = wfsm_agents_callbacks(with->agents, ROUTER_MODEL, &model, self->error);
    if (status == WFSM_OK && !settings_has_agent(with, "router"))
        status =
            router_add(&self->router, has_model ? &model : NULL, self->engine, self->error);
    if (status == WFSM_OK && !settings_has_agent(with, "task_analyzer"))
        status = router_add_analyzer(self->engine, self->error);
    return status == WFSM_OK ? END_FINE : library_failed("who decides", self->error);
}

static int open_folders(session *self)
{
    host_error why;

    self->error = wfsm_error_new(NULL);
    if (!self->error) {
        print_error("out of memory");
        return END_STORE;
    }
    if (host_folder_make(self->with->logs, &why) != 0)
        return host_failed(&why);
    return END_FINE;
}

/* With --json the output is for a program: what happens is told beside it. */
static void to_stderr(void *user, const char *bytes, size_t length)
{
    ssize_t written = 1;

    (void)user;
    while (length > 0 && written > 0) {
        written = write(STDERR_FILENO, bytes, length);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
}

int session_open(session *self, const settings *with, const arguments *given)
{
    wfsm_progress_options begun = {.size = sizeof begun};
    int code;

    memset(self, 0, sizeof *self);
    self->with = with;
    self->given = given;
    workspace_begin(&self->place);
    begun.now = wfsm_agents_now();
    if (given->json) {
        begun.descriptor = STDERR_FILENO;
        begun.write = to_stderr;
    }
    (void)wfsm_progress_new(&self->progress, &begun, NULL);
    self->shown = (show){.progress = self->progress, .verbose = given->verbose};
    code = open_folders(self);
    if (code == END_FINE &&
        address_open(&self->store, with->store, ADDRESS_MAKE, self->error) != WFSM_OK)
        code = library_failed("the store", self->error);
    if (code == END_FINE)
        code = make_engine(self);
    if (code == END_FINE)
        code = add_machine(self, "aigentflow.json");
    return code == END_FINE ? make_pool(self) : code;
}

/* ---- its workspace ---- */

static int add_workers(session *self)
{
    int code = add_agents(self);

    return code == END_FINE ? add_rules(self) : code;
}

int session_patch(session *self, json_t *changes)
{
    int32_t status = host_context_patch(self->engine, self->id, changes, self->error);

    return status == WFSM_OK ? END_FINE : library_failed(self->id, self->error);
}

int session_tell_notes(session *self)
{
    json_t *context, *metadata;

    if (!self->place.notes)
        return END_FINE;
    context = host_context(self->engine, self->id);
    metadata = workspace_metadata(&self->place, context);
    json_decref(context);
    return metadata ? session_patch(self, json_pack("{s:o}", "metadata", metadata)) : END_FINE;
}

static int refuse_reviews(session *self)
{
    json_t *list = judged_refused(&self->place);
    int32_t outcome, status = WFSM_OK;

    for (size_t i = 0; i < json_array_size(list) && status == WFSM_OK; i++)
        status = wfsm_engine_result(self->engine, json_string_value(json_array_get(list, i)),
                                    JUDGED_REFUSAL, sizeof JUDGED_REFUSAL - 1,
                                    wfsm_agents_now(), &outcome, self->error);
    json_decref(list);
    return status == WFSM_OK ? END_FINE : library_failed(self->id, self->error);
}

/* The task is told first: one that is killed in between continues there. */
static int give_workspace(session *self)
{
    int code = workspace_plan(&self->place, self->with, self->store, self->id);

    if (code == END_FINE)
        code = session_tell_notes(self);
    if (code == END_FINE)
        code = workspace_make(&self->place, self->id);
    return code == END_FINE ? add_workers(self) : code;
}

static int find_workspace(session *self)
{
    int code = workspace_find(&self->place, self->with, self->store, self->id);

    return code == END_FINE && self->place.place ? add_workers(self) : code;
}

/* ---- beginning and taking over ---- */

static int know_waiting(session *self, const json_t *invocations)
{
    task_list features;
    int code;

    if (!depend_begin(&self->waits, self->epic))
        return END_FINE;
    code = tasks_of(&features, self->store, self->with, self->id);
    if (code == END_FINE)
        depend_know(&self->waits, &features, invocations);
    tasks_clear(&features);
    return code;
}

static int begin_features(session *self, const json_t *context)
{
    if (kept_begin(&self->finished, self->store, self->id, context, self->error) != WFSM_OK)
        return library_failed(self->id, self->error);
    return self->finished.waits ? END_FINE : add_machine(self, "feature.json");
}

static int settle_fork(session *self, const json_t *context)
{
    json_t *patch = forked_patch(context, self->with, self->id), *metadata;

    if (!patch)
        return END_FINE;
    metadata = workspace_metadata(&self->place, context);
    if (metadata)
        json_object_set_new(patch, "metadata", metadata);
    return session_patch(self, patch);
}

/* A fork is a task of its own. */
static int read_task(session *self, task *read)
{
    int code = task_read(read, self->store, self->with, self->id);

    if (code == END_FINE)
        code = settle_fork(self, read->stored.context);
    task_clear(read);
    return code == END_FINE ? task_read(read, self->store, self->with, self->id) : code;
}

/* The names in the lines of features, and which wait for others. */
static int know_features(session *self)
{
    task read;
    int code = read_task(self, &read);

    if (code == END_FINE) {
        self->epic = json_incref(json_object_get(read.stored.context, "epicContext"));
        code = begin_features(self, read.stored.context);
    }
    self->shown.root = self->id;
    self->shown.features = json_object_get(self->epic, "features");
    if (code == END_FINE)
        code = know_waiting(self, read.stored.invocations);
    task_clear(&read);
    return code;
}

static void tell_kept(const session *self, const json_t *names)
{
    char line[300];
    const json_t *name;
    size_t index;

    json_array_foreach(names, index, name)
    {
        (void)snprintf(line, sizeof line, "%.200s was finished before, and is kept",
                       json_string_value(name));
        wfsm_progress_note(self->progress, self->id, line);
    }
}

static int keep_features(session *self)
{
    json_t *names = NULL;
    int32_t status;

    if (!self->finished.waits)
        return END_FINE;
    status =
        kept_give(&self->finished, self->engine, self->store, self->id, &names, self->error);
    tell_kept(self, names);
    depend_kept(&self->waits, names);
    json_decref(names);
    if (status != WFSM_OK)
        return library_failed(self->id, self->error);
    return self->finished.waits ? END_FINE : add_machine(self, "feature.json");
}

int session_start(session *self, const char *id, const char *input, int32_t *status)
{
    *status = wfsm_engine_start(self->engine, "aigentflow", id, input, strlen(input),
                                wfsm_agents_now(), self->error);
    self->id = id;
    if (*status == WFSM_OK)
        return give_workspace(self);
    if (*status == WFSM_EXISTS)
        return END_FINE;
    (void)library_failed(*id ? id : "--id", self->error);
    return *status == WFSM_INVALID || *status == WFSM_SEMANTIC ? END_USAGE : END_STORE;
}

static int owned_elsewhere(const session *self)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    host_owner_of(self->store, self->id, text);
    print_error("%s: %s is at work on it", self->id, text);
    return END_STORE;
}

static int adopt(session *self)
{
    int32_t status;

    (void)wfsm_owner_release(self->store, self->id, NULL);
    status = wfsm_engine_adopt(self->engine, self->id, wfsm_agents_now(), self->error);
    if (status == WFSM_DENIED)
        return owned_elsewhere(self);
    return status == WFSM_OK ? END_FINE : library_failed(self->id, self->error);
}

int session_adopt(session *self, const char *id)
{
    int is_first = !self->place.place, code = END_FINE;

    self->id = id;
    if (is_first)
        code = find_workspace(self);
    if (code == END_FINE)
        code = adopt(self);
    return code == END_FINE && !self->place.place ? give_workspace(self) : code;
}

int session_send(session *self, const char *id, const char *event, const char *event_id,
                 const char *data, int32_t *outcome)
{
    if (wfsm_engine_send(self->engine, id, event, event_id, data, data ? strlen(data) : 0,
                         wfsm_agents_now(), outcome, self->error) == WFSM_OK)
        return END_FINE;
    return library_failed(id, self->error);
}

/* ---- driving ---- */

/* Also continues a run that was killed before it had started, or that went back to there: then the event is
 * another one. */
static int begin_if_idle(session *self, const wfsm_instance *instance)
{
    char event[40];
    int32_t outcome;

    if (!wfsm_instance_in(instance, "IDLE"))
        return END_FINE;
    (void)snprintf(event, sizeof event, "start-%llu",
                   (unsigned long long)wfsm_instance_revision(instance));
    return session_send(self, self->id, "START", event, NULL, &outcome);
}

/* Makes one checkpoint before each agent, so that there is one to restore. */
static int keep_checkpoint(session *self, const wfsm_instance *instance)
{
    int32_t outcome;

    int works = wfsm_instance_in(instance, "AGENT_WORKING");

    if (!works || self->kept) {
        self->kept = works;
        return END_FINE;
    }
    if (wfsm_engine_checkpoint(self->engine, self->id, "latest", NULL, 0, wfsm_agents_now(),
                               &outcome, self->error) != WFSM_OK)
        return library_failed(self->id, self->error);
    self->kept = 1;
    return END_FINE;
}

static int is_over(const wfsm_instance *instance)
{
    return wfsm_instance_has_tag(instance, "terminal") ||
           wfsm_instance_has_tag(instance, "error") ||
           wfsm_instance_status(instance) != WFSM_RUNNING;
}

/* True if no agent is at work, and none will be until a person acts. */
static int is_paused(const session *self)
{
    return wfsm_engine_working(self->engine) == 0 && wfsm_engine_waiting(self->engine) == 0 &&
           wfsm_engine_deadline(self->engine) > wfsm_agents_now();
}

static void wait_a_little(session *self)
{
    host_wait(self->with->agents, self->engine,
              wfsm_progress_is_terminal(self->progress) ? LONGEST_AT_TERMINAL : LONGEST_WAIT);
}

static int land(session *self, int *over)
{
    int is_again = 0, code = END_FINE;

    if (wfsm_instance_in(wfsm_engine_instance(self->engine, self->id), "COMPLETED"))
        code = landing_bring(self, &is_again);
    *over = !is_again;
    return code;
}

/* One round. *over is 1 after the last one. */
static int drive_once(session *self, int *over)
{
    wfsm_instance *instance;
    int code;

    if (wfsm_engine_run(self->engine, wfsm_agents_now(), self->error) != WFSM_OK)
        return library_failed(self->with->store, self->error);
    if (depend_tell(&self->waits, self->engine, self->error) != WFSM_OK)
        return library_failed(self->id, self->error);
    instance = wfsm_engine_instance(self->engine, self->id);
    if (!instance)
        return owned_elsewhere(self);
    code = refuse_reviews(self);
    if (code == END_FINE)
        code = session_tell_notes(self);
    if (code == END_FINE)
        code = begin_if_idle(self, instance);
    if (code == END_FINE)
        code = keep_features(self);
    if (code == END_FINE)
        code = keep_checkpoint(self, instance);
    *over = is_over(instance) || is_paused(self);
    if (code == END_FINE && *over)
        code = land(self, over);
    if (!*over)
        live_show(self->progress, self->pool);
    else
        wfsm_progress_live(self->progress, NULL); /* before any other output */
    return code;
}

static int show_summed(session *self, const task *ended, const task_list *features)
{
    json_t *sum;
    int code, shown;

    if (self->given->json) {
        sum = summary_make(self->store, ended, features, self->error);
        return sum ? show_end_json(ended, features, sum)
                   : library_failed(ended->id, self->error);
    }
    code = show_end(ended, features);
    shown = summary_show(self->store, ended, features);
    return shown == END_FINE ? code : shown;
}

static int show_how_it_stands(session *self)
{
    task ended;
    task_list features;
    int code = task_read(&ended, self->store, self->with, self->id);

    if (code == END_FINE) {
        code = tasks_read(&features, self->store, self->with, 1, task_is_feature);
        if (code == END_FINE)
            code = show_summed(self, &ended, &features);
        tasks_clear(&features);
    }
    task_clear(&ended);
    return code;
}

/* The store keeps what is owed: who resumes the task starts the agents at work again. */
static int pause_task(session *self)
{
    wfsm_progress_live(self->progress, NULL);
    if (self->given->json)
        (void)show_json(json_pack("{s:s, s:b}", "id", self->id, "paused", 1));
    else
        shown_printf("%s: paused; `aigentflow resume %s` continues it\n", self->id, self->id);
    (void)fflush(stdout);
    return END_STOPPED;
}

int session_drive(session *self)
{
    int over = 0, code = know_features(self);

    while (code == END_FINE && !over && !host_signals_asked()) {
        code = drive_once(self, &over);
        if (code == END_FINE && !over)
            wait_a_little(self);
    }
    if (code != END_FINE)
        return code;
    if (!over)
        return pause_task(self);
    host_drain(self->with->agents);
    return show_how_it_stands(self);
}

void session_close(session *self)
{
    wfsm_progress_free(self->progress);
    agent_pool_free(self->pool);
    wfsm_engine_free(self->engine);
    host_end_agents(self->with->agents);
    wfsm_store_free(self->store);
    wfsm_error_free(self->error);
    depend_end(&self->waits);
    workspace_end(&self->place);
    json_decref(self->epic);
    memset(self, 0, sizeof *self);
}

int drive_stored(const settings *with, const arguments *given, const char *id)
{
    session self;
    int code = session_open(&self, with, given);

    if (code == END_FINE)
        code = session_adopt(&self, id);
    if (code == END_FINE)
        code = session_drive(&self);
    session_close(&self);
    return code;
}
