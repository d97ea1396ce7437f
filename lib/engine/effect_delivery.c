/* engine/effect_delivery.c: effects are delivered to the host after their commit: at least
 * once, in order. */
#include "engine/effect_delivery.h"

#include "engine/engine.h"
#include "engine/report.h"
#include "logic/json.h"

static const char *text_of(const wf_value *effect, const char *key)
{
    const wf_value *text = wf_value_get_z(effect, key);

    return text && text->type == WF_STRING ? text->as.text : "";
}

static int32_t call_host(wfsm_engine *engine, const wf_entry *entry, const wf_value *effect)
{
    const wf_value *data = wf_value_get_z(effect, "data");
    wfsm_call *call = &engine->call;

    wf_call_clear(call);
    call->allowed = 0;
    call->name = text_of(effect, "event");
    call->id = text_of(effect, "id");
    call->instance = entry->id;
    call->state = NULL;
    call->now = engine->now;
    call->claimed = call->timeout = 0;
    call->attempt = 0;
    call->schema.value = NULL;
    call->input.value = data ? data : &engine->null;
    return engine->deliver(engine->deliver_user, call);
}

enum next { NONE, DELIVERED, LEFT };

static enum next deliver_next(wfsm_engine *engine, wf_entry *entry)
{
    const char *text = NULL;
    uint64_t number = 0;
    size_t length = 0;
    wf_value effect;
    int32_t status =
        wfsm_instance_next_effect(entry->instance, &text, &length, &number, engine->failed);

    if (status == WFSM_OK && !text)
        return NONE;
    wf_arena_reset(&engine->arena);
    if (status == WFSM_OK)
        status = wf_json_parse(&engine->arena, text, length, &effect, engine->failed);
    if (status == WFSM_OK) {
        if (call_host(engine, entry, &effect) != WFSM_OK)
            return LEFT; /* the host refused it; the engine did not fail */
        entry->delivered = number;
        wf_instance_delivered(entry->instance, number);
        wf_link_append(&engine->acks, &entry->acking);
    }
    if (status == WFSM_OK)
        return DELIVERED;
    wf_round_failed(engine, status);
    return LEFT;
}

bool wf_effects_deliver(wfsm_engine *engine, wf_entry *entry)
{
    enum next next = DELIVERED;

    while (engine->deliver && next == DELIVERED && wf_may_act(engine)) {
        next = deliver_next(engine, entry);
        engine->acts -= next == DELIVERED;
    }
    return next != LEFT;
}
