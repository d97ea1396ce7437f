#include "drawing.h"

#include <stdlib.h>

const char *const chart_events[CHART_EVENTS] = {"a",     "b",  "c", "a.x", "a.y",
                                                "a.x.y", "go", "d", "none"};

/* ---- structure ---- */

static int add_node(chart *self, int parent, int kind)
{
    int number = self->count++;
    node *made = &self->nodes[number], *above = &self->nodes[parent];
    made->kind = kind;
    made->parent = parent;
    made->depth = above->depth + 1;
    made->own_id = chance_of(self, 20);
    if (kind >= SHALLOW)
        above->histories[above->history_count++] = number;
    else
        above->children[above->child_count++] = number;
    return number;
}

static int draw_kind(chart *self, int parent)
{
    const node *above = &self->nodes[parent];
    bool room = self->count < STATES - 10 && above->depth < 4;
    if (room && chance_of(self, above->kind == PARALLEL ? 65 : 40))
        return chance_of(self, 40) ? PARALLEL : COMPOUND;
    return above->kind == COMPOUND && above->child_count > 0 && chance_of(self, 30) ? FINAL
                                                                                    : ATOMIC;
}

static void grow(chart *self, int number)
{
    node *own = &self->nodes[number];
    int children = 2 + (int)draw(&self->random, 2);
    for (int i = 0; i < children && self->count < STATES - 4; i++) {
        int child = add_node(self, number, draw_kind(self, number));
        int kind = self->nodes[child].kind;
        if (kind == COMPOUND || kind == PARALLEL)
            grow(self, child);
    }
    if (own->child_count == 0)
        add_node(self, number, ATOMIC);
    while (number != 0 && own->history_count < 2 && chance_of(self, 35) &&
           self->count < STATES - 2)
        add_node(self, number, chance_of(self, 50) ? SHALLOW : DEEP);
}

/* ---- states ---- */

static void put_state(chart *self, int number);

static void put_children(chart *self, int number)
{
    const node *own = &self->nodes[number];
    put(self, ",\"states\":{");
    for (int i = 0; i < own->child_count; i++) {
        put(self, "%s\"%s%d\":", i > 0 ? "," : "", self->prefix, own->children[i]);
        put_state(self, own->children[i]);
    }
    for (int i = 0; i < own->history_count; i++) {
        put(self, ",\"%s%d\":", self->prefix, own->histories[i]);
        put_state(self, own->histories[i]);
    }
    put(self, "}");
}

/* A child, deep inside, or one for each region of what is inside. */
static void put_initial(chart *self, int number)
{
    const node *own = &self->nodes[number];
    bool actions = chance_of(self, 30);
    put(self, ",\"initial\":%s", actions ? "{\"target\":" : "");
    if (chance_of(self, 30) && own->history_count == 0)
        put_targets(self, number);
    else
        put(self, "\"%s%d\"", self->prefix,
            own->children[draw(&self->random, (uint32_t)own->child_count)]);
    if (actions) {
        put(self, ",\"actions\":");
        put_actions(self, 0);
        put(self, "}");
    }
}

static void put_history(chart *self, const node *own)
{
    const node *above = &self->nodes[own->parent];
    int target = above->children[draw(&self->random, (uint32_t)above->child_count)];
    bool actions = chance_of(self, 50);
    put(self, "\"type\":\"history\",\"history\":\"%s\"",
        own->kind == DEEP ? "deep" : "shallow");
    put(self, ",\"target\":%s\"%s%d\"", actions ? "{\"target\":" : "", self->prefix, target);
    if (actions) {
        put(self, ",\"actions\":");
        put_actions(self, 0);
        put(self, "}");
    }
}

static void put_body(chart *self, int number)
{
    const node *own = &self->nodes[number];
    put_actions_key(self, "entry", 40);
    put_actions_key(self, "exit", 30);
    if (chance_of(self, 20))
        put(self, ",\"tags\":[\"tag%u\"]", draw(&self->random, 3));
    if (own->kind == FINAL) {
        if (chance_of(self, 60)) {
            put(self, ",\"output\":");
            put_value(self);
        }
        return;
    }
    put_transitions(self);
    if (number == 0)
        return;
    if (chance_of(self, 20))
        put_after(self);
    if (chance_of(self, 25))
        put_invokes(self);
    if (own->kind != ATOMIC && chance_of(self, 50)) {
        put(self, ",\"onDone\":");
        put_transition(self, NULL, false);
    }
}

static void put_state(chart *self, int number)
{
    const node *own = &self->nodes[number];
    put(self, "{");
    if (own->kind >= SHALLOW)
        put_history(self, own);
    else
        put(self, "\"description\":\"-\"");
    if (own->own_id)
        put(self, ",\"id\":\"%sid%d\"", self->prefix, number);
    if (own->kind == PARALLEL)
        put(self, ",\"type\":\"parallel\"");
    if (own->kind == FINAL)
        put(self, ",\"type\":\"final\"");
    if (own->kind < SHALLOW)
        put_body(self, number);
    if (own->kind == COMPOUND)
        put_initial(self, number);
    if (own->kind == COMPOUND || own->kind == PARALLEL)
        put_children(self, number);
    put(self, "}");
}

static void put_root(chart *self)
{
    put(self, "{\"wfsm\":1,\"id\":\"random\",\"context\":{\"n\":0,\"m\":1,\"o\":{\"p\":0},"
              "\"l\":[1,2]}");
    if (self->nodes[0].kind == PARALLEL)
        put(self, ",\"type\":\"parallel\"");
    if (chance_of(self, 15))
        put(self, ",\"schemas\":{\"context\":{\"type\":\"object\",\"properties\":"
                  "{\"n\":{\"type\":\"number\",\"maximum\":6}}}}");
    if (chance_of(self, 20)) {
        put(self, ",\"restore\":{\"from\":[");
        put_id(self, draw_state(self));
        put(self, "]}");
    }
    put_body(self, 0);
    if (self->nodes[0].kind == COMPOUND)
        put_initial(self, 0);
    put_children(self, 0);
    put(self, "}");
}

char *make_chart(uint64_t seed, const char *prefix)
{
    chart self = {.random = {seed}, .prefix = prefix, .text = malloc(TEXT), .count = 1};
    self.nodes[0].kind = chance_of(&self, 15) ? PARALLEL : COMPOUND;
    self.nodes[0].parent = -1;
    grow(&self, 0);
    put_root(&self);
    return self.text;
}
