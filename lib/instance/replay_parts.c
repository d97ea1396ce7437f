/* Reads members of records. */
#include "instance/replay_parts.h"

int32_t wf_replay_wrong(wf_replay *replay, const char *message)
{
    replay->wrong = message;
    return WFSM_CORRUPT;
}

const wf_value *wf_replay_member(const wf_value *object, const char *key)
{
    return object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
}

const char *wf_replay_text(const wf_value *object, const char *key)
{
    const wf_value *found = wf_replay_member(object, key);
    return found && found->type == WF_STRING ? found->as.text : "";
}

wf_value wf_replay_value(const wf_value *object, const char *key)
{
    const wf_value *found = wf_replay_member(object, key);
    return found ? *found : wf_null();
}
