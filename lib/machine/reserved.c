/* machine/reserved.c: names of events that say what the step itself has done. An event of such a
 * name that came from somewhere else would pass for it. */
#include "machine/model.h"

#include "base/error.h"

/* What begins with one of these never comes from outside, and who really says such a thing. */
static const struct reserved {
    const char *prefix, *instead;
} reserved[] = {
    {"done.", "give the result of an invocation with wfsm_engine_result()"},
    {"error.", "give the failure of an invocation with wfsm_engine_failure()"},
    {"after.", "timers fire by themselves"},
    {"wfsm.", "give the vote of a person with wfsm_approve()"},
};
enum { RESERVED = sizeof reserved / sizeof *reserved };

static const struct reserved *find(const char *name)
{
    for (int i = 0; i < RESERVED; i++)
        if (name[0] == reserved[i].prefix[0] &&
            strncmp(name, reserved[i].prefix, strlen(reserved[i].prefix)) == 0)
            return &reserved[i];
    return NULL;
}

bool wf_event_reserved(const char *name)
{
    return find(name) != NULL;
}

int32_t wf_event_outside(const char *name, wfsm_error *error)
{
    const struct reserved *found = find(name);
    if (!found)
        return WFSM_OK;
    return wf_fail(error, WFSM_INVALID, "an event from outside must not be named \"%s…\"; %s",
                   found->prefix, found->instead);
}

static bool is_or_below(const char *name, const char *parent)
{
    size_t length = strlen(parent);
    return strncmp(name, parent, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

bool wf_event_raisable(const char *name)
{
    if (strncmp(name, "error.", 6) != 0)
        return !find(name);
    return !is_or_below(name, "error.invoke") && !is_or_below(name, "error.budget") &&
           !is_or_below(name, "error.approval");
}
