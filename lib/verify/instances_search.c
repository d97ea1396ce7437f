/* verify/instances_search.c: the search for a combination that violates a property. A node is a state of
 * the parent, and for each invocation how many of its children are withdrawn and not stopped. */
#include "base/error.h"
#include "base/memory.h"
#include "logic/expr_tree.h"
#include "verify/instances.h"

enum { VECTORS_MOST = 512, FOUND_MOST = 6, UNLIMITED = -1 };
/* Up to WF_COUNT_MOST, and any number. */
enum { ANY_NUMBER = WF_COUNT_MOST + 1, NUMBERS };
#define NODES_MOST ((size_t)20000000)
#define NO_PARENT UINT32_MAX /* of a start */
#define EVALUATIONS_MOST ((uint64_t)5000000)

/* How many children there are for each question, up to the cap; and how that came about. */
typedef struct vector {
    uint8_t counts[WF_QUESTIONS_MOST];
    uint32_t before; /* the vector without `added`; of the first one: itself */
    wf_child_member added;
} vector;

typedef struct vectors {
    vector *list;
    uint32_t count;
    bool full;
} vectors;

typedef struct product {
    wf_instances *self;
    const wf_property *property;
    uint8_t *triggered; /* of the property (property.h) */
    wf_child_mask asked;
    uint32_t most, cap;
    uint32_t used[WF_WATCHED_MOST], used_count;
    vectors *of; /* by place in `used`, how many are outstanding (see NUMBERS), and withdrawn */
    size_t codes; /* combinations of numbers of withdrawn children */
    uint32_t *parents, *by, *queue; /* of nodes: + 1, 0: not seen; the link that leads there */
    size_t head, tail;
    uint64_t evaluations;
    const char *why;
    wf_arena scratch;
    wf_combination_sink *sink;
    void *user;
    uint32_t found;
    bool done;
} product;

/* ---- vectors ---- */

static bool is_known(const vectors *all, const vector *one)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (memcmp(all->list[i].counts, one->counts, sizeof one->counts) == 0)
            return true;
    return false;
}

static void add_child(const product *self, vectors *all, uint32_t to, wf_child_member added)
{
    vector next = all->list[to];
    next.before = to;
    next.added = added;
    for (uint32_t q = 0; q < WF_QUESTIONS_MOST; q++)
        if ((added.mask >> q & 1) && next.counts[q] < self->cap)
            next.counts[q]++;
    if (is_known(all, &next))
        return;
    if (all->count == VECTORS_MOST)
        all->full = true;
    else
        all->list[all->count++] = next;
}

/* Up to so many children more, each with one of the masks. */
static void add_children(const product *self, vectors *all, const wf_child_masks *masks,
                         int32_t times, wf_child_member kind)
{
    uint32_t begun = 0;
    for (int32_t i = 0; i != times && begun < all->count && !all->full; i++) {
        uint32_t end = all->count;
        for (uint32_t v = begun; v < end; v++)
            for (uint32_t m = 0; m < masks->count; m++) {
                kind.mask = masks->list[m] & self->asked;
                if (kind.mask)
                    add_child(self, all, v, kind);
            }
        begun = end;
    }
}

/* The most children of one invocation that are not withdrawn. */
static int32_t most_outstanding(const product *self, const wf_child *child)
{
    const wf_invoke *invoke = &self->self->report->machine->invokes[child->invoke];
    wf_value most, items;
    int32_t count = UNLIMITED;
    if (!invoke->items)
        return 1;
    if (wf_expr_constant(invoke->items, &items) && items.type == WF_ARRAY &&
        items.length <= WF_COUNT_MOST)
        count = (int32_t)items.length;
    bool known = invoke->most && wf_expr_constant(invoke->most, &most) &&
                 most.type == WF_NUMBER && most.as.number >= 1 &&
                 most.as.number <= WF_COUNT_MOST;
    if (known && (count == UNLIMITED || (int32_t)most.as.number < count))
        count = (int32_t)most.as.number;
    return count;
}

/* How many of them there are in a state of the parent. */
static int32_t outstanding(const product *self, size_t state, uint32_t place)
{
    const wf_instances *all = self->self;
    const uint32_t k = self->used[place];
    const int32_t open = all->open[state * all->count + k];
    const int32_t most = most_outstanding(self, &all->children[k]);
    return open == 0 ? 0 : most == UNLIMITED || open > most ? most : open;
}

static bool find_vectors(product *self, uint32_t place, int32_t open, uint32_t left,
                         vectors *all)
{
    uint32_t k = self->used[place];
    const wf_child *child = &self->self->children[k];
    int32_t gone = left == self->cap ? UNLIMITED : (int32_t)left;
    all->list = wf_arena_zero(&self->self->arena, VECTORS_MOST * sizeof *all->list);
    if (!all->list)
        return false;
    all->count = 1;
    add_children(self, all, &child->running, gone, (wf_child_member){(uint8_t)k, true, 0});
    if (open != 0) {
        wf_child_masks both = child->running;
        for (uint32_t m = 0; m < child->ended.count && both.count < WF_MASKS_MOST; m++)
            both.list[both.count++] = child->ended.list[m];
        both.full = child->running.count + child->ended.count > WF_MASKS_MOST;
        all->full |= both.full;
        add_children(self, all, &both, open, (wf_child_member){(uint8_t)k, false, 0});
    }
    if (all->full)
        self->why = "the children can be in too many combinations of states";
    return true;
}

static vectors *vectors_of(const product *self, uint32_t place, int32_t open, uint32_t left)
{
    const uint32_t number = open == UNLIMITED ? ANY_NUMBER : (uint32_t)open;
    return &self->of[(place * NUMBERS + number) * (self->cap + 1u) + left];
}

/* With each number of withdrawn ones. */
static bool find_vectors_with(product *self, uint32_t place, int32_t open)
{
    for (uint32_t left = 0; left <= self->cap; left++) {
        vectors *all = vectors_of(self, place, open, left);
        if (!all->list && !find_vectors(self, place, open, left, all))
            return false;
    }
    return true;
}

/* Of those numbers that some state has. */
static bool find_all_vectors(product *self)
{
    const uint32_t states = self->self->search->space.count;
    self->of = wf_arena_zero(&self->self->arena, self->used_count * (size_t)NUMBERS *
                                                     (self->cap + 1u) * sizeof *self->of);
    if (!self->of)
        return false;
    for (uint32_t u = 0; u < self->used_count; u++)
        for (uint32_t s = 0; s < states; s++)
            if (!find_vectors_with(self, u, outstanding(self, s, u)))
                return false;
    return true;
}

/* ---- nodes ---- */

static uint32_t left_in(const product *self, size_t code, uint32_t place)
{
    for (uint32_t u = 0; u < place; u++)
        code /= self->cap + 1u;
    return (uint32_t)(code % (self->cap + 1u));
}

static uint32_t left_after(const product *self, size_t state, uint32_t place, uint32_t left,
                           wf_parent_move label)
{
    const uint32_t k = self->used[place];
    int32_t count = outstanding(self, state, place);
    if (!(label.left >> k & 1))
        return left;
    if (label.one >> k & 1)
        count = 1;
    else if (label.rest >> k & 1 && count > 0)
        count--;
    bool beyond = count == UNLIMITED || left + (uint32_t)count >= self->cap;
    return beyond ? self->cap : left + (uint32_t)count;
}

static size_t code_after(const product *self, size_t node, wf_parent_move label)
{
    const size_t state = node / self->codes, code = node % self->codes;
    size_t weight = 1, next = 0;
    for (uint32_t u = 0; u < self->used_count; u++) {
        next += left_after(self, state, u, left_in(self, code, u), label) * weight;
        weight *= self->cap + 1u;
    }
    return next;
}

static void visit(product *self, size_t node, uint32_t parent, uint32_t link)
{
    if (self->parents[node])
        return;
    self->parents[node] = parent + 1;
    self->by[node] = link;
    self->queue[self->tail++] = (uint32_t)node;
}

/* A result needs a child that ends well. */
static bool is_possible(const product *self, wf_parent_move label)
{
    const wf_child *child = &self->self->children[label.result ? label.result - 1 : 0];
    return label.result == 0 || child->why || child->ends_well;
}

static void follow(product *self, size_t node)
{
    const wf_instances *all = self->self;
    size_t state = node / self->codes;
    for (size_t i = all->first[state]; i < all->first[state + 1]; i++) {
        const wf_parent_link *link = &all->links[i];
        if (is_possible(self, link->label))
            visit(self, link->to * self->codes + code_after(self, node, link->label),
                  (uint32_t)node, (uint32_t)i);
    }
}

/* ---- what violates the property ---- */

static void take_group(const product *self, size_t node, const uint32_t *chosen,
                       wf_child_group *group)
{
    size_t state = node / self->codes, code = node % self->codes;
    *group = (wf_child_group){0};
    for (uint32_t u = 0; u < self->used_count; u++) {
        int32_t open = outstanding(self, state, u);
        const vectors *all = vectors_of(self, u, open, left_in(self, code, u));
        for (uint32_t v = chosen[u]; v != 0; v = all->list[v].before) {
            group->more |= group->count == WF_GROUP_MOST;
            if (!group->more)
                group->list[group->count++] = all->list[v].added;
        }
    }
}

static int32_t tell(product *self, size_t node, const uint32_t *chosen)
{
    wf_combination found = {.count = 1};
    for (size_t n = node; self->parents[n] != NO_PARENT; n = self->parents[n] - 1u)
        found.count++;
    found.states = wf_arena_zero(&self->self->arena, found.count * sizeof *found.states);
    found.labels = wf_arena_zero(&self->self->arena, found.count * sizeof *found.labels);
    if (!found.states || !found.labels)
        return wf_no_memory(self->self->error);
    for (size_t n = node, i = found.count; i-- > 0; n = self->parents[n] - 1u) {
        found.states[i] = (uint32_t)(n / self->codes);
        if (i > 0)
            found.labels[i] = self->self->links[self->by[n]].label;
    }
    take_group(self, node, chosen, &found.group);
    self->found++;
    return self->sink(self->user, &found, &self->done);
}

static int32_t ask(product *self, const uint32_t *chosen, size_t node, bool *violated)
{
    uint32_t counts[WF_QUESTIONS_MOST] = {0};
    size_t state = node / self->codes, code = node % self->codes;
    for (uint32_t u = 0; u < self->used_count; u++) {
        int32_t open = outstanding(self, state, u);
        const vectors *all = vectors_of(self, u, open, left_in(self, code, u));
        for (uint32_t q = 0; q < WF_QUESTIONS_MOST; q++)
            counts[q] += all->list[chosen[u]].counts[q];
    }
    if (self->evaluations++ == EVALUATIONS_MOST)
        self->why = "the children can be in too many combinations of states";
    wf_arena_reset(&self->scratch);
    return wf_instances_ask(self->property, &self->self->search->explorer.snapshot, counts,
                            &self->scratch, self->triggered, violated);
}

static bool next_choice(const product *self, size_t node, uint32_t *chosen)
{
    size_t state = node / self->codes, code = node % self->codes;
    for (uint32_t u = 0; u < self->used_count; u++) {
        int32_t open = outstanding(self, state, u);
        if (++chosen[u] < vectors_of(self, u, open, left_in(self, code, u))->count)
            return true;
        chosen[u] = 0;
    }
    return false;
}

static int32_t look(product *self, size_t node)
{
    uint32_t chosen[WF_WATCHED_MOST] = {0};
    size_t length;
    const uint8_t *key =
        wf_state_space_key(&self->self->search->space, (uint32_t)(node / self->codes), &length);
    int32_t status = wf_state_key_restore(&self->self->search->explorer, key, length);
    bool violated = false, more = true;
    while (status == WFSM_OK && more && !violated && !self->why) {
        status = ask(self, chosen, node, &violated);
        if (status == WFSM_OK && violated)
            status = tell(self, node, chosen);
        more = next_choice(self, node, chosen);
    }
    return status;
}

/* ---- the search ---- */

static bool begin(product *self)
{
    const wf_search *search = self->self->search;
    const wfsm_allocator *allocator = search->explorer.allocator;
    self->codes = 1;
    for (uint32_t u = 0; u < self->used_count && self->codes <= NODES_MOST; u++)
        self->codes *= self->cap + 1u;
    size_t nodes = search->space.count * self->codes;
    if (self->codes > NODES_MOST || nodes > NODES_MOST) {
        self->why = "parent and children have too many states together";
        return true;
    }
    self->parents = wf_new(allocator, (nodes + 1) * sizeof *self->parents);
    self->by = wf_new(allocator, (nodes + 1) * sizeof *self->by);
    self->queue = wf_new(allocator, (nodes + 1) * sizeof *self->queue);
    return self->parents && self->by && self->queue && find_all_vectors(self);
}

static void end(product *self)
{
    const wfsm_allocator *allocator = self->self->search->explorer.allocator;
    wf_free(allocator, self->parents);
    wf_free(allocator, self->by);
    wf_free(allocator, self->queue);
    wf_arena_fini(&self->scratch);
}

static int32_t run(product *self)
{
    const wf_state_space *space = &self->self->search->space;
    int32_t status = WFSM_OK;
    for (uint32_t s = 0; s < space->count; s++)
        if (space->parents[s] == WF_NONE)
            visit(self, s * self->codes, NO_PARENT - 1u, 0);
    while (self->head < self->tail && !self->done && !self->why && status == WFSM_OK) {
        size_t node = self->queue[self->head++];
        status = look(self, node);
        follow(self, node);
        if (self->found == FOUND_MOST)
            break;
    }
    return status;
}

/* The invocations that the rule asks about, and why nothing is known of their children. */
static void find_used(product *self)
{
    for (uint32_t k = 0; k < self->self->count; k++) {
        const wf_child *child = &self->self->children[k];
        bool is = false;
        for (uint32_t q = 0; q < self->self->report->machine->child_question_count; q++)
            is |= (self->asked >> q & 1) &&
                  self->self->report->machine->child_questions[q].invoke == child->invoke;
        if (!is)
            continue;
        self->used[self->used_count++] = k;
        if (child->why && !self->why)
            self->why = child->why;
    }
}

int32_t wf_instances_search(wf_instances *self, uint32_t property, wf_combination_sink *sink,
                            void *user, const char **why)
{
    product product_ = {.self = self,
                        .property = &self->report->machine->properties[property],
                        .triggered = &self->search->explorer.triggered[property],
                        .sink = sink,
                        .user = user};
    int32_t status = WFSM_OK;
    wf_arena_init(&product_.scratch, self->search->explorer.allocator, 0);
    if (!wf_rule_counts(product_.property->of.rule, &product_.most, &product_.asked))
        product_.why = "a number of children is not compared with constants up to 16";
    else if (self->search->symbolic && wf_rule_reads(product_.property->of.rule))
        product_.why = "a rule of `instances` looks at data that is searched over symbols";
    else
        find_used(&product_);
    product_.cap = product_.most + 1 > 2 ? product_.most + 1 : 2;
    if (!product_.why && !begin(&product_))
        status = wf_no_memory(self->error);
    if (!product_.why && status == WFSM_OK)
        status = run(&product_);
    *why = product_.why;
    end(&product_);
    return status;
}
