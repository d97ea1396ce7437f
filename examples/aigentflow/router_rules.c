#include "router_rules.h"

#include <ctype.h>
#include <string.h>

/* ---- who is next ---- */

static int has(const json_t *list, const json_t *name)
{
    const json_t *one;
    size_t index;

    json_array_foreach(list, index, one) if (json_equal(one, name)) return 1;
    return 0;
}

static const json_t *hints(const json_t *input)
{
    return json_object_get(json_object_get(input, "lastOutput"), "routingHints");
}

/* The suggested agents that are allowed and have not completed, in their order. */
static json_t *open_suggestions(const json_t *input)
{
    const json_t *completed = json_object_get(input, "completedAgents");
    const json_t *allowed = json_object_get(input, "allowedAgents");
    json_t *open = json_array(), *one;
    size_t index;

    json_array_foreach(json_object_get(hints(input), "suggestNext"), index,
                       one) if (!has(completed, one) && has(allowed, one) && !has(open, one))
        json_array_append(open, one);
    return open;
}

static json_t *decided(json_t *next, const char *by, json_t *candidates, json_t *reason)
{
    return json_pack("{s:o, s:s, s:o, s:o}", "next", next, "by", by, "candidates", candidates,
                     "reason", reason);
}

static json_t *suggested(const json_t *input, json_t *open)
{
    const char *who = json_string_value(json_object_get(input, "currentAgent"));

    return decided(json_incref(json_array_get(open, 0)), "hints", open,
                   json_sprintf("%s suggests it", who ? who : "the last agent"));
}

json_t *rules_next(const json_t *input)
{
    json_t *queue = json_object_get(input, "agentQueue"), *open;

    if (json_array_size(queue) > 0)
        return decided(json_incref(json_array_get(queue, 0)), "queue", json_deep_copy(queue),
                       json_string("it is the next in the queue"));
    open = open_suggestions(input);
    if (json_array_size(open) > 0)
        return suggested(input, open);
    return decided(json_null(), "none", open,
                   json_string(rules_need_model(input)
                                   ? "nobody is queued or suggested, and there is no model"
                                   : "no agent is left"));
}

int rules_need_model(const json_t *input)
{
    const json_t *last = hints(input);
    const char *rejected = json_string_value(json_object_get(input, "rejectionReason"));
    json_t *open = open_suggestions(input);
    size_t left = json_array_size(open);

    json_decref(open);
    if (json_array_size(json_object_get(input, "agentQueue")) > 0 || left > 0)
        return 0;
    return json_is_true(json_object_get(last, "hasFailures")) || (rejected && *rejected) ||
           json_array_size(json_object_get(last, "suggestNext")) > 0 ||
           !json_is_object(json_object_get(input, "taskAnalysis"));
}

/* ---- what kind of task it is ---- */

/* True if a word of the text begins with one of these words, which are separated by blanks. */
static int mentions(const char *text, const char *words)
{
    while (*words != '\0') {
        size_t length = strcspn(words, " "), at;
        for (at = 0; text[at] != '\0'; at++)
            if ((at == 0 || !isalnum((unsigned char)text[at - 1])) &&
                strncmp(text + at, words, length) == 0)
                return 1;
        words += length + (words[length] != '\0');
    }
    return 0;
}

static const char *kind(const char *task)
{
    static const char *const kinds[][2] = {
        {"bugfix", "fix bug crash null regression broken"},
        {"refactor", "refactor rename clean simplify extract"},
        {"docs", "document readme docs comment"},
        {"test", "test coverage"},
        {"config", "config upgrade bump dependenc pipeline"},
    };
    size_t index;

    for (index = 0; index < sizeof kinds / sizeof *kinds; index++)
        if (mentions(task, kinds[index][1]))
            return kinds[index][0];
    return "feature";
}

/* The rows of the routing table that buildAgentQueue does not have. */
static json_t *suggestions(const char *type, int small_ui)
{
    if (strcmp(type, "bugfix") == 0)
        return json_pack("[s, s, s]", "project_analyzer", "bug_fixer", "tester");
    if (strcmp(type, "refactor") == 0)
        return json_pack("[s, s, s, s]", "project_analyzer", "backend_developer", "tester",
                         "reviewer");
    if (small_ui)
        return json_pack("[s, s, s]", "ui_designer", "frontend_developer", "tester");
    return json_array();
}

static json_t *analysis(const char *task, int epic)
{
    const char *type = epic ? "feature" : kind(task);
    int feature = strcmp(type, "feature") == 0;
    int ui = epic || mentions(task, "page screen button colo dialog form layout style ui");
    int backend = epic || !ui || mentions(task, "api endpoint login server database");
    int change = !epic && mentions(task, "update change adjust");
    int whole = feature && ui && backend;

    return json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:o}", "taskType", type, "complexity",
                     whole                ? "complex"
                     : feature && !change ? "moderate"
                                          : "simple",
                     "requiresUI", ui, "requiresBackend", backend, "requiresArchitecture",
                     whole && !epic, "requiresApproval", epic, "suggestedAgents",
                     suggestions(type, change && ui && !backend));
}

json_t *rules_analysis(const json_t *input)
{
    const char *task = json_string_value(json_object_get(input, "prompt"));
    char text[4096];
    size_t at;

    for (at = 0; task && task[at] != '\0' && at < sizeof text - 1; at++)
        text[at] = (char)tolower((unsigned char)task[at]);
    text[at] = '\0';
    return analysis(text, json_is_object(json_object_get(input, "epicContext")));
}
