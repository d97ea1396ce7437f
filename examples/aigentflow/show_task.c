#include "show_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wfsm/record.h"
#include "wfsm/shown.h"

/* ---- a task ---- */

enum { ERROR_SIZE = 700 };

static json_t *error_of(const task *shown)
{
    return json_object_get(shown->stored.context, "error");
}

/* What an agent has answered: malloc'ed, a text as it is, anything else as JSON. NULL: nothing. */
static char *words_of(const json_t *output)
{
    if (!output || json_is_null(output))
        return NULL;
    return json_is_string(output) ? strdup(json_string_value(output))
                                  : json_dumps(output, JSON_COMPACT | JSON_ENCODE_ANY);
}

/* The error, and the agent's own words about it. Empty without an error. */
static const char *describe_error(const task *shown, char text[ERROR_SIZE])
{
    const char *what = record_string(error_of(shown), "message");
    char *said = words_of(json_object_get(error_of(shown), "output"));

    (void)snprintf(text, ERROR_SIZE, "%.200s%s%.400s", what, *what && said && *said ? ": " : "",
                   said ? said : "");
    free(said);
    return text;
}

/* What the decision is about, in the words of the agent. */
static void show_said(const json_t *output)
{
    char *said = words_of(output);

    if (said && *said)
        shown_printf("  %-10s %.2000s\n", "said", said);
    free(said);
}

void show_question(const task *shown)
{
    const json_t *question = json_object_get(shown->stored.context, "question");
    size_t index;
    json_t *design;

    if (!json_is_object(question))
        return;
    shown_printf("  %-10s %s\n", "asked", record_string(question, "why"));
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
    char *said = words_of(json_object_get(question, "output"));

    (void)snprintf(text, ERROR_SIZE, "%.60s: %.200s: %.400s", record_string(question, "agent"),
                   record_string(question, "why"), said ? said : "");
    free(said);
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

/* Shows the features that an epic waits for, and returns how many these are. */
static size_t show_waiting(const task *ended, const task_list *features)
{
    size_t index, count = 0;

    for (index = 0; index < features->count; index++) {
        const task *one = &features->all[index];
        if (!belongs(one, ended) || !(task_awaits(one) || is(one, "waiting")))
            continue;
        show_one_waiting(one, features);
        count++;
    }
    return count;
}

/* A task whose features ask waits for a person, as if it asked itself. */
static int features_code(const task *ended, const task_list *features)
{
    size_t index, asking = 0, escalated = 0;

    for (index = 0; index < features->count; index++) {
        const task *one = &features->all[index];
        if (!belongs(one, ended) || !task_awaits(one))
            continue;
        asking += task_asks(one) != 0;
        escalated += is(one, "escalated") != 0;
    }
    return asking > 0 && escalated == 0 ? END_WAITS : END_OTHER;
}

static int code_of(const task *ended, const task_list *features)
{
    if (task_is_left(ended))
        return END_OTHER;
    if (is(ended, "COMPLETED"))
        return END_FINE;
    if (is(ended, "AWAITING_APPROVAL"))
        return END_WAITS;
    if (is(ended, "ABORTED"))
        return END_ABORTED;
    if (is(ended, "ESCALATED") || ended->stored.failed)
        return END_OTHER;
    return features_code(ended, features);
}

int show_end(const task *ended, const task_list *features)
{
    size_t waiting = 0;

    show_task(ended, features);
    if (is(ended, "AWAITING_APPROVAL") || is(ended, "ESCALATED")) {
        say_paused(ended->state);
        show_commands(ended);
    } else if (!ended->stored.over && !ended->stored.failed)
        waiting = show_waiting(ended, features);
    if (waiting == 0 && !ended->stored.over && !ended->stored.failed &&
        !is(ended, "AWAITING_APPROVAL"))
        shown_printf("Stopped at %s: nothing continues by itself.\n", ended->state);
    return code_of(ended, features);
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
    return code_of(ended, features);
}
