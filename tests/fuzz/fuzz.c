#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "store/decode.h"

void fuzz_expect(bool holds, const char *law)
{
    if (holds)
        return;
    fprintf(stderr, "broken law: %s\n", law);
    abort();
}

void fuzz_same(const char *left, const char *right, const char *law)
{
    if (strcmp(left, right) != 0)
        fprintf(stderr, "%s\n%s\n", left, right);
    fuzz_expect(strcmp(left, right) == 0, law);
}

void fuzz_accept(bool read, const wfsm_error *error, const char *text)
{
    if (!read)
        fprintf(stderr, "%s\n%s\n", wfsm_error_message(error), text);
    fuzz_expect(read, "what the library writes can be read");
}

bool fuzz_parse(fuzz_json *out, const uint8_t *data, size_t size)
{
    wf_allocator_init(&out->allocator, NULL);
    wf_arena_init(&out->arena, &out->allocator, 0);
    if (wf_json_parse(&out->arena, (const char *)data, size, &out->value, NULL) == WFSM_OK)
        return true;
    wf_arena_fini(&out->arena);
    return false;
}

void fuzz_drop(fuzz_json *json)
{
    wf_arena_fini(&json->arena);
}

static char *finish(wf_buffer *out)
{
    fuzz_expect(!out->failed, "there is memory for the text");
    return out->data;
}

char *fuzz_text(const wf_value *value)
{
    wfsm_allocator allocator;
    wf_buffer out;
    wf_allocator_init(&allocator, NULL);
    wf_buffer_init(&out, &allocator);
    wf_json_write(&out, value);
    return finish(&out);
}

const char fuzz_digest[WF_DIGEST_HEX] =
    "0000000000000000000000000000000000000000000000000000000000000000";

char *fuzz_snapshot_text(const wf_snapshot *snapshot)
{
    wfsm_allocator allocator;
    wf_buffer out;
    wf_allocator_init(&allocator, NULL);
    wf_buffer_init(&out, &allocator);
    const wf_snapshot_note note = {FUZZ_ID, NULL, snapshot->revision, fuzz_digest};
    wf_snapshot_write(&out, snapshot, &note);
    return finish(&out);
}

bool fuzz_read(wf_snapshot *snapshot, wfsm_machine *machine, const wfsm_allocator *allocator,
               const char *text, size_t length, wfsm_error *error)
{
    char digest[WF_DIGEST_HEX];
    const wf_stored stored = {FUZZ_ID, NULL, text, length, NULL};
    fuzz_expect(wf_snapshot_init(snapshot, machine, allocator), "memory");
    if (wf_snapshot_read(snapshot, &stored, digest, error) == WFSM_OK)
        return true;
    wf_snapshot_fini(snapshot);
    return false;
}

static uint32_t active_children(const wf_snapshot *snapshot, uint32_t state, uint32_t *all)
{
    const wfsm_machine *machine = snapshot->machine;
    uint32_t on = 0;
    *all = 0;
    for (uint32_t c = state + 1; c < machine->states[state].end; c = machine->states[c].end) {
        if (machine->states[c].type >= WF_SHALLOW)
            continue;
        ++*all;
        on += wf_set_has(snapshot->active, c);
    }
    return on;
}

bool fuzz_legal(const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t s = 0; s < machine->state_count; s++) {
        const wf_state *state = &machine->states[s];
        uint32_t all, on = active_children(snapshot, s, &all);
        bool active = wf_set_has(snapshot->active, s);
        if (!active && (on > 0 || s == 0))
            return false;
        if (active && (state->type >= WF_SHALLOW || (state->type == WF_COMPOUND && on != 1) ||
                       (state->type == WF_PARALLEL && on != all)))
            return false;
    }
    return true;
}

void fuzz_check_snapshot(const wf_snapshot *snapshot)
{
    wf_snapshot again;
    char *text = fuzz_snapshot_text(snapshot), *second;
    wfsm_error *error = wfsm_error_new(NULL);
    fuzz_expect(fuzz_legal(snapshot), "a decoded configuration is legal");
    fuzz_accept(
        fuzz_read(&again, snapshot->machine, snapshot->allocator, text, strlen(text), error),
        error, text);
    second = fuzz_snapshot_text(&again);
    fuzz_same(text, second, "what is read is what was written");
    wf_snapshot_fini(&again);
    wfsm_error_free(error);
    free(text);
    free(second);
}
