/* machine/builder_write.c */
#include "machine/builder.h"

#include "logic/json.h"

static void write_key(wf_buffer *out, const char *key, size_t length, bool *first)
{
    if (!*first)
        wf_buffer_byte(out, ',');
    *first = false;
    wf_json_write_text(out, key, length);
    wf_buffer_byte(out, ':');
}

static void write_groups(wf_buffer *out, const wf_built *state, bool *first)
{
    bool first_event = true;

    if (!state->groups)
        return;
    write_key(out, "on", 2, first);
    wf_buffer_byte(out, '{');
    for (const wf_group *at = state->groups; at; at = at->next) {
        const wf_piece *each = at->transitions.first;

        write_key(out, each->text, each->key_length, &first_event);
        wf_buffer_byte(out, '[');
        for (; each; each = each->next) {
            wf_buffer_add(out, each->text + each->key_length, each->length);
            if (each->next)
                wf_buffer_byte(out, ',');
        }
        wf_buffer_byte(out, ']');
    }
    wf_buffer_byte(out, '}');
}

/* Deeper ones cannot be loaded; the loader says so. */
static void write_state(wf_buffer *out, const wfsm_builder *builder, uint32_t number,
                        unsigned depth)
{
    const wf_built *state = &builder->states[number];
    bool first = true, first_child = true;

    wf_buffer_byte(out, '{');
    for (const wf_piece *at = state->settings.first; at; at = at->next) {
        write_key(out, at->text, at->key_length, &first);
        wf_buffer_add(out, at->text + at->key_length, at->length);
    }
    write_groups(out, state, &first);
    if (state->first != WF_NONE && depth <= WF_MAX_DEPTH) {
        write_key(out, "states", 6, &first);
        wf_buffer_byte(out, '{');
        for (uint32_t i = state->first; i != WF_NONE; i = builder->states[i].next) {
            write_key(out, builder->states[i].key, builder->states[i].key_length, &first_child);
            write_state(out, builder, i, depth + 1);
        }
        wf_buffer_byte(out, '}');
    }
    wf_buffer_byte(out, '}');
}

void wf_builder_write(wf_buffer *out, const wfsm_builder *builder)
{
    write_state(out, builder, 0, 0);
}
