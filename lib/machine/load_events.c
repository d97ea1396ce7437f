/* machine/load_events.c: which transitions a state offers for which events. */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

static uint32_t add_prefix(wf_load *load, const char *text, size_t length)
{
    wf_name name = {wf_arena_text(load->arena, text, length), (uint32_t)length,
                    wf_hash(text, length)};

    return wf_load_push(load, &load->prefixes, &name);
}

static uint32_t tokens(const char *text, size_t length)
{
    uint32_t count = 1;

    for (size_t i = 0; i < length; i++)
        count += text[i] == '.';
    return count;
}

/* Exact ones rank first, then prefixes with more tokens before those with fewer, then
 * `*`. */
static bool read_descriptor(wf_load *load, const wf_node *node, const char *text, size_t length,
                            wf_offer *offer)
{
    const char *star = memchr(text, '*', length);
    size_t prefix = length < 2 ? 0 : length - 2;
    const char *here = wf_foreign_event(text, length);

    *offer = (wf_offer){.event = WF_NONE, .prefix = WF_NONE};
    if (here) {
        wf_load_error_key(load, node, "bad-name", "\"%.*s\" is an event of XState: %s",
                          wf_shown(length), text, here);
    } else if (length > WF_NAME_MAX) {
        wf_load_error_key(load, node, "bad-name", "the name of an event has 1 to %d bytes",
                          WF_NAME_MAX);
    } else if (!star) {
        offer->event = wf_load_intern(load, &load->machine->events, text, length);
    } else if (length == 1) {
        offer->prefix = add_prefix(load, "", 0);
        offer->rank = WF_NONE;
    } else if (star == text + length - 1 && prefix && text[prefix] == '.') {
        offer->prefix = add_prefix(load, text, prefix);
        offer->rank = 1 + WF_NAME_MAX - tokens(text, prefix);
    } else {
        wf_load_error_key(load, node, "bad-name",
                          "expected the name of an event, \"prefix.*\" or \"*\"");
    }
    return offer->event != WF_NONE || offer->prefix != WF_NONE;
}

static void load_on_object(wf_load *load, const wf_node *on, uint32_t state)
{
    for (uint32_t i = 0; i < on->value->length && !load->failed; i++) {
        wf_node node = wf_node_member(on, i);
        const char *text = node.place.key;
        size_t length = node.place.key_length;
        wf_offer offer;
        bool good = read_descriptor(load, &node, text, length, &offer);
        wf_span transitions =
            wf_load_transition_list(load, &node, state, wf_load_descriptor(load, text, length));

        if (good)
            wf_load_offer(load, offer, transitions);
    }
}

static void load_listed_name(wf_load *load, const wf_node *node, wf_span transition)
{
    wf_offer offer;

    if (!wf_expect(load, node, WF_STRING, "the name of an event, \"prefix.*\" or \"*\""))
        return;
    if (read_descriptor(load, node, node->value->as.text, node->value->length, &offer)) {
        offer.rank = 0; /* the order of the list decides */
        wf_load_offer(load, offer, transition);
    }
}

/* For people: the descriptors of one element, separated by spaces as in SCXML. */
static uint32_t listed_descriptor(wf_load *load, const wf_value *event)
{
    wf_buffer buffer;
    const char *text;
    size_t length;

    if (event->type == WF_STRING)
        return wf_load_descriptor(load, event->as.text, event->length);
    wf_buffer_init(&buffer, load->allocator);
    for (uint32_t i = 0; event->type == WF_ARRAY && i < event->length; i++) {
        const wf_value *item = &event->as.items[i];

        if (i)
            wf_buffer_byte(&buffer, ' ');
        if (item->type == WF_STRING)
            wf_buffer_add(&buffer, item->as.text, item->length);
    }
    length = buffer.failed ? 0 : buffer.length;
    text = wf_arena_text(load->arena, length ? buffer.data : "", length);
    load->failed = load->failed || buffer.failed || !text;
    wf_buffer_fini(&buffer);
    return text ? wf_load_descriptor(load, text, length) : WF_NONE;
}

static void load_listed_names(wf_load *load, const wf_node *event, wf_span transition)
{
    if (event->value->type != WF_ARRAY) {
        load_listed_name(load, event, transition);
        return;
    }
    for (uint32_t i = 0; i < event->value->length && !load->failed; i++) {
        wf_node name = wf_node_item(event, i);

        load_listed_name(load, &name, transition);
    }
    if (!event->value->length)
        wf_load_error(load, event, "bad-value", "expected at least one event");
}

static void load_listed(wf_load *load, const wf_node *node, uint32_t state)
{
    uint32_t descriptor;
    wf_span transition;
    wf_node event;

    if (!wf_expect(load, node, WF_OBJECT, "a transition, an object with \"event\""))
        return;
    if (!wf_node_get(&event, node, "event")) {
        wf_load_error(load, node, "missing-key", "a transition in a list needs \"event\"");
        return;
    }
    descriptor = listed_descriptor(load, event.value);
    transition = wf_load_listed_transition(load, node, state, descriptor);
    if (!load->failed)
        load_listed_names(load, &event, transition);
}

static void load_on_list(wf_load *load, const wf_node *on, uint32_t state)
{
    for (uint32_t i = 0; i < on->value->length && !load->failed; i++) {
        wf_node node = wf_node_item(on, i);

        load_listed(load, &node, state);
    }
}

static bool read_delay(const char *text, size_t length, int64_t *delay)
{
    *delay = 0;
    if (!length || length > 15 || (text[0] == '0' && length > 1))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *delay = *delay * 10 + (text[i] - '0');
    }
    return true;
}

static void load_after(wf_load *load, const wf_node *node, uint32_t state, wf_after *after)
{
    size_t length;
    const char *front, *name;

    after->event = WF_NONE;
    if (!read_delay(node->place.key, node->place.key_length, &after->delay)) {
        wf_load_error_key(load, node, "bad-value",
                          "expected a delay in milliseconds: digits without leading zeros. "
                          "A delay has no name; one that is computed is that of \"raise\"");
        return;
    }
    front = wf_load_joined(load, "after.", node->place.key, ".", &length);
    if (!front)
        return;
    name = wf_load_joined(load, front, wf_load_state(load, state)->id.text, "", &length);
    if (!name)
        return;
    after->event = wf_load_intern(load, &load->machine->events, name, length);
    wf_load_implied(load, node, state, after->event);
}

static void load_afters(wf_load *load, uint32_t state)
{
    wf_node node;
    wf_span span;

    if (!wf_node_get(&node, &wf_load_source(load, state)->node, "after") ||
        !wf_expect(load, &node, WF_OBJECT, "an object of transitions by milliseconds"))
        return;
    span = wf_load_reserve(load, &load->afters, node.value->length);
    for (uint32_t i = 0; i < span.count && !load->failed; i++) {
        wf_node member = wf_node_member(&node, i);

        load_after(load, &member, state, wf_vector_at(&load->afters, span.first + i));
    }
    wf_load_state(load, state)->after = span;
}

static void load_on_done(wf_load *load, const wf_node *node, uint32_t state)
{
    if (state == 0)
        wf_load_error_key(
            load, node, "misplaced-key",
            "\"onDone\" does not belong to the root, whose end ends the instance");
    else
        wf_load_implied(load, node, state, wf_load_state(load, state)->done_event);
}

void wf_load_on(wf_load *load, uint32_t state)
{
    const wf_node *own = &wf_load_source(load, state)->node;
    wf_node node;

    load->offers.count = 0;
    if (wf_node_get(&node, own, "on")) {
        if (node.value->type == WF_ARRAY)
            load_on_list(load, &node, state);
        else if (wf_expect(load, &node, WF_OBJECT, "an object of transitions by event"))
            load_on_object(load, &node, state);
    }
    load_afters(load, state);
    if (wf_node_get(&node, own, "onDone"))
        load_on_done(load, &node, state);
    wf_load_invokes(load, state);
    WF_INVARIANT(wf_load_state(load, state)->exact.count == 0); /* its table is made once */
    if (!load->failed && !load->arena->failed)
        wf_load_dispatch(load, state);
}
