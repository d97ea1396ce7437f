/* machine/foreign.c: words of XState that are called something else here (doc/xstate.md). Without this
 * they would be unknown, or worse, name an event or a function of the host. */
#include <string.h>
#include "machine/load.h"

struct foreign_word {
    const char *word, *here;
};

static const struct foreign_word foreign_keys[] = {
    {"cond", "write \"guard\""},
    {"in", "write the guard {\"in_state\": \"PATH\"}"},
    {"internal",
     "a transition into its own state is internal, unless it has \"reenter\": true"},
    {"guards",
     "write the rule {\"and\": […]}, {\"or\": […]} or {\"!\": […]}; a guard of the host "
     "stands alone"},
    {"stateValue", "write the rule {\"in_state\": \"PATH\"}"},
    {"assignment", "write {\"type\": \"assign\", \"params\": {KEY: EXPRESSION}}"},
    {"delays", "write the milliseconds in \"after\""},
    {"data", "the data of a final state is its \"output\""},
    {"activities", "write \"invoke\""},
    {"onSnapshot", "an agent gives a result, and nothing before it"},
    {"onEntry", "write \"entry\""},
    {"onExit", "write \"exit\""},
    {"systemId", "an invocation is found by its \"id\""},
    {"predictableActionArguments", "leave it out: actions always run in order"},
    {"preserveActionOrder", "leave it out: actions always run in order"},
    {"tsTypes", "leave it out; \"schemas\" has the schema of the context"},
    {"types", "leave it out; \"schemas\" has the schema of the context"},
    {NULL, NULL},
};

/* The longest of those that a name begins with comes first. */
static const struct foreign_word foreign_events[] = {
    {"xstate.done.actor.", "the result of an invocation is \"done.invoke.ID\""},
    {"xstate.error.actor.", "the failure of an invocation is \"error.invoke.ID\""},
    {"xstate.done.state.", "the end of a state is \"done.state.ID\""},
    {"xstate.after.", "write \"after\""},
    {"xstate.init", "the start is no event: write \"entry\""},
    {"xstate.stop", "the end is no event: write \"exit\""},
    {"xstate.", "wfsm has no such event"},
    {"error.platform", "the failure of an invocation is \"error.invoke.ID\""},
    {NULL, NULL},
};

static const struct foreign_word foreign_guards[] = {
    {"and", "write the rule {\"and\": […]}; a guard of the host stands alone"},
    {"or", "write the rule {\"or\": […]}; a guard of the host stands alone"},
    {"not", "write the rule {\"!\": […]}; a guard of the host stands alone"},
    {"stateIn", "write the rule {\"in_state\": \"PATH\"}"},
    {NULL, NULL},
};

static const struct foreign_word foreign_actions[] = {
    {"enqueueActions", "write \"choose\", or a function of the host"},
    {"forwardTo", "write \"emit\", and let the host send it"},
    {"sendParent", "write \"emit\", and let the host send it"},
    {"sendTo", "write \"emit\", and let the host send it"},
    {"spawnChild", "write \"invoke\""},
    {"stopChild", "leave the state that has the \"invoke\""},
    {NULL, NULL},
};

enum { OWN_PREFIX = 7 }; /* of "xstate." */

static bool has_own_prefix(const char *text, size_t length)
{
    return length > OWN_PREFIX && memcmp(text, "xstate.", OWN_PREFIX) == 0;
}

static const char *called_here(const struct foreign_word *list, const char *text, size_t length)
{
    for (; list->word; list++)
        if (strlen(list->word) == length && memcmp(list->word, text, length) == 0)
            return list->here;
    return NULL;
}

const char *wf_foreign_key(const char *text, size_t length)
{
    return called_here(foreign_keys, text, length);
}

const char *wf_foreign_event(const char *text, size_t length)
{
    if (length == 0)
        return "a transition without an event is \"always\"";
    for (const struct foreign_word *one = foreign_events; one->word; one++)
        if (strlen(one->word) <= length && memcmp(one->word, text, strlen(one->word)) == 0)
            return one->here;
    return NULL;
}

/* Whether a name is one of XState's builtins, which also come as xstate.NAME. `otherwise` is said of an
 * xstate.NAME that is not in the list. */
static bool is_foreign(wf_load *load, const wf_node *name, const struct foreign_word *list,
                       const char *kind, const char *otherwise)
{
    const char *text, *here;
    size_t length;
    bool own;

    if (name->value->type != WF_STRING)
        return false;
    text = name->value->as.text;
    length = name->value->length;
    own = has_own_prefix(text, length);
    here =
        called_here(list, own ? text + OWN_PREFIX : text, own ? length - OWN_PREFIX : length);
    if (!here && own)
        here = otherwise;
    if (here)
        wf_load_error(load, name, "bad-name", "\"%.*s\" is %s of XState: %s", wf_shown(length),
                      text, kind, here);
    return here != NULL;
}

bool wf_foreign_guard(wf_load *load, const wf_node *name)
{
    return is_foreign(load, name, foreign_guards, "a guard",
                      "write a rule, or the name of a guard of the host");
}

bool wf_foreign_action(wf_load *load, const wf_node *name)
{
    return is_foreign(load, name, foreign_actions, "an action",
                      "write assign, raise, cancel, log or emit, without \"xstate.\"");
}
