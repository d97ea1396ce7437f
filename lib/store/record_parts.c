/* store/record_parts.c: parts that records and snapshots share. */
#include "store/record_parts.h"

#include <inttypes.h>
#include <string.h>
#include "base/invariant.h"
#include "logic/json.h"

void wf_digest_text(const char *text, size_t length, char out[WF_DIGEST_HEX])
{
    uint8_t bytes[WF_DIGEST_BYTES];
    wf_digest digest;
    wf_digest_init(&digest);
    wf_digest_add(&digest, text, length);
    wf_digest_end(&digest, bytes);
    wf_digest_hex(bytes, out);
}

void wf_checksum_text(const char *text, size_t length, char out[WF_CHECKSUM_BYTES + 1])
{
    static const char before[] = ",\"checksum\":\"", behind[] = "\"}";
    size_t at = sizeof before - 1;
    WF_INVARIANT(at + WF_DIGEST_HEX - 1 + sizeof behind == WF_CHECKSUM_BYTES + 1);
    memcpy(out, before, at);
    wf_digest_text(text, length, out + at);
    memcpy(out + at + WF_DIGEST_HEX - 1, behind, sizeof behind);
}

/* Begins with a comma unless the key is the first of its object. */
void wf_write_key(wf_buffer *out, const char *key)
{
    if (out->length > 0 && out->data[out->length - 1] != '{')
        wf_buffer_byte(out, ',');
    wf_json_write_text(out, key, strlen(key));
    wf_buffer_byte(out, ':');
}

void wf_write_comma(wf_buffer *out)
{
    if (out->length > 0 && out->data[out->length - 1] != '[')
        wf_buffer_byte(out, ',');
}

void wf_write_string(wf_buffer *out, const char *key, const char *text)
{
    wf_write_key(out, key);
    wf_json_write_text(out, text, strlen(text));
}

static void write_int(wf_buffer *out, const char *key, int64_t number)
{
    wf_write_key(out, key);
    wf_json_write_int(out, number);
}

static void write_limits(wf_buffer *out, const wf_snapshot *snapshot)
{
    wf_limits limits = wf_snapshot_limits(snapshot);
    wf_write_key(out, "limits");
    wf_buffer_byte(out, '{');
    for (uint32_t i = 0; i < WF_LIMITS; i++)
        write_int(out, wf_limit_at(i)->name, *wf_limit_in(&limits, wf_limit_at(i)));
    wf_buffer_byte(out, '}');
}

void wf_write_head(wf_buffer *out, const wf_snapshot *snapshot, uint64_t revision,
                   bool document, bool limits)
{
    wf_buffer_byte(out, '{');
    write_int(out, "format", WF_FORMAT);
    if (document) {
        wf_write_string(out, "machine", snapshot->machine->id.text);
        wf_write_string(out, "fingerprint", snapshot->machine->fingerprint);
    }
    write_int(out, "revision", (int64_t)revision);
    write_int(out, "now", snapshot->now);
    if (document || limits)
        write_limits(out, snapshot);
}

void wf_write_state_path(wf_buffer *out, const wf_state *state)
{
    wf_json_write_text(out, state->path.text, state->path.length);
}

static void write_states(wf_buffer *out, const wfsm_machine *machine, const uint64_t *set,
                         bool leaves)
{
    const char *comma = "";
    wf_buffer_byte(out, '[');
    for (uint32_t s = wf_set_next(set, machine->words, 0); s != WF_NONE;
         s = wf_set_next(set, machine->words, s + 1)) {
        const wf_state *state = &machine->states[s];
        if (leaves && state->type != WF_ATOMIC && state->type != WF_FINAL)
            continue;
        wf_buffer_text(out, comma);
        wf_write_state_path(out, state);
        comma = ",";
    }
    wf_buffer_byte(out, ']');
}

void wf_write_configuration(wf_buffer *out, const wfsm_machine *machine, const uint64_t *active)
{
    write_states(out, machine, active, true);
}

void wf_write_histories(wf_buffer *out, const wfsm_machine *machine, const uint64_t *histories,
                        const uint64_t *before)
{
    size_t words = machine->words;
    wf_buffer_byte(out, '{');
    for (uint32_t s = 0; s < machine->state_count; s++) {
        const wf_state *state = &machine->states[s];
        if (state->type != WF_SHALLOW && state->type != WF_DEEP)
            continue;
        const uint64_t *set = histories + state->history * words;
        bool same = before
                        ? memcmp(set, before + state->history * words, words * sizeof *set) == 0
                        : wf_set_next(set, machine->words, 0) == WF_NONE;
        if (same)
            continue;
        wf_write_key(out, state->path.text);
        write_states(out, machine, set, false);
    }
    wf_buffer_byte(out, '}');
}

void wf_write_timer(wf_buffer *out, const wfsm_machine *machine, const wf_timer *timer)
{
    wf_buffer_byte(out, '{');
    write_int(out, "number", (int64_t)timer->number);
    write_int(out, "due", timer->due);
    if (timer->state != WF_NONE) {
        wf_write_key(out, "state");
        wf_write_state_path(out, &machine->states[timer->state]);
    }
    wf_write_key(out, "raised");
    wf_json_write(out, &timer->raised);
    wf_buffer_byte(out, '}');
}

/* How often the work was tried again, and why. For people who read the journal. */
static void write_retry(wf_buffer *out, const wf_invocation *self)
{
    uint32_t failed = self->status == WF_PENDING ? self->attempt : self->attempt - 1;
    if (self->reason >= WF_CLASSES)
        return;
    write_int(out, "retry_count", failed);
    wf_write_string(out, "retry_reason", wf_class_name(self->reason));
}

static void write_items(wf_buffer *out, const wf_invocation *self)
{
    wf_write_key(out, "items");
    wf_buffer_byte(out, '{');
    write_int(out, "first", self->set);
    write_int(out, "of", self->of);
    write_int(out, "need", self->need);
    write_int(out, "most", self->most);
    wf_buffer_byte(out, '}');
}

void wf_write_invocation(wf_buffer *out, const wfsm_machine *machine, const wf_invocation *self,
                         bool known)
{
    const wf_invoke *invoke = &machine->invokes[self->invoke];
    wf_buffer_byte(out, '{');
    write_int(out, "revision", (int64_t)self->revision);
    write_int(out, "ordinal", self->ordinal);
    wf_write_string(out, "invoke", invoke->id.text);
    wf_write_key(out, "state");
    wf_write_state_path(out, &machine->states[invoke->state]);
    wf_write_string(out, "agent", machine->agents.list[self->agent].text);
    wf_write_string(out, "status", wf_invocation_status_name(self));
    write_int(out, "attempt", self->attempt);
    if (self->due != WFSM_NEVER)
        write_int(out, "due", self->due);
    if (self->attempt > 0)
        write_int(out, "claimed", self->claimed);
    write_retry(out, self);
    if (self->owner.type == WF_STRING)
        wf_write_string(out, "owner", self->owner.as.text);
    if (self->votes.type == WF_ARRAY) {
        wf_write_key(out, "votes");
        wf_json_write(out, &self->votes);
    }
    if (!known && self->pool.type == WF_OBJECT) {
        wf_write_key(out, "pool");
        wf_json_write(out, &self->pool);
    }
    if (!known && self->set != 0)
        write_items(out, self);
    if (wf_invocation_ended(self)) {
        wf_write_key(out, "result");
        wf_json_write(out, &self->result);
    }
    if (!known) {
        wf_write_key(out, "input");
        wf_json_write(out, &self->input);
    }
    wf_buffer_byte(out, '}');
}

void wf_write_effect(wf_buffer *out, const wf_effect *effect)
{
    wf_buffer_byte(out, '{');
    write_int(out, "number", (int64_t)effect->number);
    write_int(out, "revision", (int64_t)effect->revision);
    write_int(out, "ordinal", effect->ordinal);
    wf_write_key(out, "emit");
    wf_json_write(out, &effect->value);
    wf_buffer_byte(out, '}');
}

static bool same_budget(const wf_spent *a, const wf_spent *b)
{
    return a->used == b->used && a->limit == b->limit && a->raised == b->raised;
}

void wf_write_budgets(wf_buffer *out, const wfsm_machine *machine, const wf_spent *budgets,
                      const wf_spent *before)
{
    wf_buffer_byte(out, '{');
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        bool time = machine->budgets[i].counts == WF_COUNT_TIME;
        if (before && same_budget(&budgets[i], &before[i]))
            continue;
        wf_write_key(out, machine->budgets[i].name.text);
        wf_buffer_byte(out, '{');
        write_int(out, time ? "since" : "used", budgets[i].used);
        write_int(out, "limit", budgets[i].limit);
        if (budgets[i].raised) {
            wf_write_key(out, "raised");
            wf_buffer_text(out, "true");
        }
        wf_buffer_byte(out, '}');
    }
    wf_buffer_byte(out, '}');
}

void wf_write_failures(wf_buffer *out, const wfsm_machine *machine, const wf_repeats *repeats)
{
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < repeats->count; i++) {
        const wf_repeat *repeat = &repeats->list[i];
        if (i > 0)
            wf_buffer_byte(out, ',');
        wf_buffer_byte(out, '{');
        wf_write_string(out, "invoke", machine->invokes[repeat->invoke].id.text);
        wf_write_string(out, "signature", repeat->signature);
        write_int(out, "count", repeat->count);
        wf_buffer_byte(out, '}');
    }
    wf_buffer_byte(out, ']');
}
