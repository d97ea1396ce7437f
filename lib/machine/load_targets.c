/* machine/load_targets.c: from target strings to states. */
#include <stdlib.h>
#include <string.h>
#include "machine/load.h"

enum { SUGGESTIONS = 1000 }; /* how many states to look at for one */

static uint32_t find_path(const wf_load *load, const char *path, size_t length)
{
    uint32_t number = wf_names_find(&load->machine->paths, path, length);

    return number < load->states.count ? number : WF_NONE;
}

static uint32_t find_id(const wf_load *load, const char *id, size_t length)
{
    uint32_t number = wf_names_find(&load->machine->ids, id, length);

    return number < load->id_states.count ? *(uint32_t *)wf_vector_at(&load->id_states, number)
                                          : WF_NONE;
}

static uint32_t find_below(const wf_load *load, uint32_t base, const char *text, size_t length)
{
    const wf_name *above = &wf_load_state(load, base)->path;
    char path[WF_PATH_MAX + 1];
    size_t start = above->length ? above->length + 1 : 0;

    if (!length || start + length > WF_PATH_MAX)
        return WF_NONE;
    if (start) {
        memcpy(path, above->text, start - 1);
        path[start - 1] = '.';
    }
    memcpy(path + start, text, length);
    return find_path(load, path, start + length);
}

/* The name of the machine is the id of the root, but only in front of a path. */
static uint32_t find_base(const wf_load *load, const char *id, size_t length)
{
    const wf_name *root = &wf_load_state(load, 0)->id;

    if (root->length == length && memcmp(root->text, id, length) == 0)
        return 0;
    return find_id(load, id, length);
}

/* An id, or one and the path from there. The longest id counts. */
static uint32_t find_from_id(const wf_load *load, const char *text, size_t length)
{
    uint32_t found = find_id(load, text, length);

    for (size_t i = length; i > 0 && found == WF_NONE; i--)
        if (text[i - 1] == '.') {
            uint32_t base = find_base(load, text, i - 1);

            if (base != WF_NONE)
                found = find_below(load, base, text + i, length - i);
        }
    return found;
}

uint32_t wf_load_find(const wf_load *load, const char *path, size_t length)
{
    if (!length || path[0] != '#')
        return find_path(load, path, length);
    return find_from_id(load, path + 1, length - 1);
}

static uint32_t find_target(wf_load *load, const wf_value *value, wf_scope_of_targets scope)
{
    const char *text = value->as.text;

    if (!value->length)
        return WF_NONE;
    if (text[0] == '#')
        return wf_load_find(load, text, value->length);
    if (text[0] == '.')
        return find_below(load, scope.inside, text + 1, value->length - 1);
    return find_below(load, scope.siblings, text, value->length);
}

/* A child of `base` with a similar key. */
static const wf_state *similar_child(wf_load *load, uint32_t base, const char *text,
                                     size_t length)
{
    uint32_t end = wf_load_state(load, base)->end;
    unsigned tries = 0;

    for (uint32_t i = base + 1; i < end && tries < SUGGESTIONS; tries++) {
        const wf_state *state = wf_load_state(load, i);

        if (wf_similar(text, length, state->key.text, state->key.length))
            return state;
        i = state->end;
    }
    return NULL;
}

/* A state elsewhere whose key is just that. */
static const wf_state *same_key(wf_load *load, const char *text, size_t length)
{
    uint32_t hash = wf_hash(text, length);

    for (uint32_t i = 1; i < load->states.count; i++) {
        const wf_state *state = wf_load_state(load, i);

        if (state->key.hash == hash && state->key.length == length &&
            !memcmp(state->key.text, text, length))
            return state;
    }
    return NULL;
}

/* The text up to and with the last dot; `inside` and a path begin with such. */
static size_t last_dot(const char *text, size_t length)
{
    while (length && text[length - 1] != '.')
        length--;
    return length;
}

/* A similar key where the last key of the target was looked for. */
static const wf_state *meant(wf_load *load, const wf_value *target, size_t front,
                             wf_scope_of_targets scope)
{
    const char *text = target->as.text;
    wf_value above = wf_string(text, front ? front - 1 : 0);
    uint32_t base = scope.siblings;

    if (front)
        base = front == 1 ? scope.inside : find_target(load, &above, scope);
    if (base == WF_NONE)
        return NULL;
    return similar_child(load, base, text + front, target->length - front);
}

static void report_unknown(wf_load *load, const wf_node *node, wf_scope_of_targets scope)
{
    const char *text = node->value->as.text;
    size_t length = node->value->length;
    size_t front = last_dot(text, length);
    const wf_state *state = meant(load, node->value, front, scope);

    if (state) {
        wf_load_error(load, node, "unknown-target",
                      "unknown target \"%.*s\"; did you mean \"%.*s%.*s\"?", wf_shown(length),
                      text, wf_shown(front), text, wf_shown(state->key.length),
                      state->key.text);
        return;
    }
    state = same_key(load, text + front, length - front);
    if (state)
        wf_load_error(load, node, "unknown-target",
                      "unknown target \"%.*s\"; did you mean \"#%.*s\"?", wf_shown(length),
                      text, wf_shown(state->id.length), state->id.text);
    else
        wf_load_error(load, node, "unknown-target",
                      "unknown target \"%.*s\"; expected a sibling's key, \".child\", a "
                      "dotted path or \"#id\"",
                      wf_shown(length), text);
}

static bool names_root(const wf_load *load, const wf_value *target)
{
    const wf_name *id = &load->machine->id;

    return target->length == id->length + 1 && target->as.text[0] == '#' &&
           memcmp(target->as.text + 1, id->text, id->length) == 0;
}

static void load_target(wf_load *load, const wf_node *node, wf_scope_of_targets scope)
{
    uint32_t state;

    if (!wf_expect(load, node, WF_STRING, "a target, a string"))
        return;
    state = find_target(load, node->value, scope);
    if (state != WF_NONE && state != 0)
        wf_load_push(load, &load->lists, &state);
    else if (state == 0 || names_root(load, node->value))
        wf_load_error(load, node, "unknown-target",
                      "the root cannot be a target: it is never left");
    else if (load->diagnostics->count < WF_MAX_DIAGNOSTICS)
        report_unknown(load, node, scope);
}

/* The state that a target stands for when targets are compared: a history of a parallel
 * state decides about all its regions. */
static uint32_t stands_for(wf_load *load, uint32_t state)
{
    const wf_state *own = wf_load_state(load, state);

    if (own->type >= WF_SHALLOW && wf_load_state(load, own->parent)->type == WF_PARALLEL)
        return own->parent;
    return state;
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

/* True if both can be active: only in different regions of a parallel state. `a` is not after
 * b. */
static bool compatible(wf_load *load, uint32_t a, uint32_t b)
{
    if (b < wf_load_state(load, a)->end)
        return false;
    while (b >= wf_load_state(load, a)->end)
        a = wf_load_state(load, a)->parent;
    return wf_load_state(load, a)->type == WF_PARALLEL;
}

/* In document order the least common ancestor of any two is that of two neighbours, so
 * that neighbours are all that must be compared. */
static void check_together(wf_load *load, const wf_node *node, wf_span targets)
{
    size_t bytes = targets.count * sizeof(uint32_t);
    uint32_t *sorted = wf_arena_take(&load->scratch, bytes);

    if (!sorted)
        return;
    for (uint32_t i = 0; i < targets.count; i++)
        sorted[i] =
            stands_for(load, *(uint32_t *)wf_vector_at(&load->lists, targets.first + i));
    qsort(sorted, targets.count, sizeof *sorted, by_number);
    for (uint32_t i = 1; i < targets.count; i++)
        if (!compatible(load, sorted[i - 1], sorted[i])) {
            const wf_name *a = &wf_load_state(load, sorted[i - 1])->path;
            const wf_name *b = &wf_load_state(load, sorted[i])->path;

            wf_load_error(load, node, "bad-targets",
                          "\"%.*s\" and \"%.*s\" cannot both be entered: they are not in "
                          "different regions of a parallel state",
                          wf_shown(a->length), a->text, wf_shown(b->length), b->text);
            return;
        }
}

wf_span wf_load_targets(wf_load *load, const wf_node *node, wf_scope_of_targets scope)
{
    uint32_t first = (uint32_t)load->lists.count;
    wf_span span;

    if (node->value->type != WF_ARRAY) {
        load_target(load, node, scope);
    } else if (!node->value->length) {
        wf_load_error(load, node, "bad-value", "expected at least one target");
    } else {
        for (uint32_t i = 0; i < node->value->length; i++) {
            wf_node item = wf_node_item(node, i);

            load_target(load, &item, scope);
        }
    }
    span = (wf_span){first, (uint32_t)load->lists.count - first};
    if (span.count > 1 && !load->failed)
        check_together(load, node, span);
    return span;
}
