/* The observer of an instance is told of a commit that the store has confirmed. */
#include "instance/inner.h"

#include "base/invariant.h"

void wf_instance_tell(wfsm_instance *instance, const wf_news *what)
{
    wfsm_call call;
    WF_INVARIANT(!instance->scratch && !instance->busy); /* an observer may ask the instance */
    if (!instance->attached || !instance->attached->observer.call)
        return;
    wf_call_init(&call, WF_CALL_OBSERVER, instance->snapshot.allocator);
    call.name = instance->snapshot.machine->id.text;
    call.instance = wf_instance_id(instance);
    call.now = what->now;
    call.record = what->record;
    call.record_length = what->record_length;
    call.log = what->log;
    call.log_length = what->log_length;
    instance->busy = true;
    instance->attached->observer.call(instance->attached->observer.user, &call);
    instance->busy = false;
    wf_call_fini(&call);
}
