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

/* ---- a task ---- */

enum { ERROR_SIZE = 700, DUMP = JSON_COMPACT | JSON_ENCODE_ANY };

static json_t *error_of(const task *shown)
{
    return json_object_get(shown->stored.context, "error");
}

/* The error, and the agent's own words about it. Empty without an error. */
static const char *describe_error(const task *shown, char text[ERROR_SIZE])
{
    const char *what = text_of(error_of(shown), "message");
    const json_t *output = json_object_get(error_of(shown), "output");
    char *dump = output && !json_is_string(output) && !json_is_null(output)
                     ? json_dumps(output, JSON_COMPACT | JSON_ENCODE_ANY)
                     : NULL;
    const char *said = dump ? dump : json_string_value(output);

    (void)snprintf(text, ERROR_SIZE, "%.200s%s%.400s", what, *what && said && *said ? ": " : "",
                   said ? said : "");
    free(dump);
    return text;
}

/* What the decision is about, in the words of the agent. */
static void show_said(const json_t *output)
{
    char *dump = output && !json_is_string(output) && !json_is_null(output)
                     ? json_dumps(output, JSON_COMPACT | JSON_ENCODE_ANY)
                     : NULL;
    const char *said = dump ? dump : json_string_value(output);

    if (said && *said)
        shown_printf("  %-10s %.2000s\n", "said", said);
    free(dump);
}

void show_question(const task *shown)
{
    const json_t *question = json_object_get(shown->stored.context, "question");
    size_t index;
    json_t *design;

    if (!json_is_object(question))
        return;
    shown_printf("  %-10s %s\n", "asked", text_of(question, "why"));
    if (json_array_size(json_object_get(question, "designs")) == 0)
        show_said(json_object_get(question, "output"));
    json_array_foreach(json_object_get(question, "designs"), index, design)
    {
        char *text = json_dumps(design, JSON_COMPACT | JSON_ENCODE_ANY);
        shown_printf("  design %-3zu %.200s\n", index + 1, text ? text : "");
        free(text);
    }
}

static void show_names(const char *what, const json_t *list)
{
    size_t index;
    json_t *name;

    if (json_array_size(list) == 0)
        return;
    shown_printf("  %-10s", what);
    json_array_foreach(list, index, name) shown_printf(" %s", json_string_value(name));
    shown_printf("\n");
}

static int belongs(const task *feature, const task *to)
{
    return task_is_feature(feature) && strcmp(feature->root, to->id) == 0;
}

static const char *state_beside(const task *one, const task_list *features, const char *name)
{
    size_t index;

    for (index = 0; index < features->count; index++) {
        const task *other = &features->all[index];
        if (strcmp(other->root, one->root) == 0 && strcmp(task_feature(other), name) == 0)
            return other->state;
    }
    return "not begun";
}

/* The features that it waits for, and how they stand: what a person has to know. */
static void describe_waiting(const task *one, const task_list *features, char text[ERROR_SIZE])
{
    const json_t *name;
    size_t index, length;

    (void)snprintf(text, ERROR_SIZE, "waits for");
    json_array_foreach(json_object_get(one->stored.context, "dependsOn"), index, name)
    {
        const char *state = state_beside(one, features, json_string_value(name));
        length = strlen(text);
        if (strcmp(state, "completed") != 0)
            (void)snprintf(text + length, ERROR_SIZE - length, "%s %s (%s)",
                           length > 9 ? "," : "", json_string_value(name), state);
    }
}

/* What an agent of a feature asks. */
static void describe_question(const task *one, char text[ERROR_SIZE])
{
    const json_t *question = json_object_get(one->stored.context, "question");
    const json_t *output = json_object_get(question, "output");
    char *dump = json_is_string(output) || !output ? NULL : json_dumps(output, DUMP);

    (void)snprintf(text, ERROR_SIZE, "%.60s: %.200s: %.400s", text_of(question, "agent"),
                   text_of(question, "why"), dump ? dump : text_of(question, "output"));
    free(dump);
}

/* The text that is shown beside the state of a feature. */
static const char *describe(const task *one, const task_list *features, char text[ERROR_SIZE])
{
    if (strcmp(one->state, "waiting") == 0)
        describe_waiting(one, features, text);
    else if (task_asks(one))
        describe_question(one, text);
    else
        (void)describe_error(one, text);
    return text;
}

static void show_features(const task *shown, const task_list *features)
{
    char error[ERROR_SIZE];
    size_t index;

    for (index = 0; features && index < features->count; index++) {
        const task *one = &features->all[index];
        if (belongs(one, shown))
            shown_printf("  feature    %-16s %-11s %s\n", task_feature(one), one->state,
                         describe(one, features, error));
    }
}

void show_task(const task *shown, const task_list *features)
{
    const json_t *context = shown->stored.context;
    const char *prompt = host_stored_text(&shown->stored, "prompt");
    char error[ERROR_SIZE];

    shown_printf("%s: %s\n", shown->id, shown->state);
    shown_printf("  %-10s %.*s\n", "prompt", (int)strcspn(prompt, "\r\n"), prompt);
    show_names("done", json_object_get(context, "completedAgents"));
    show_names("queue", json_object_get(context, "agentQueue"));
    if (*describe_error(shown, error))
        shown_printf("  %-10s %s\n", "error", error);
    show_question(shown);
    show_features(shown, features);
}

/* ---- the end of a run ---- */

static void say_paused(const char *state)
{
    shown_printf("Paused at %s. Waiting for user input.\n", state);
}

static int is(const task *one, const char *state)
{
    return strcmp(one->state, state) == 0;
}

static const char *approval_of(const task *one)
{
    if (json_array_size(json_object_get(one->stored.context, "designs")) > 0)
        return " --design N";
    return task_asks_input(one) ? " --answer TEXT" : "";
}

void show_commands(const task *one)
{
    char named[2 * HOST_STATE_SIZE];

    (void)snprintf(named, sizeof named, "%s%s%s", one->root,
                   task_is_feature(one) ? " --feature " : "",
                   task_is_feature(one) ? task_feature(one) : "");
    if (!task_asks(one)) {
        shown_printf("  aigentflow resume %s\n", named);
        return;
    }
    shown_printf("  aigentflow %s %s%s\n", task_asks_input(one) ? "answer" : "approve", named,
                 approval_of(one));
    shown_printf("  aigentflow reject %s --reason TEXT\n", named);
}

static void show_one_waiting(const task *one, const task_list *features)
{
    char text[ERROR_SIZE];

    say_paused(is(one, "escalated") ? "ESCALATED" : one->state);
    shown_printf("  feature %s: %s\n", task_feature(one), describe(one, features, text));
    show_commands(one);
}

typedef struct waiting {
    size_t all, asking, escalated;
} waiting;

/* An epic waits for the features that wait. */
static waiting show_waiting(const task *ended, const task_list *features)
{
    waiting found = {0, 0, 0};
    size_t index;

    for (index = 0; index < features->count; index++) {
        const task *one = &features->all[index];
        if (!belongs(one, ended) || !(task_awaits(one) || is(one, "waiting")))
            continue;
        show_one_waiting(one, features);
        found.all++;
        found.asking += task_asks(one) != 0;
        found.escalated += is(one, "escalated") != 0;
    }
    return found;
}

static int code_of(const task *ended, const waiting *found)
{
    if (task_is_left(ended))
        return END_OTHER;
    if (is(ended, "COMPLETED"))
        return END_FINE;
    if (is(ended, "AWAITING_APPROVAL"))
        return END_WAITS;
    if (is(ended, "ABORTED"))
        return END_ABORTED;
    /* As if the task itself asked, if its features only ask. */
    return found->asking > 0 && found->escalated == 0 ? END_WAITS : END_OTHER;
}

int show_end(const task *ended, const task_list *features)
{
    waiting found = {0, 0, 0};

    show_task(ended, features);
    if (is(ended, "AWAITING_APPROVAL") || is(ended, "ESCALATED")) {
        say_paused(ended->state);
        show_commands(ended);
    } else if (!ended->stored.over && !ended->stored.failed)
        found = show_waiting(ended, features);
    if (found.all == 0 && !ended->stored.over && !ended->stored.failed &&
        !is(ended, "AWAITING_APPROVAL"))
        shown_printf("Stopped at %s: nothing continues by itself.\n", ended->state);
    return code_of(ended, &found);
}

/* ---- for programs ---- */

int show_json(json_t *value)
{
    char *text = value ? json_dumps(value, JSON_INDENT(2)) : NULL;

    if (text)
        shown_puts(text);
    free(text);
    json_decref(value);
    return text ? END_FINE : END_STORE;
}

static json_t *feature_json(const task *one)
{
    const json_t *context = one->stored.context;

    return json_pack("{s:s, s:s, s:s, s:b, s:O?, s:O?, s:O?}", "featureId", task_feature(one),
                     "id", one->id, "state", one->state, "isAwaitingInput",
                     one->stored.awaiting, "question", json_object_get(context, "question"),
                     "error", json_object_get(context, "error"), "dependsOn",
                     json_object_get(context, "dependsOn"));
}

json_t *show_features_json(const task *shown, const task_list *features)
{
    json_t *list = json_array();
    size_t index;

    for (index = 0; index < features->count; index++)
        if (belongs(&features->all[index], shown))
            json_array_append_new(list, feature_json(&features->all[index]));
    return list;
}

static waiting count_waiting(const task *ended, const task_list *features)
{
    waiting found = {0, 0, 0};
    size_t index;

    for (index = 0; index < features->count; index++) {
        const task *one = &features->all[index];
        found.asking += belongs(one, ended) && task_asks(one);
        found.escalated += belongs(one, ended) && is(one, "escalated");
    }
    return found;
}

int show_no_task(const arguments *given, json_t *none)
{
    if (given->json)
        return show_json(none);
    json_decref(none);
    shown_puts("no task yet");
    return END_FINE;
}

int show_end_json(const task *ended, const task_list *features, json_t *sum)
{
    const waiting found = count_waiting(ended, features);
    const json_t *context = ended->stored.context;

    json_t *made = json_pack("{s:s, s:s, s:O?, s:O?, s:O?, s:o}", "id", ended->id, "state",
                             ended->state, "question", json_object_get(context, "question"),
                             "error", json_object_get(context, "error"), "completedAgents",
                             json_object_get(context, "completedAgents"), "features",
                             show_features_json(ended, features));

    if (made)
        json_object_update(made, sum);
    json_decref(sum);
    if (show_json(made) != END_FINE)
        return END_STORE;
    return code_of(ended, &found);
}
