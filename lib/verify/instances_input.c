/* verify/instances_input.c: what a child can be started with. Of what does not depend on a constant, only
 * the keys count that the child's rules read; for each the values of an `enum` are tried. */
#include "logic/expr_tree.h"
#include "logic/schema_tree.h"
#include "verify/instances.h"

enum { CHOICES_MOST = 256 };

/* One key of the input. */
typedef struct choice {
    const wf_member *key;
    const wf_value *values;
    uint32_t count, at;
} choice;

typedef struct choices {
    wf_instances *self;
    wf_child *child;
    wf_cones cones;
    choice *list;
    uint32_t count;
    uint32_t combinations;
} choices;

static const wf_schema *schema_of(const choices *all, const wf_member *key)
{
    bool forbidden = false;
    const wf_schema *whole = all->child->machine->context_schema;
    return whole ? wf_schema_key(whole, key->key, key->length, &forbidden) : NULL;
}

/* All values that the child's schema allows; false: there is no list of them. */
static bool take_enum(const choices *all, choice *one)
{
    static const wf_value yes_no[] = {{.type = WF_BOOLEAN, .as.boolean = true},
                                      {.type = WF_BOOLEAN, .as.boolean = false}};
    const wf_schema *schema = schema_of(all, one->key);
    if (schema && schema->options && schema->options->type == WF_ARRAY) {
        one->values = schema->options->as.items;
        one->count = schema->options->length;
        return true;
    }
    one->values = yes_no;
    one->count = 2;
    return schema && schema->types == 1u << WF_BOOLEAN;
}

static bool is_read(const choices *all, const wf_member *key)
{
    uint32_t slot = wf_names_find(&all->child->machine->keys, key->key, key->length);
    return all->cones.everything || (slot != WF_NONE && all->cones.slots[slot] != NULL);
}

static void give_up(choices *all, const char *key)
{
    all->child->why = wf_instances_text(
        all->self,
        "the child \"%s\" is started with any \"%s\"; an `enum` in its schemas.context, or a constant "
        "in the input would help",
        all->child->machine->id.text, key);
}

static bool take_member(choices *all, const wf_expr *expr, const wf_member *key)
{
    choice *one = &all->list[all->count];
    *one = (choice){.key = key};
    if (expr->node == WF_NODE_CONSTANT) {
        one->values = &expr->as.constant;
        one->count = 1;
    } else if (!is_read(all, key)) {
        return true;
    } else if (!take_enum(all, one)) {
        give_up(all, key->key);
        return false;
    }
    all->count++;
    all->combinations *= one->count;
    if (all->combinations <= CHOICES_MOST)
        return true;
    give_up(all, key->key);
    return false;
}

static bool next(choices *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (++all->list[i].at < all->list[i].count)
            return true;
        all->list[i].at = 0;
    }
    return false;
}

static bool write_all(choices *all, wf_buffer *out)
{
    wf_member *members = wf_arena_zero(&all->self->arena, (all->count + 1u) * sizeof *members);
    if (!members)
        return false;
    bool more = all->combinations > 0;
    for (bool first = true; more; first = false) {
        for (uint32_t i = 0; i < all->count; i++)
            wf_member_set(&members[i], all->list[i].key->key, all->list[i].key->length,
                          all->list[i].values[all->list[i].at]);
        wf_value whole = wf_object(members, all->count);
        wf_buffer_byte(out, first ? '[' : ',');
        wf_json_write(out, &whole);
        more = next(all);
    }
    wf_buffer_byte(out, ']');
    return !out->failed;
}

static bool reads_nothing(const choices *all)
{
    for (uint32_t i = 0; i < all->child->machine->keys.count; i++)
        if (all->cones.slots[i])
            return false;
    return !all->cones.everything;
}

/* Anything but an object or null starts no child, so that its states do not matter. */
static bool write_constant(const wf_value *input, wf_buffer *out)
{
    if (input->type != WF_OBJECT)
        return true;
    wf_buffer_byte(out, '[');
    wf_json_write(out, input);
    wf_buffer_byte(out, ']');
    return !out->failed;
}

bool wf_child_inputs(wf_instances *self, wf_child *child, wf_buffer *out)
{
    const wf_invoke *invoke = &self->report->machine->invokes[child->invoke];
    const wf_expr *input = invoke->input;
    choices all = {.self = self, .child = child, .combinations = 1};
    if (!input && !invoke->items)
        return true;
    if (!wf_cones_find(&all.cones, child->machine, NULL, 0, &self->arena))
        return false;
    if (input && input->node == WF_NODE_CONSTANT)
        return write_constant(&input->as.constant, out);
    if (!input || input->node != WF_NODE_OBJECT) { /* without one, an item is the input */
        if (!reads_nothing(&all))
            give_up(&all, "input");
        return true;
    }
    all.list = wf_arena_zero(&self->arena, (input->count + 1u) * sizeof *all.list);
    if (!all.list)
        return false;
    for (uint32_t i = 0; i < input->count; i++)
        if (!take_member(&all, &input->as.object.list[i], &input->as.object.keys[i]))
            return child->why != NULL;
    return write_all(&all, out);
}
