#include "show.h"
#include "shared/progress_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/shown.h"

typedef struct view {
    const show *how;
    const char *id; /* of a feature: TASK/FEATURE, which is clearer than its id */
    char name[HOST_STATE_SIZE];
    const char *machine;
    int64_t now;
    const json_t *record;
    const json_t *log; /* of the step: [{"label","value"}, …] */
} view;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* A feature works for an invocation TASK/REVISION/ORDINAL-…, and ordinals are in the order of the
 * epic. */
static void name_it(view *at)
{
    const char *root = at->how->root;
    size_t length = root ? strlen(root) : 0;
    const char *parent = wfsm_instance_parent(wfsm_engine_instance(at->how->engine, at->id));
    unsigned long long revision, ordinal = 0;
    const json_t *feature;

    if (!root || strncmp(parent, root, length) != 0 ||
        sscanf(parent + length, "/%llu/%llu", &revision, &ordinal) != 2 || ordinal < 1)
        return;
    feature = json_array_get(at->how->features, (size_t)ordinal - 1);
    if (!feature)
        return;
    (void)snprintf(at->name, sizeof at->name, "%.120s/%.120s", root,
                   text_of(feature, "featureId"));
    at->id = at->name;
}

static int is_feature(const view *at)
{
    return strcmp(at->machine, "feature") == 0;
}

static void say(const view *at, int32_t tone, const char *text)
{
    host_progress_line(at->how->progress, at->now, at->id, tone, "%s", text);
}

/* ---- a change of state ---- */

typedef struct message {
    const char *state;
    int32_t tone;
    const char *text;
} message;

static const message messages[] = {
    {"ANALYZING", WFSM_TONE_PLAIN, "Analyzing prompt..."},
    {"TESTING", WFSM_TONE_PLAIN, "Running tests..."},
    {"FIXING", WFSM_TONE_PLAIN, "Fixing bugs..."},
    {"COMPLETING", WFSM_TONE_PLAIN, "Completing..."},
    {"AWAITING_APPROVAL", WFSM_TONE_PLAIN,
     "Awaiting user approval. Run \"aigentflow approve\" to continue."},
    {"COMPLETED", WFSM_TONE_GOOD, "Workflow completed successfully!"},
};

/* The state ERROR logs why. The record need not have it, because it was known before. */
static void say_error(const view *at)
{
    const json_t *line;
    size_t index;

    json_array_foreach(at->log, index, line) if (strcmp(text_of(line, "label"), "error") == 0)
        host_progress_line(at->how->progress, at->now, at->id, WFSM_TONE_BAD,
                           "Workflow error: %.600s",
                           text_of(json_object_get(line, "value"), "message"));
}

static void say_message(const view *at, const char *state)
{
    size_t index;

    for (index = 0; index < sizeof messages / sizeof *messages; index++)
        if (strcmp(state, messages[index].state) == 0)
            say(at, messages[index].tone, messages[index].text);
    if (strcmp(state, "ERROR") == 0)
        say_error(at);
}

static int32_t tone_of(const char *state)
{
    static const char *const good[] = {"TESTS_PASS", "COMPLETED", "APPROVED", "completed", ""};
    static const char *const bad[] = {"TESTS_FAIL", "ESCALATED", "ERROR",
                                      "ABORTED",    "REJECTED",  "escalated",
                                      "aborted",    "fixing",    ""};
    size_t index;

    for (index = 0; *good[index]; index++)
        if (strcmp(good[index], state) == 0)
            return WFSM_TONE_GOOD;
    for (index = 0; *bad[index]; index++)
        if (strcmp(bad[index], state) == 0)
            return WFSM_TONE_BAD;
    return WFSM_TONE_PLAIN;
}

static const char *event_of(const view *at)
{
    const json_t *first = json_array_get(json_object_get(at->record, "transitions"), 0);
    const json_t *input = json_object_get(at->record, "input");
    const char *taken = text_of(first, "event");

    if (*taken)
        return taken;
    return *text_of(input, "event") ? text_of(input, "event") : text_of(input, "kind");
}

static void say_debug(const view *at, const char *from, const char *to)
{
    host_progress_line(at->how->progress, at->now, at->id, WFSM_TONE_QUIET,
                       "Transition: %s -> %s (%s)", from, to, event_of(at));
    host_progress_line(at->how->progress, at->now, at->id, WFSM_TONE_QUIET,
                       "State transition: %s -> %s", from, to);
}

static void state_of(const view *at, const char *key, char state[HOST_STATE_SIZE])
{
    const json_t *paths = json_object_get(at->record, key);
    const char *path = json_string_value(json_array_get(paths, 0));

    task_state(path ? path : "", state);
}

static void show_transition(const view *at)
{
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE], note[HOST_STATE_SIZE];

    state_of(at, "from", from);
    state_of(at, "configuration", to);
    if (!*to || strcmp(from, to) == 0)
        return;
    (void)snprintf(note, sizeof note, "[%.200s]", event_of(at));
    if (at->how->verbose && *from)
        say_debug(at, from, to);
    else
        wfsm_progress_transition(at->how->progress, at->now,
                                 &(wfsm_progress_change){.size = sizeof(wfsm_progress_change),
                                                         .instance = at->id,
                                                         .from = *from ? from : NULL,
                                                         .to = to,
                                                         .note = is_feature(at) ? NULL : note,
                                                         .tone = tone_of(to)});
    if (!is_feature(at))
        say_message(at, to);
    else if (strcmp(to, "asking") == 0)
        say(at, WFSM_TONE_PLAIN,
            "Awaiting a person. \"aigentflow status\" shows the question.");
}

/* ---- agents ---- */

static void show_work(const view *at)
{
    const json_t *made = json_object_get(at->record, "invocations"), *one;
    const char *kind = text_of(json_object_get(at->record, "input"), "kind");
    char again[64];
    size_t index;

    json_array_foreach(made, index, one)
    {
        double attempt = json_number_value(json_object_get(one, "attempt"));
        const char *agent = text_of(one, "agent");
        if (strcmp(text_of(one, "status"), "running") != 0 ||
            strncmp(agent, "machine:", 8) == 0)
            continue;
        again[0] = '\0';
        if (attempt > 1)
            (void)snprintf(again, sizeof again, ", attempt %.0f", attempt);
        host_progress_line(at->how->progress, at->now, at->id, WFSM_TONE_QUIET,
                           "    %s is %sat work%s", agent,
                           strcmp(kind, "probe") == 0 ? "still " : "", again);
    }
}

static void show_failure(const view *at)
{
    const json_t *input = json_object_get(at->record, "input");

    if (strcmp(text_of(input, "kind"), "failure") == 0)
        host_progress_line(
            at->how->progress, at->now, at->id, WFSM_TONE_BAD, "    failed (%s)%s: %.400s",
            text_of(input, "class"),
            strcmp(text_of(at->record, "outcome"), "retry") == 0 ? ", tries again" : "",
            text_of(input, "message"));
}

/* The router's answer. The record says of the context only what differs from the last route. */
static void show_route(const view *at)
{
    const json_t *route = json_object_get(json_object_get(at->record, "input"), "output");
    const char *next = text_of(route, "next");

    if (json_object_get(route, "next") && json_object_get(route, "reason"))
        host_progress_line(at->how->progress, at->now, at->id, WFSM_TONE_QUIET,
                           json_is_true(json_object_get(route, "skip"))
                               ? "    %s skips the queue to %s: %.400s"
                               : "    %s: %s: %.400s",
                           *text_of(route, "by") ? text_of(route, "by") : "router",
                           *next ? next : "nobody more", text_of(route, "reason"));
}

int32_t show_commit(void *user, wfsm_call *call)
{
    size_t length, logged;
    const char *text = wfsm_call_record(call, &length), *log = wfsm_call_log(call, &logged);
    json_t *record = text ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *lines = log ? json_loadb(log, logged, 0, NULL) : NULL;
    view at = {.how = user,
               .id = wfsm_call_instance(call),
               .machine = wfsm_call_name(call),
               .now = wfsm_call_now(call),
               .record = record,
               .log = lines};

    if (record) {
        name_it(&at);
        show_failure(&at);
        show_route(&at);
        show_transition(&at);
        show_work(&at);
    }
    json_decref(lines);
    json_decref(record);
    return WFSM_OK;
}
