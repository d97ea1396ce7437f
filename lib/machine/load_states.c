/* machine/load_states.c: the tree of states: numbers, kinds, paths, ids, tags. */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

static const char *const type_words[] = {"atomic", "compound", "parallel", "final", "history"};

static bool has_children(const wf_value *value)
{
    const wf_value *states = wf_value_get_z(value, "states");

    return states && states->type == WF_OBJECT && states->length;
}

static uint8_t history_type(wf_load *load, const wf_node *node)
{
    static const char *const words[] = {"shallow", "deep"};
    wf_node kind;

    if (!wf_node_get(&kind, node, "history"))
        return WF_SHALLOW;
    return wf_expect_word(load, &kind, words, 2) == 1 ? WF_DEEP : WF_SHALLOW;
}

static uint8_t type_of(wf_load *load, const wf_node *node, bool root)
{
    bool parent = has_children(node->value);
    uint8_t plain = parent ? WF_COMPOUND : WF_ATOMIC;
    wf_node type;
    size_t word;

    if (!wf_node_get(&type, node, "type"))
        return plain;
    word = wf_expect_word(load, &type, type_words, 5);
    if (word == 5)
        return plain;
    if (word < 2 && word != plain)
        wf_load_error(load, &type, "bad-type", "this state is %s: it has %schild states",
                      type_words[plain], parent ? "" : "no ");
    if (word == 2 && !parent)
        wf_load_error(load, &type, "bad-type", "a parallel state needs child states");
    if (word > 2 && root)
        wf_load_error(load, &type, "bad-type", "the root cannot be %s", type_words[word]);
    if (word < 2 || (word == 2 && !parent) || (word > 2 && root))
        return plain;
    return word == 4 ? history_type(load, node) : (uint8_t)word;
}

static unsigned place_of(uint8_t type, bool root)
{
    static const unsigned places[] = {WF_ON_ATOMIC, WF_ON_COMPOUND, WF_ON_PARALLEL,
                                      WF_ON_FINAL,  WF_ON_HISTORY,  WF_ON_HISTORY};

    return places[type] | (root ? WF_ON_ROOT : 0u);
}

static void check_key(wf_load *load, const wf_node *node)
{
    const char *key = node->place.key;
    size_t length = node->place.key_length;

    if (!length || length > WF_NAME_MAX)
        wf_load_error_key(load, node, "bad-name", "a state's key has 1 to %d bytes",
                          WF_NAME_MAX);
    else if (key[0] == '#' || memchr(key, '.', length))
        wf_load_error_key(load, node, "bad-name",
                          "a state's key contains no \".\" and does not begin with \"#\"");
}

static wf_name name_of(const char *text, size_t length)
{
    return (wf_name){text, (uint32_t)length, wf_hash(text, length)};
}

static wf_name path_of(wf_load *load, const wf_node *node, uint32_t parent)
{
    const wf_name *above = &wf_load_state(load, parent)->path;
    size_t start = above->length ? above->length + 1 : 0;
    size_t length = start + node->place.key_length;
    char *text;

    if (length > WF_PATH_MAX) {
        wf_load_error_limit(load, node, "a state's dotted path has at most %d bytes",
                            WF_PATH_MAX);
        return *above;
    }
    text = wf_arena_take(load->arena, length + 1);
    if (!text)
        return *above;
    if (start) {
        memcpy(text, above->text, start - 1);
        text[start - 1] = '.';
    }
    memcpy(text + start, node->place.key, node->place.key_length);
    text[length] = '\0';
    return name_of(text, length);
}

static wf_name id_of(wf_load *load, const wf_node *node, wf_name otherwise)
{
    wf_node id;

    if (!wf_node_get(&id, node, "id") || !wf_expect_name(load, &id, "an id"))
        return otherwise;
    return name_of(id.value->as.text, id.value->length);
}

static void add_tag(wf_load *load, const wf_node *node)
{
    uint32_t tag;

    if (!wf_expect_name(load, node, "a tag"))
        return;
    for (uint32_t i = 0; i < node->value->length; i++)
        if ((unsigned char)node->value->as.text[i] <= ' ') {
            wf_load_error(load, node, "bad-name", "a tag contains no white space");
            return;
        }
    tag = wf_load_intern(load, &load->machine->tags, node->value->as.text, node->value->length);
    wf_load_push(load, &load->lists, &tag);
}

static wf_span load_tags(wf_load *load, const wf_node *state)
{
    uint32_t first = (uint32_t)load->lists.count;
    wf_node tags;

    if (!wf_node_get(&tags, state, "tags"))
        return (wf_span){first, 0};
    if (tags.value->type == WF_ARRAY)
        for (uint32_t i = 0; i < tags.value->length; i++) {
            wf_node tag = wf_node_item(&tags, i);

            add_tag(load, &tag);
        }
    else
        add_tag(load, &tags);
    return (wf_span){first, (uint32_t)load->lists.count - first};
}

static void fill_in(wf_load *load, wf_state *state, const wf_node *node, bool root)
{
    state->type = type_of(load, node, root);
    wf_check_keys(load, node, WF_STATE_KEYS, place_of(state->type, root));
    state->id = root ? load->machine->id : id_of(load, node, state->path);
    state->tags = load_tags(load, node);
    if (state->type == WF_SHALLOW || state->type == WF_DEEP)
        state->history = load->machine->history_count++;
    wf_check_description(load, node);
}

static wf_source *new_source(wf_load *load, const wf_node *node)
{
    wf_source *source = wf_arena_zero(&load->scratch, sizeof *source);

    if (source)
        source->node = *node;
    return source;
}

static uint32_t add_state(wf_load *load, const wf_node *node, uint32_t parent)
{
    bool root = parent == WF_NONE;
    wf_source *source = new_source(load, node);
    wf_state state = {.parent = parent, .initial = WF_NONE, .done_event = WF_NONE};

    if (!source)
        return WF_NONE;
    state.path = root ? name_of("", 0) : path_of(load, node, parent);
    state.key = root ? state.path : name_of(node->place.key, node->place.key_length);
    state.depth = root ? 0 : wf_load_state(load, parent)->depth + 1;
    fill_in(load, &state, node, root);
    wf_load_intern(load, &load->machine->paths, state.path.text, state.path.length);
    wf_load_push(load, &load->sources, &source);
    wf_load_push(load, &load->states, &state);
    WF_INVARIANT(load->failed || load->sources.count == load->states.count);
    if (state.depth > load->machine->max_depth)
        load->machine->max_depth = state.depth;
    return load->failed ? WF_NONE : (uint32_t)load->states.count - 1;
}

static bool within_limits(wf_load *load, const wf_node *node, uint32_t depth)
{
    if (load->states.count >= load->limits.max_states) {
        if (load->states.count == load->limits.max_states)
            wf_load_error_limit(load, node, "more than %u states", load->limits.max_states);
        return false;
    }
    if (depth <= load->limits.max_depth)
        return true;
    wf_load_error_limit(load, node, "states nest deeper than %u levels",
                        load->limits.max_depth);
    return false;
}

static void add_tree(wf_load *load, const wf_node *node, uint32_t parent);

static void add_children(wf_load *load, uint32_t state)
{
    wf_source *source = *(wf_source **)wf_vector_at(&load->sources, state);
    wf_node states;

    if (!wf_node_get(&states, &source->node, "states") ||
        !wf_expect(load, &states, WF_OBJECT, "an object of states by key"))
        return;
    source->states = states.place;
    source->states.up = &source->node.place;
    states.place = source->states;
    for (uint32_t i = 0; i < states.value->length && !load->failed; i++) {
        wf_node child = wf_node_member(&states, i);

        child.place.up = &source->states;
        check_key(load, &child);
        if (wf_expect(load, &child, WF_OBJECT, "a state, an object"))
            add_tree(load, &child, state);
    }
}

static void check_region(wf_load *load, uint32_t state)
{
    const wf_state *own = wf_load_state(load, state);

    if (own->type == WF_FINAL && own->parent != WF_NONE &&
        wf_load_state(load, own->parent)->type == WF_PARALLEL)
        wf_load_error(load, &wf_load_source(load, state)->node, "bad-type",
                      "a region of a parallel state cannot be final itself");
}

static void add_tree(wf_load *load, const wf_node *node, uint32_t parent)
{
    uint32_t depth = parent == WF_NONE ? 0 : wf_load_state(load, parent)->depth + 1;
    uint32_t state;

    if (!within_limits(load, node, depth))
        return;
    state = add_state(load, node, parent);
    if (state == WF_NONE)
        return;
    check_region(load, state);
    add_children(load, state);
    if (load->failed)
        return;
    wf_load_state(load, state)->end = (uint32_t)load->states.count;
    WF_INVARIANT(wf_load_state(load, state)->end > state);
}

void wf_load_states(wf_load *load, const wf_node *root)
{
    add_tree(load, root, WF_NONE);
    if (load->failed || load->limited || !load->states.count)
        return;
    if (wf_load_state(load, 0)->type == WF_ATOMIC)
        wf_load_error(load, root, "missing-key", "a machine needs \"states\"");
    wf_load_names_of_states(load);
}
