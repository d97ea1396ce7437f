/* verify/input_data.c: data with values of the context in it. A representative of data can refer
 * to a value of the context that the data is compared with; each state says what the value is. */
#include "verify/successors.h"

#include <math.h>

/* A list that is longer than that has elements which are not tried. A text has parts. */
static bool has_untried(const wf_value *list)
{
    return list->type == WF_STRING ||
           (list->type == WF_ARRAY && list->length > WF_LINK_ELEMENTS);
}

static wf_value element_of_link(wf_explorer *explorer, const wf_context_link *link,
                                const wf_value *list, uint32_t index)
{
    if (has_untried(list) && !explorer->undecided.is) {
        explorer->undecided =
            (wf_undecided){true, link->reading, "a list of at most 8 elements, or an `enum`"};
        explorer->anything_untried = true;
    }
    return list->type == WF_ARRAY && index < list->length ? list->as.items[index] : wf_absent();
}

/* One less, one more; the next one below, and above. */
static wf_value number_beside(const wf_value *value, uint32_t how)
{
    if (value->type != WF_NUMBER)
        return wf_absent();
    const double number = value->as.number, far = how % 2 == 1 ? -1 : 1;
    return wf_number(how < 3 ? number + far : nextafter(number, far * INFINITY));
}

static wf_value value_of_link(wf_explorer *explorer, const wf_context_link *link, uint32_t how)
{
    const wf_value null = wf_null();
    wf_scope scope = {.arena = &explorer->scratch,
                      .slots = explorer->snapshot.slots,
                      .keys = wf_snapshot_keys(&explorer->snapshot),
                      .slot_count = explorer->snapshot.slot_count,
                      .event = &null,
                      .instance = &null,
                      .active = explorer->snapshot.active,
                      .steps = WF_EVAL_STEPS};
    wf_value value;
    if (wf_expr_eval(link->expr, &scope, &value) != WFSM_OK)
        return wf_absent();
    if (link->element)
        return element_of_link(explorer, link, &value, how);
    return how == 0 ? value : number_beside(&value, how);
}

static wf_value filled_list(wf_explorer *explorer, const wf_value *data)
{
    wf_value *items = wf_arena_take(&explorer->scratch, (data->length + 1u) * sizeof *items);
    for (uint32_t i = 0; items && i < data->length; i++) {
        items[i] = wf_input_data(explorer, &data->as.items[i]);
        if (items[i].type == WF_ABSENT)
            return wf_absent();
    }
    return items ? wf_array(items, data->length) : wf_absent();
}

static wf_value filled_object(wf_explorer *explorer, const wf_value *data)
{
    wf_member *members =
        wf_arena_take(&explorer->scratch, (data->length + 1u) * sizeof *members);
    for (uint32_t i = 0; members && i < data->length; i++) {
        members[i] = data->as.members[i];
        members[i].value = wf_input_data(explorer, &data->as.members[i].value);
        if (members[i].value.type == WF_ABSENT)
            return wf_absent();
    }
    return members ? wf_object(members, data->length) : wf_absent();
}

wf_value wf_input_data(wf_explorer *explorer, const wf_value *data)
{
    uint32_t link, how;
    if (wf_data_stands_for(data, explorer->cones.links, explorer->cones.link_count, &link,
                           &how))
        return value_of_link(explorer, &explorer->cones.links[link], how);
    if (data->type == WF_ARRAY)
        return filled_list(explorer, data);
    return data->type == WF_OBJECT ? filled_object(explorer, data) : *data;
}
