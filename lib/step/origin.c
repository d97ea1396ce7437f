/* step/origin.c: where an input came from: through which interface, and who sent it. The host
 * asserts both. Rules see it as event.origin of events from outside. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/utf8.h"

static const char *const words[] = {"", "engine", "post", "command", "page", "api"};
enum { WORDS = sizeof words / sizeof *words };

int32_t wf_origin_check(int32_t interface, const char *sender, wfsm_error *error)
{
    if (interface < 0 || interface >= WORDS)
        return wf_fail(error, WFSM_INVALID, "there is no such interface");
    if (sender && !wf_id_valid(sender))
        return wf_fail(error, WFSM_INVALID, "a sender is 1 to 255 bytes of UTF-8");
    return WFSM_OK;
}

static wf_value make(wf_step *step, int32_t interface, const char *sender)
{
    wf_member *members = wf_arena_take(&step->arena, 2 * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "interface", 9, wf_string_z(words[interface]));
    wf_member_set(&members[1], "sender", 6, sender ? wf_string_z(sender) : wf_null());
    return wf_object(members, 2);
}

void wf_step_origin(wf_step *step, int32_t interface, const char *sender)
{
    if (interface != 0 || sender)
        step->origin = make(step, interface == 0 ? WFSM_INTERFACE_ENGINE : interface, sender);
}

wf_value wf_origin_seen(wf_step *step)
{
    return step->origin.type == WF_ABSENT ? step->machine->engine_origin : step->origin;
}

static int32_t find(const wf_value *word)
{
    for (int32_t i = 1; word && word->type == WF_STRING && i < WORDS; i++)
        if (strcmp(words[i], word->as.text) == 0)
            return i;
    return 0;
}

static int32_t interface_of(const wf_value *origin, const wf_value **sender)
{
    if (origin->type != WF_OBJECT || origin->length != 2)
        return 0;
    *sender = wf_value_get_z(origin, "sender");
    return *sender ? find(wf_value_get_z(origin, "interface")) : 0;
}

bool wf_is_origin(const wf_value *value)
{
    const wf_value *sender = NULL;
    if (interface_of(value, &sender) == 0)
        return false;
    return sender->type == WF_NULL ||
           (sender->type == WF_STRING && wf_id_valid(sender->as.text));
}

bool wf_origin_read(wf_step *step, const wf_value *stored)
{
    const wf_value *sender = NULL;
    if (!wf_is_origin(stored))
        return false;
    int32_t interface = interface_of(stored, &sender);
    wf_step_origin(step, interface, sender->type == WF_STRING ? sender->as.text : NULL);
    return true;
}
