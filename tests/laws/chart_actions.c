#include "drawing.h"

#include <string.h>

/* ---- data ---- */

void put_value(chart *self)
{
    static const char *const values[] = {
        "1",
        "\"text\"",
        "null",
        "[1,{\"var\":\"context.n\"}]",
        "{\"var\":\"context.n\"}",
        "{\"var\":\"event.data\"}",
        "{\"kind\":{\"var\":\"event.kind\"}}",
        "{\"throw\":[]}",
        "{\"+\":[{\"var\":\"context.n\"},1]}",
        "{\"var\":\"context.o\"}",
        "{\"literal\":{\"var\":\"n\"}}",
        "{\"cat\":[\"x\",{\"var\":\"context.m\"}]}",
        "{\"with\":[{\"literal\":{\"k\":1}},\"k\",{\"var\":\"instance.now\"}]}",
        "{\"map\":[{\"var\":\"context.l\"},{\"+\":[{\"var\":\"\"},1]}]}",
        "{\"slice\":[{\"var\":\"context.l\"},0,1]}"};
    put(self, "%s", DRAW_FROM(&self->random, values));
}

void put_guard(chart *self)
{
    uint32_t kind = draw(&self->random, 9);
    if (kind == 0)
        put(self, "{\"<\":[{\"var\":\"context.n\"},%u]}", 1 + draw(&self->random, 6));
    else if (kind == 1)
        put(self, "{\"==\":[{\"%%\":[{\"var\":\"context.n\"},2]},%u]}", draw(&self->random, 2));
    else if (kind == 2)
        put(self, "{\"==\":[{\"var\":\"event.type\"},\"%s\"]}",
            chart_events[draw(&self->random, CHART_EVENTS)]);
    else if (kind == 3)
        put(self, "{\"throw\":\"no\"}");
    else if (kind == 4 || kind == 5) {
        put(self, "{\"in_state\":");
        put_id(self, draw_state(self));
        put(self, "}");
    } else if (kind == 6)
        put(self, "\"host\"");
    else if (kind == 7)
        put(self, "{\"type\":\"asks\",\"params\":{\"x\":%u,\"n\":{\"var\":\"context.n\"}}}",
            draw(&self->random, 5));
    else
        put(self, "{\"!\":[{\"var\":\"context.m\"}]}");
}

/* ---- actions ---- */

static void put_assign(chart *self)
{
    static const char *const keys[] = {"n", "o.p", "new", "o.q.r", "n.x", "l"};
    const char *key = DRAW_FROM(&self->random, keys);
    put(self, "{\"type\":\"assign\",\"params\":{\"%s\":", key);
    if (strcmp(key, "n") == 0)
        put(self, "{\"+\":[{\"var\":\"context.n\"},1]}");
    else
        put_value(self);
    put(self, ",\"m\":");
    put_value(self);
    put(self, "}}");
}

static void put_raise(chart *self, bool delayed)
{
    static const char *const events[] = {"a", "b", "a.x", "d", "e", "go"};
    put(self, "{\"type\":\"raise\",\"params\":{\"event\":\"%s\"",
        DRAW_FROM(&self->random, events));
    if (chance_of(self, 40)) {
        put(self, ",\"data\":");
        put_value(self);
    }
    if (delayed && chance_of(self, 15))
        put(self, ",\"delay\":{\"*\":[{\"var\":\"context.n\"},10]}");
    else if (delayed)
        put(self, ",\"delay\":%u", draw(&self->random, 5) * 10);
    if (chance_of(self, 50))
        put(self, ",\"id\":\"%s\"", chance_of(self, 50) ? "t" : "u");
    put(self, "}}");
}

static void put_choose(chart *self, int depth)
{
    put(self, "{\"type\":\"choose\",\"params\":{\"branches\":[{\"guard\":");
    put_guard(self);
    put(self, ",\"actions\":");
    put_actions(self, depth + 1);
    put(self, "},{\"actions\":");
    put_actions(self, depth + 1);
    put(self, "}]}}");
}

static void put_each(chart *self, int depth)
{
    static const char *const lists[] = {"{\"var\":\"context.l\"}", "[3,4,5]",
                                        "{\"var\":\"context.n\"}", "[]"};
    put(self,
        "{\"type\":\"each\",\"params\":{\"in\":%s,\"as\":\"item\",\"index\":\"at\","
        "\"actions\":",
        DRAW_FROM(&self->random, lists));
    put_actions(self, depth + 1);
    put(self, "}}");
}

static void put_action(chart *self, int depth)
{
    uint32_t kind = draw(&self->random, depth < 2 ? 13 : 10);
    if (kind < 2) {
        put(self, "{\"type\":\"log\",\"params\":{\"label\":\"l%d\",\"value\":", ++self->labels);
        put_value(self);
        put(self, "}}");
    } else if (kind < 4)
        put_assign(self);
    else if (kind < 6)
        put_raise(self, kind == 5);
    else if (kind == 6)
        put(self, "{\"type\":\"cancel\",\"params\":{\"id\":\"%s\"}}",
            chance_of(self, 50) ? "t" : "u");
    else if (kind == 7) {
        put(self, "{\"type\":\"emit\",\"params\":{\"event\":\"out%u\",\"data\":",
            draw(&self->random, 3));
        put_value(self);
        put(self, "}}");
    } else if (kind == 8)
        put(self, "{\"type\":\"does\",\"params\":{\"x\":%u}}", draw(&self->random, 5));
    else if (kind == 9)
        put(self, "{\"type\":\"raise\",\"params\":{\"event\":{\"var\":\"context.nothing\"}}}");
    else if (kind == 10 || kind == 11)
        put_choose(self, depth);
    else
        put_each(self, depth);
}

static void put_action_list(chart *self, int depth)
{
    int count = 1 + (int)draw(&self->random, 3);
    put(self, "[");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            put(self, ",");
        put_action(self, depth);
    }
    put(self, "]");
}

void put_actions(chart *self, int depth)
{
    if (!chance_of(self, 15)) {
        put_action_list(self, depth);
        return;
    }
    put(self, "[");
    put_action_list(self, depth); /* blocks of their own */
    put(self, ",");
    put_action_list(self, depth);
    put(self, "]");
}

void put_actions_key(chart *self, const char *key, uint32_t percent)
{
    if (!chance_of(self, percent))
        return;
    put(self, ",\"%s\":", key);
    put_actions(self, 0);
}
