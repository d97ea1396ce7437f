#include "drawing.h"

static const char *const descriptors[] = {
    "a", "b", "c", "a.x", "a.y", "a.*", "a.x.*", "*", "go", "d", "error.execution", "e"};

/* ---- transitions ---- */

void put_transition(chart *self, const char *event, bool guarded)
{
    const char *comma = "";
    put(self, "{");
    if (event) {
        put(self, "\"event\":\"%s\"", event);
        comma = ",";
    }
    if (chance_of(self, 75)) {
        put(self, "%s\"target\":", comma);
        put_targets(self, 0);
        comma = ",";
    }
    if (guarded || chance_of(self, 35)) {
        put(self, "%s\"guard\":", comma);
        put_guard(self);
        comma = ",";
    }
    if (chance_of(self, 20)) {
        put(self, "%s\"reenter\":true", comma);
        comma = ",";
    }
    if (chance_of(self, 50)) {
        put(self, "%s\"actions\":", comma);
        put_actions(self, 0);
    }
    put(self, "}");
}

static void put_on_list(chart *self, int count)
{
    put(self, ",\"on\":[");
    for (int i = 0; i < count; i++) {
        if (i > 0)
            put(self, ",");
        put_transition(self, DRAW_FROM(&self->random, descriptors), false);
    }
    put(self, "]");
}

static void put_on_object(chart *self, int count)
{
    uint32_t from = draw(&self->random, 12);
    put(self, ",\"on\":{");
    for (int i = 0; i < count; i++) {
        put(self, "%s\"%s\":[", i > 0 ? "," : "", descriptors[(from + (uint32_t)i * 5) % 12]);
        put_transition(self, NULL, false);
        if (chance_of(self, 25)) {
            put(self, ",");
            put_transition(self, NULL, false);
        }
        put(self, "]");
    }
    put(self, "}");
}

void put_transitions(chart *self)
{
    int count = (int)draw(&self->random, 4);
    if (count > 0 && chance_of(self, 20))
        put_on_list(self, count);
    else if (count > 0)
        put_on_object(self, count);
    if (chance_of(self, 12)) {
        put(self, ",\"always\":[");
        put_transition(self, NULL, true);
        put(self, "]");
    }
}

void put_after(chart *self)
{
    uint32_t first = draw(&self->random, 4) * 10;
    put(self, ",\"after\":{\"%u\":", first);
    put_transition(self, NULL, false);
    if (chance_of(self, 30)) {
        put(self, ",\"%u\":", first + 15);
        put_transition(self, NULL, false);
    }
    put(self, "}");
}

/* ---- invocations ---- */

static void put_invoke(chart *self)
{
    put(self, "{\"id\":\"job%d\",", ++self->invokes);
    if (chance_of(self, 30))
        put(self, "\"src\":{\"if\":[{\"var\":\"context.m\"},\"one\",\"two\"]},"
                  "\"srcs\":[\"one\",\"two\"]");
    else
        put(self, "\"src\":\"%s\"", chance_of(self, 50) ? "one" : "two");
    if (chance_of(self, 60)) {
        put(self, ",\"input\":");
        put_value(self);
    }
    if (chance_of(self, 50))
        put(self, ",\"timeoutMs\":%u", 5 + draw(&self->random, 6) * 10);
    if (chance_of(self, 40))
        put(self, ",\"output\":{\"type\":\"object\",\"required\":[\"ok\"]}");
    if (chance_of(self, 50))
        put(self,
            ",\"retry\":[{\"errors\":[\"network\",\"timeout\"],\"maxAttempts\":%u,"
            "\"intervalMs\":%u,\"backoffRate\":2,\"jitter\":%s}%s]",
            1 + draw(&self->random, 3), draw(&self->random, 3) * 10,
            chance_of(self, 30) ? "true" : "false",
            chance_of(self, 40) ? ",{\"errors\":[\"schema\"],\"maxAttempts\":2}" : "");
    if (chance_of(self, 40))
        put(self, ",\"onUnknown\":\"%s\"", chance_of(self, 50) ? "retry" : "escalate");
    for (int i = 0; i < 2; i++)
        if (chance_of(self, 60)) {
            put(self, ",\"%s\":", i == 0 ? "onDone" : "onError");
            put_transition(self, NULL, false);
        }
    put(self, "}");
}

void put_invokes(chart *self)
{
    bool two = chance_of(self, 30);
    put(self, ",\"invoke\":%s", two ? "[" : "");
    put_invoke(self);
    if (two) {
        put(self, ",");
        put_invoke(self);
        put(self, "]");
    }
}
