/* reach FILE: the configurations that `wfsm verify --open` reaches, and those from which
 * nothing leads to another state. As JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "logic/json.h"
#include "base/memory.h"
#include "verify/search.h"
#include "walk/read.h"

/* As lib/verify/verify.c begins. */
static bool explore(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    self->options = (wfsm_verify_options){.size = sizeof self->options,
                                          .max_states = 1000000,
                                          .max_memory = (uint64_t)1 << 30,
                                          .bound = 100,
                                          .open = 1};
    if (wf_explorer_init(&self->explorer, machine, &self->options, NULL, error))
        return false;
    self->terminal = self->awaiting = WF_NONE;
    self->reached = wf_arena_zero(&self->explorer.arena, machine->words * sizeof(uint64_t));
    self->taken = wf_arena_zero(&self->explorer.arena, machine->transition_count + 1u);
    self->held = wf_arena_zero(&self->explorer.arena, machine->property_count + 1u);
    return wf_state_space_init(&self->space, &machine->allocator) &&
           wf_search_run(self) == WFSM_OK && !self->bound;
}

static bool rests(const wf_search *self, uint32_t state)
{
    wf_edges edges = wf_state_space_edges(&self->space, state);
    while (wf_edges_next(&self->space, &edges))
        if ((edges.edge & WF_EDGE_STATE) != state)
            return false;
    return (self->space.flags[state] & WF_FLAG_DONE) == 0;
}

static void report_state(const wf_search *self, uint32_t state, wf_buffer *out)
{
    const wfsm_machine *machine = self->explorer.machine;
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->space, state, &length);
    bool first = true;
    wf_buffer_byte(out, '[');
    for (uint32_t i = 0; i < machine->state_count; i++) {
        if (!(key[1 + i / 8] >> (i % 8) & 1) ||
            (machine->states[i].type != WF_ATOMIC && machine->states[i].type != WF_FINAL))
            continue;
        if (!first)
            wf_buffer_byte(out, ',');
        first = false;
        wf_json_write_text(out, machine->states[i].path.text, machine->states[i].path.length);
    }
    wf_buffer_byte(out, ']');
}

static void report(const wf_search *self, bool all, wf_buffer *out)
{
    bool first = true;
    for (uint32_t s = 0; s < self->space.count; s++) {
        if (!all && !rests(self, s))
            continue;
        if (!first)
            wf_buffer_byte(out, ',');
        first = false;
        report_state(self, s, out);
    }
}

static int run(wfsm_machine *machine, wfsm_error *error)
{
    wf_search self = {0};
    wf_buffer out;
    bool good = explore(&self, machine, error);
    wf_buffer_init(&out, &machine->allocator);
    wf_buffer_text(&out, "{\"configurations\":[");
    if (good)
        report(&self, true, &out);
    wf_buffer_text(&out, "],\"rests\":[");
    if (good)
        report(&self, false, &out);
    wf_buffer_text(&out, "]}\n");
    if (good)
        fwrite(out.data, 1, out.length, stdout);
    wf_buffer_fini(&out);
    for (size_t i = 0; i < self.found_count; i++)
        wf_free(self.explorer.allocator, self.found[i].cycle);
    wf_free(self.explorer.allocator, self.found);
    wf_state_space_fini(&self.space);
    wf_explorer_fini(&self.explorer);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    size_t length = 0;
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    char *text = argc == 2 ? walk_read(argv[1], &length) : NULL;
    int code = 1;
    if (text && wfsm_machine_load(&machine, text, length, NULL, NULL, error) == WFSM_OK)
        code = run(machine, error);
    if (code)
        fprintf(stderr, "reach: %s\n", wfsm_error_message(error));
    free(text);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return code;
}
