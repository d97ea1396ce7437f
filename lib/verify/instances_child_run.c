/* verify/instances_child_run.c: a run of a child by the real step, from the input that its parent gives. */
#include "base/error.h"
#include "verify/instances_play.h"

enum { TRIES_MOST = 8 };

typedef struct attempt {
    wf_instances *self;
    const wf_child_wish *wish;
    wf_child_run *out;
    wf_search *search;
    uint32_t skip, tries;
    bool fits; /* the last step of the run at hand is as it was wished */
} attempt;

bool wf_trace_is_timed(const wf_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        if (trace->moves[i].input.kind == WF_INPUT_TIMER ||
            trace->moves[i].input.kind == WF_INPUT_BUDGET)
            return true;
    return false;
}

/* As the engine reads the output of such an end. */
static uint32_t failure_of(const wf_value *output)
{
    const wf_value *word = output->type == WF_OBJECT ? wf_value_get_z(output, "class") : NULL;
    for (uint32_t i = 0; word && word->type == WF_STRING && i < WF_CLASSES; i++)
        if (strcmp(wf_class_name(i), word->as.text) == 0)
            return i;
    return WF_CLASS_OTHER;
}

/* In the states of the search, outputs may be symbols: the run decides. */
static bool fits(const wf_child_wish *wish, const wf_snapshot *snapshot, bool real)
{
    bool ended = snapshot->status == WFSM_DONE;
    if (wish->result)
        return wf_ends_well(snapshot);
    if (wish->failure != WF_CLASSES)
        return ended && !wf_ends_well(snapshot) &&
               (!real || failure_of(&snapshot->extras->singles.output) == wish->failure);
    return !(ended && wish->running) &&
           (wf_mask_of(wish->child, snapshot) & wish->asked) == wish->mask;
}

static void note(void *user, size_t move, const wf_input *input, const wf_snapshot *snapshot)
{
    attempt *at = user;
    (void)move, (void)input;
    at->fits = fits(at->wish, snapshot, true);
    at->out->mask = wf_mask_of(at->wish->child, snapshot);
    at->out->output = wf_value_clone(&at->self->arena, &snapshot->extras->singles.output);
}

static int32_t run(attempt *at, const wf_trace *trace)
{
    wf_concrete concrete = {.same = true, .stepped = note, .user = at};
    wf_buffer_init(&concrete.text, at->self->report->arena.allocator);
    wf_buffer_init(&concrete.script, at->self->report->arena.allocator);
    at->fits = false;
    int32_t status = wf_concretize(at->search, trace, &concrete);
    at->out->found = status == WFSM_OK && concrete.same && at->fits;
    at->out->timed = wf_trace_is_timed(trace);
    if (at->out->found)
        at->out->text =
            wf_arena_text(&at->self->arena, concrete.text.data, concrete.text.length);
    if (at->self->arena.failed)
        status = wf_no_memory(at->self->error);
    wf_buffer_fini(&concrete.text);
    wf_buffer_fini(&concrete.script);
    return status;
}

static int32_t try_state(attempt *at, uint32_t state)
{
    const wf_search_diagnostic there = {.at_state = true, .state = state};
    bool values = true;
    wf_trace trace;
    int32_t status = wf_trace_find(at->search, &there, &at->self->arena, &trace);
    if (status == WFSM_OK && at->search->symbolic)
        status = wf_trace_values(at->search, &trace, &at->self->arena, &values);
    if (status == WFSM_OK && values)
        status = run(at, &trace);
    wf_trace_free(at->search, &trace);
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

static int32_t try_states(attempt *at)
{
    int32_t status = WFSM_OK;
    for (uint32_t s = 0; s < at->search->space.count && status == WFSM_OK; s++) {
        size_t length;
        const uint8_t *key = wf_state_space_key(&at->search->space, s, &length);
        status = wf_state_key_restore(&at->search->explorer, key, length);
        if (status != WFSM_OK || !fits(at->wish, &at->search->explorer.snapshot, false))
            continue;
        if (at->skip > 0) {
            at->skip--;
            continue;
        }
        status = try_state(at, s);
        if (at->out->found || ++at->tries == TRIES_MOST)
            break;
    }
    return status;
}

static bool write_input(const wf_value *input, wf_buffer *out)
{
    if (input->type == WF_NULL)
        return true;
    wf_buffer_byte(out, '[');
    wf_json_write(out, input);
    wf_buffer_byte(out, ']');
    return !out->failed;
}

int32_t wf_child_play(wf_instances *self, const wf_child_wish *wish, wf_child_run *out)
{
    wf_buffer input;
    wf_search first = {0}, symbolic = {0};
    attempt at = {.self = self, .wish = wish, .out = out, .skip = wish->skip};
    int32_t status = WFSM_OK;
    *out = (wf_child_run){.text = "", .output = wf_null()};
    if (wish->input->type != WF_OBJECT && wish->input->type != WF_NULL)
        return WFSM_OK;
    wf_buffer_init(&input, self->report->arena.allocator);
    if (!write_input(wish->input, &input))
        status = wf_no_memory(self->error);
    first.options = wf_child_options(self, &input);
    if (status == WFSM_OK)
        status = wf_explore(&first, &symbolic, wish->child->machine, self->error);
    at.search = symbolic.symbolic ? &symbolic : &first;
    if (status == WFSM_OK)
        status = try_states(&at);
    wf_search_end(&first);
    wf_search_end(&symbolic);
    wf_buffer_fini(&input);
    return status;
}
