#include "verify/constraints.h"

#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"

static void succeed(wf_constraints *self, wf_value_domain *domain)
{
    if (domain->fails) {
        domain->fails = false;
        wf_constraints_note(self, domain, true);
    }
}

/* ---- comparisons ---- */

static double below(const wf_value_domain *domain, double number)
{
    return domain->whole && fabs(number) < 9e15 ? ceil(number) - 1
                                                : nextafter(number, -INFINITY);
}

static double above(const wf_value_domain *domain, double number)
{
    return domain->whole && fabs(number) < 9e15 ? floor(number) + 1
                                                : nextafter(number, INFINITY);
}

/* The term a is less than b, or not greater. */
static void order_numbers(wf_constraints *self, wf_value_domain *a, wf_value_domain *b,
                          bool strict)
{
    double most = strict ? below(a, b->most) : b->most;
    double least = strict ? above(b, a->least) : a->least;
    wf_constraints_note(self, a, wf_domain_at_most(a, most));
    wf_constraints_note(self, b, wf_domain_at_least(b, least));
}

static void order_texts(wf_constraints *self, wf_value_domain *a, wf_value_domain *b,
                        bool strict)
{
    wf_text_bound most = wf_domain_text_end(b, false), least = wf_domain_text_end(a, true),
                  none = {0};
    most.strict |= strict;
    least.strict |= strict;
    wf_constraints_note(self, a, wf_domain_text_bounds(a, none, most));
    wf_constraints_note(self, b, wf_domain_text_bounds(b, least, none));
}

static bool is_converted(const wf_value_domain *text, const wf_value_domain *other)
{
    return text->types == WF_TYPE_STRING &&
           wf_domain_only(other, WF_TYPE_NUMBER | WF_TYPE_BOOLEAN) && other->types;
}

/* A text and a number: the text is one, too. */
static void order_worths(wf_constraints *self, wf_value_domain *a, wf_value_domain *b,
                         bool strict)
{
    wf_interval x = wf_interval_of(a), y = wf_interval_of(b);
    double most = strict ? nextafter(y.most, -INFINITY) : y.most;
    double least = strict ? nextafter(x.least, INFINITY) : x.least;
    if (a->types == WF_TYPE_STRING)
        wf_constraints_note(self, a, wf_domain_worth(a, -INFINITY, most));
    else if (a->types == WF_TYPE_NUMBER)
        wf_constraints_note(self, a, wf_domain_at_most(a, most));
    if (b->types == WF_TYPE_STRING)
        wf_constraints_note(self, b, wf_domain_worth(b, least, INFINITY));
    else if (b->types == WF_TYPE_NUMBER)
        wf_constraints_note(self, b, wf_domain_at_least(b, least));
}

static void order(wf_constraints *self, wf_value_domain *a, wf_value_domain *b, bool strict)
{
    if (is_converted(a, b) || is_converted(b, a)) {
        order_worths(self, a, b, strict);
        return;
    }
    if (a->types == WF_TYPE_NUMBER && b->types == WF_TYPE_NUMBER)
        order_numbers(self, a, b, strict);
    else if (a->types == WF_TYPE_STRING && b->types == WF_TYPE_STRING)
        order_texts(self, a, b, strict);
}

static bool is_order(const wf_term_node *node)
{
    return node->count == 2 && wf_term_operator(node)[0] == '<';
}

/* What one comparison says of another one of the same two values, whatever their types: 1 that it is true, 0 that it is
 * not, -1 nothing. They fail for the same values. */
static int says(const wf_term_node *one, bool truth, const wf_term_node *other)
{
    const bool less = wf_term_is(one, "<"), other_less = wf_term_is(other, "<");
    const wf_term a = one->operands[0], b = one->operands[1];
    if (other->operands[0] == b && other->operands[1] == a)
        return truth && (less || other_less) ? 0 : -1;
    if (other->operands[0] != a || other->operands[1] != b || less == other_less)
        return -1;
    return less == truth ? (int)truth : -1;
}

static void narrow_others(wf_constraints *self, const wf_term_node *node, bool truth)
{
    for (uint32_t i = 0; i < self->count; i++) {
        const wf_term_node *other = wf_term_at(self->terms, self->list[i]);
        wf_value_domain *domain = &self->domains[i];
        const int yes = is_order(other) ? says(node, truth, other) : -1;
        if (yes >= 0)
            wf_constraints_note(self, domain, wf_domain_keep_truth(domain, yes));
    }
}

static void narrow_order(wf_constraints *self, const wf_term_node *node, bool truth)
{
    wf_comparison said;
    if (wf_comparison_of(node, truth, &said))
        order(self, wf_constraints_domain(self, said.first),
              wf_constraints_domain(self, said.second), said.strict);
    narrow_others(self, node, truth);
}

static void unite(wf_constraints *self, wf_value_domain *a, wf_value_domain *b)
{
    wf_value_domain one = *a, two = *b;
    one.fails = two.fails = true;
    wf_constraints_note(self, a, wf_domain_meet(a, &two));
    wf_constraints_note(self, b, wf_domain_meet(b, &one));
}

static void part(wf_constraints *self, wf_value_domain *a, wf_value_domain *b)
{
    wf_value value, *kept;
    if (!wf_domain_single(b, &value) || !(kept = wf_arena_take(self->arena, sizeof *kept)))
        return;
    *kept = value;
    wf_constraints_note(self, a, wf_domain_drop(a, kept));
}

static void narrow_same(wf_constraints *self, const wf_term_node *node, bool equal)
{
    wf_value_domain *a = wf_constraints_operand(self, node, 0),
                    *b = wf_constraints_operand(self, node, 1);
    if (equal) {
        unite(self, a, b);
    } else {
        part(self, a, b);
        part(self, b, a);
    }
}

static void narrow_equal(wf_constraints *self, const wf_term_node *node, bool equal)
{
    uint8_t types = wf_constraints_operand(self, node, 0)->types;
    wf_value_domain *a = wf_constraints_operand(self, node, 0),
                    *b = wf_constraints_operand(self, node, 1);
    if ((types == WF_TYPE_NUMBER || types == WF_TYPE_STRING) && b->types == types)
        narrow_same(self, node, equal);
    if (!equal || (!is_converted(a, b) && !is_converted(b, a)))
        return;
    order_worths(self, a, b, false);
    order_worths(self, b, a, false);
}

/* A value that is in a list fits one of its elements: `all` is the domain of these. */
static void narrow_found(wf_constraints *self, wf_value_domain *value, wf_value_domain all)
{
    all.fails = true;
    wf_constraints_note(self, value, wf_domain_meet(value, &all));
}

static void narrow_in_known(wf_constraints *self, wf_value_domain *value, const wf_value *list,
                            bool found)
{
    wf_value_domain all = wf_domain_of_types(0);
    for (uint32_t i = 0; i < list->length; i++) {
        wf_value_domain one = wf_domain_of_value(&list->as.items[i]);
        all = i == 0 ? one : wf_domain_join(&all, &one);
        if (!found)
            wf_constraints_note(self, value, wf_domain_drop(value, &list->as.items[i]));
    }
    if (found && list->length > 0)
        narrow_found(self, value, all);
}

static void narrow_in_seen(wf_constraints *self, wf_value_domain *value,
                           const wf_term_node *list, bool found)
{
    wf_value_domain all = wf_domain_of_types(0);
    for (uint32_t i = 0; i < list->count; i++) {
        const wf_value_domain *one = wf_constraints_operand(self, list, i);
        all = i == 0 ? *one : wf_domain_join(&all, one);
        if (!found)
            part(self, value, wf_constraints_operand(self, list, i));
    }
    if (found && list->count > 0)
        narrow_found(self, value, all);
}

/* Of a list that is not seen, schemas may say what is in it. */
static void narrow_in_list(wf_constraints *self, wf_value_domain *value, wf_term list)
{
    wf_schema_group group = {.count = 0};
    if (!wf_chain_schemas(self->terms, list, &group))
        return;
    for (uint32_t i = 0; i < group.count; i++)
        if (group.list[i]->items && !group.list[i]->prefix.set)
            narrow_found(self, value, wf_domain_of_schema(group.list[i]->items));
}

static void narrow_in(wf_constraints *self, const wf_term_node *node, bool found)
{
    wf_value_domain *value = wf_constraints_operand(self, node, 0),
                    *whole = wf_constraints_operand(self, node, 1);
    const wf_term_node *list = wf_term_at(self->terms, node->operands[1]);
    if (found)
        wf_constraints_note(self, whole,
                            wf_domain_keep_types(whole, WF_TYPE_ARRAY | WF_TYPE_STRING));
    if (whole->types != WF_TYPE_ARRAY)
        return;
    if (found)
        wf_constraints_note(self, whole, wf_domain_length(whole, 1, INFINITY));
    if (whole->known && whole->known->type == WF_ARRAY)
        narrow_in_known(self, value, whole->known, found);
    else if (list->kind == WF_TERM_ARRAY)
        narrow_in_seen(self, value, list, found);
    else if (found)
        narrow_in_list(self, value, node->operands[1]);
}

/* What was compared is no list and no object. */
static void narrow_compared(wf_constraints *self, const wf_term_node *node)
{
    const char *name = wf_term_operator(node);
    if (node->count != 2 || (name[0] != '<' && strcmp(name, "==") != 0))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        wf_value_domain *one = wf_constraints_operand(self, node, i);
        wf_constraints_note(
            self, one, wf_domain_keep_types(one, WF_TYPES & ~(WF_TYPE_ARRAY | WF_TYPE_OBJECT)));
        if (is_converted(one, wf_constraints_operand(self, node, 1 - i)))
            wf_constraints_note(self, one, wf_domain_worth(one, -INFINITY, INFINITY));
    }
}

static void narrow_truth(wf_constraints *self, const wf_term_node *node, bool truth)
{
    const char *name = wf_term_operator(node);
    wf_value_domain *first = wf_constraints_operand(self, node, 0);
    if (strcmp(name, "!") == 0 || strcmp(name, "!!") == 0)
        wf_constraints_note(self, first,
                            wf_domain_keep_truth(first, truth == (name[1] == '!')));
    else if (node->count != 2)
        return;
    else if (name[0] == '<')
        narrow_order(self, node, truth);
    else if (strcmp(name, "===") == 0)
        narrow_same(self, node, truth);
    else if (strcmp(name, "==") == 0)
        narrow_equal(self, node, truth);
    else if (strcmp(name, "in") == 0)
        narrow_in(self, node, truth);
}

/* ---- all of them ---- */

static void narrow_length(wf_constraints *self, const wf_term_node *node,
                          const wf_value_domain *length)
{
    wf_value_domain *of = wf_constraints_operand(self, node, 0);
    const uint8_t counted = WF_TYPE_STRING | WF_TYPE_ARRAY;
    wf_constraints_note(self, of, wf_domain_keep_types(of, counted | WF_TYPE_OBJECT));
    if (wf_domain_only(of, counted))
        wf_constraints_note(self, of, wf_domain_length(of, length->least, length->most));
}

static void narrow_cut(wf_constraints *self, const wf_term_node *node,
                       const wf_value_domain *cut)
{
    wf_value_domain *text = wf_constraints_operand(self, node, 0);
    wf_constraints_note(self, text, wf_domain_keep_types(text, WF_TYPE_STRING));
    wf_prefix_narrow(self, node, cut);
}

static void narrow_applied(wf_constraints *self, const wf_term_node *node,
                           const wf_value_domain *domain)
{
    narrow_compared(self, node);
    if (domain->types == WF_TYPE_BOOLEAN && domain->truths != 3)
        narrow_truth(self, node, domain->truths == 2);
    else if (wf_term_is(node, "length"))
        narrow_length(self, node, domain);
    else if (wf_term_is(node, "substr"))
        narrow_cut(self, node, domain);
    else if (domain->types == WF_TYPE_NUMBER)
        wf_narrow_number(self, node, domain);
}

/* What has a part that is not null is an object or a list. */
static void narrow_whole(wf_constraints *self, const wf_term_node *node,
                         const wf_value_domain *part)
{
    wf_value_domain *whole = wf_constraints_operand(self, node, 0);
    bool is_there = node->kind == WF_TERM_HAS ? part->truths == 2
                                              : part->types && !(part->types & WF_TYPE_NULL);
    if (!is_there)
        return;
    wf_constraints_note(self, whole,
                        wf_domain_keep_types(whole, WF_TYPE_OBJECT | WF_TYPE_ARRAY));
    if (node->kind == WF_TERM_ELEMENT && whole->types == WF_TYPE_ARRAY)
        wf_constraints_note(self, whole, wf_domain_length(whole, node->index + 1.0, INFINITY));
}

void wf_narrow_down(wf_constraints *self, uint32_t place)
{
    const wf_term_node *node = wf_term_at(self->terms, self->list[place]);
    const wf_value_domain domain = self->domains[place];
    if (domain.fails || domain.types == 0)
        return;
    for (uint32_t i = 0; i < node->count; i++)
        succeed(self, wf_constraints_operand(self, node, i));
    if (node->kind == WF_TERM_APPLY)
        narrow_applied(self, node, &domain);
    else if (node->kind == WF_TERM_MEMBER || node->kind == WF_TERM_ELEMENT ||
             node->kind == WF_TERM_HAS)
        narrow_whole(self, node, &domain);
}
