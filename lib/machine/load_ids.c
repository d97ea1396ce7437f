/* machine/load_ids.c: ids and ranges, which follow from the finished tree of states. */
#include "machine/load.h"

#include "base/invariant.h"

static const wf_node *id_node(const wf_load *load, uint32_t state, wf_node *node)
{
    const wf_source *source = wf_load_source(load, state);

    return wf_node_get(node, &source->node, "id") ? node : &source->node;
}

static void report_clash(wf_load *load, uint32_t state, uint32_t other)
{
    const wf_node *own = &wf_load_source(load, state)->node;
    bool blame_other = !wf_value_get_z(own->value, "id");
    uint32_t one = blame_other ? other : state, two = blame_other ? state : other;
    const wf_name *path = &wf_load_state(load, two)->path;
    wf_node node;

    wf_load_error(load, id_node(load, one, &node), "duplicate-id",
                  "the id \"%.*s\" is also that of the state \"%.*s\"",
                  wf_shown(wf_load_state(load, one)->id.length),
                  wf_load_state(load, one)->id.text, wf_shown(path->length), path->text);
}

static void add_ids(wf_load *load)
{
    for (uint32_t i = 1; i < load->states.count && !load->failed; i++) {
        const wf_name *id = &wf_load_state(load, i)->id;
        uint32_t number = wf_load_intern(load, &load->machine->ids, id->text, id->length);

        if (load->failed)
            return;
        if (number < load->id_states.count)
            report_clash(load, i, *(uint32_t *)wf_vector_at(&load->id_states, number));
        else
            wf_load_push(load, &load->id_states, &i);
        WF_INVARIANT(load->failed || load->id_states.count == load->machine->ids.count);
    }
}

static void add_histories(wf_load *load, uint32_t state)
{
    wf_state *own = wf_load_state(load, state);
    uint32_t first = (uint32_t)load->lists.count;

    for (uint32_t i = state + 1; i < own->end; i = wf_load_state(load, i)->end)
        if (wf_load_state(load, i)->type >= WF_SHALLOW)
            wf_load_push(load, &load->lists, &i);
    own->histories = (wf_span){first, (uint32_t)load->lists.count - first};
}

static void add_done_event(wf_load *load, uint32_t state)
{
    wf_state *own = wf_load_state(load, state);
    size_t length;
    const char *text;

    if (!state || (own->type != WF_COMPOUND && own->type != WF_PARALLEL))
        return;
    text = wf_load_joined(load, "done.state.", own->id.text, "", &length);
    if (text)
        own->done_event = wf_load_intern(load, &load->machine->events, text, length);
}

static void check_histories(wf_load *load)
{
    size_t each = (load->states.count + 63) / 64 * sizeof(uint64_t);

    if (load->machine->history_count * each > WF_HISTORY_BYTES)
        wf_load_error_limit(load, &wf_load_source(load, 0)->node,
                            "too many history states (%u) for so many states",
                            load->machine->history_count);
}

void wf_load_names_of_states(wf_load *load)
{
    check_histories(load);
    add_ids(load);
    for (uint32_t i = 0; i < load->states.count && !load->failed; i++) {
        add_histories(load, i);
        add_done_event(load, i);
    }
}
