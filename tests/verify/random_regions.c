#include "random_regions.h"

enum { STATES_MOST = 4 };

typedef struct maker {
    wf_buffer *out;
    uint32_t seed, touch;
    uint32_t regions, states; /* states of each region */
    uint32_t at; /* the region at hand */
    bool resets; /* the first region lets others begin again */
    uint32_t back; /* in how many of 100 places a region enters all of them again */
    uint32_t nested; /* the region that has a state with regions; or there is none */
    bool assigns; /* its actions change the context */
    bool returns; /* the parallel state is left and entered again in other ways, too */
} maker;

/* ---- chance ---- */

static uint32_t below(maker *self, uint32_t most)
{
    self->seed = self->seed * 1664525u + 1013904223u;
    return (self->seed >> 10) % most;
}

static bool chance(maker *self, uint32_t of_100)
{
    return below(self, 100) < of_100;
}

static bool touches(maker *self)
{
    return chance(self, self->touch);
}

static void text(maker *self, const char *part)
{
    wf_buffer_text(self->out, part);
}

/* ---- names ---- */

/* This region, or now and then another one. */
static uint32_t some_region(maker *self)
{
    return touches(self) ? below(self, self->regions) : self->at;
}

static void write_key(maker *self)
{
    wf_buffer_format(self->out, "k%u", (unsigned)some_region(self));
}

static void write_event(maker *self)
{
    if (touches(self))
        text(self, "shared");
    else
        wf_buffer_format(self->out, "e%u.%u", (unsigned)self->at, (unsigned)below(self, 2));
}

static void write_inner(maker *self)
{
    wf_buffer_format(self->out, "in%u", (unsigned)some_region(self));
}

static void write_state(maker *self, uint32_t region)
{
    uint32_t state = below(self, self->states + 1);
    if (state == self->states)
        wf_buffer_format(self->out, "p.r%u.end", (unsigned)region);
    else
        wf_buffer_format(self->out, "p.r%u.s%u", (unsigned)region, (unsigned)state);
}

/* Two of them, in different regions. */
static void write_two_targets(maker *self)
{
    uint32_t first = chance(self, 70) ? self->at % self->regions : below(self, self->regions);
    uint32_t step = 1 + below(self, self->regions - 1);
    wf_buffer_format(self->out, "[\"#r%u.s%u\",\"#r%u.%s\"]", (unsigned)first,
                     (unsigned)below(self, self->states),
                     (unsigned)((first + step) % self->regions), chance(self, 40) ? "h" : "s1");
}

/* To one region or all of them, to a history, out, and back within one step. */
static void write_way_back(maker *self)
{
    static const char *const places[] = {"p", "next", "mid", "over"};
    switch (below(self, 6)) {
    case 0:
        wf_buffer_format(self->out, "\"#%s\"", places[below(self, 4)]);
        break;
    case 1:
        wf_buffer_format(self->out, "\"#r%u\"", (unsigned)below(self, self->regions));
        break;
    case 2:
        wf_buffer_format(self->out, "\"#r%u.h\"", (unsigned)below(self, self->regions));
        break;
    default:
        write_two_targets(self);
        break;
    }
}

/* Mostly a later one of the region. */
static void write_target(maker *self)
{
    uint32_t state = below(self, self->states + 2);
    if (self->returns && chance(self, self->at < self->regions - 1 ? self->back : 4)) {
        write_way_back(self);
        return;
    }
    text(self, "\"");
    if (touches(self) ? chance(self, 20) : self->at == self->regions - 1 && chance(self, 5))
        text(self, "#over");
    else if (self->at == self->nested && chance(self, 30))
        wf_buffer_format(self->out, "#r%u.q", (unsigned)self->at);
    else if (state >= self->states)
        wf_buffer_format(self->out, "#r%u.end", (unsigned)self->at);
    else
        wf_buffer_format(self->out, "#r%u.s%u", (unsigned)self->at, (unsigned)state);
    text(self, "\"");
}

/* ---- rules and actions ---- */

static void write_rule(maker *self)
{
    switch (touches(self) ? below(self, 5) : below(self, 2)) {
    case 0:
        text(self, "{\"var\":\"context.");
        write_key(self);
        text(self, "\"}");
        break;
    case 1:
        text(self, "{\"!\":{\"var\":\"context.");
        write_key(self);
        text(self, "\"}}");
        break;
    case 2:
        text(self, "{\"in_state\":\"");
        write_state(self, some_region(self));
        text(self, "\"}");
        break;
    case 3:
        text(self, "{\"===\":[{\"var\":\"event.type\"},\"done.invoke.i0.0\"]}");
        break;
    default:
        text(self, "{\">\":[{\"+\":[{\"var\":\"context.");
        write_key(self);
        text(self, "\"},1]},{\"var\":\"event.data\"}]}");
        break;
    }
}

static void write_action(maker *self)
{
    bool assigns = self->assigns || (self->returns && self->at == self->regions - 1);
    if (assigns && chance(self, 60)) {
        text(self, "{\"type\":\"assign\",\"params\":{\"");
        write_key(self);
        text(self, chance(self, 50) ? "\":true}}" : "\":false}}");
        return;
    }
    text(self, "{\"type\":\"raise\",\"params\":{\"event\":\"");
    write_inner(self);
    text(self, touches(self) && chance(self, 20) ? "\",\"delay\":10}}" : "\"}}");
}

static void write_transition(maker *self)
{
    text(self, "{");
    if (chance(self, 85)) {
        text(self, "\"target\":");
        write_target(self);
        text(self, ",");
    }
    if (chance(self, self->returns ? 50 : 30)) {
        text(self, "\"guard\":");
        write_rule(self);
        text(self, ",");
    }
    text(self, "\"actions\":[");
    if (chance(self, 40))
        write_action(self);
    text(self, "]}");
}

static void write_transitions(maker *self)
{
    text(self, "[");
    write_transition(self);
    if (chance(self, 30)) {
        text(self, ",");
        write_transition(self);
    }
    text(self, "]");
}

/* ---- states ---- */

/* The first region continues, and the last one begins again. */
static void write_reset(maker *self)
{
    wf_buffer_format(
        self->out,
        ",\"invoke\":{\"src\":\"a\",\"id\":\"i0.0\",\"output\":{\"type\":\"boolean\"},"
        "\"onDone\":{\"target\":[\"#r0.s1\",\"#r%u.s0\"]}}",
        (unsigned)self->regions - 1);
}

static void write_invoke(maker *self, uint32_t state)
{
    wf_buffer_format(self->out, ",\"invoke\":{\"src\":\"%s\",\"id\":\"i%u.%u\"",
                     touches(self) && chance(self, 20) ? "person" : "a", (unsigned)self->at,
                     (unsigned)state);
    text(self, ",\"output\":{\"type\":\"boolean\"},\"onDone\":");
    write_transitions(self);
    if (chance(self, 60)) {
        text(self, ",\"onError\":");
        write_transitions(self);
    }
    text(self, "}");
}

static void write_on(maker *self)
{
    text(self, ",\"on\":{\"");
    write_event(self);
    text(self, "\":");
    write_transitions(self);
    if (chance(self, 40)) {
        text(self, ",\"");
        write_inner(self);
        text(self, "\":");
        write_transitions(self);
    }
    if (touches(self)) {
        static const char *const others[] = {"*", "error.execution", "done.invoke.i0.0",
                                             "error.*", "done.state.r1"};
        wf_buffer_format(self->out, ",\"%s\":", others[below(self, 5)]);
        write_transitions(self);
    }
    text(self, "}");
}

static void write_simple_state(maker *self, uint32_t state)
{
    wf_buffer_format(self->out, "\"s%u\":{\"tags\":[%s]", (unsigned)state,
                     !touches(self)     ? ""
                     : chance(self, 50) ? "\"awaiting_input\""
                                        : "\"terminal\"");
    if (self->resets && self->at == 0 && state == 0)
        write_reset(self);
    else if (chance(self, 75))
        write_invoke(self, state);
    if (chance(self, 40))
        write_on(self);
    if (chance(self, 10)) {
        text(self, ",\"always\":[{\"guard\":");
        write_rule(self);
        text(self, ",\"target\":");
        write_target(self);
        text(self, "}]");
    }
    if (chance(self, 15)) {
        text(self, ",\"entry\":[");
        write_action(self);
        text(self, "]");
    }
    if (self->returns && chance(self, 3)) {
        text(self, ",\"exit\":[");
        write_action(self);
        text(self, "]");
    }
    if (touches(self) && chance(self, 20))
        wf_buffer_format(self->out, ",\"after\":{\"%u\":\"#r%u.end\"}",
                         (unsigned)(1 + below(self, 2)) * 1000, (unsigned)self->at);
    text(self, "},");
}

/* A state that has regions of its own. */
static void write_nested(maker *self)
{
    const unsigned at = (unsigned)self->at;
    text(self, "\"q\":{\"type\":\"parallel\",\"onDone\":");
    write_transitions(self);
    wf_buffer_format(
        self->out,
        ",\"states\":{\"x\":{\"initial\":\"t\",\"states\":{\"t\":{\"invoke\":{\"src\":\"a\","
        "\"id\":\"x%u\",\"onDone\":\"u\",\"onError\":\"end\"}},\"u\":{\"invoke\":{\"src\":"
        "\"a\",\"id\":\"u%u\",\"onDone\":\"end\",\"onError\":\"t\"}},\"end\":{\"type\":"
        "\"final\"}}},",
        at, at);
    wf_buffer_format(
        self->out,
        "\"y\":{\"initial\":\"t\",\"states\":{\"t\":{\"invoke\":{\"src\":\"a\",\"id\":"
        "\"y%u\",\"onDone\":\"end\",\"onError\":\"t\"}},\"end\":{\"type\":\"final\"}}}}},",
        at);
}

static void write_region(maker *self)
{
    wf_buffer_format(self->out, "\"r%u\":{\"id\":\"r%u\",\"initial\":\"s0\"",
                     (unsigned)self->at, (unsigned)self->at);
    if (touches(self) && chance(self, 30))
        write_on(self);
    text(self, ",\"states\":{");
    for (uint32_t s = 0; s < self->states; s++)
        write_simple_state(self, s);
    if (self->at == self->nested)
        write_nested(self);
    if (self->returns)
        wf_buffer_format(self->out, "\"h\":{\"type\":\"history\",\"history\":\"%s\"},",
                         chance(self, 50) ? "deep" : "shallow");
    text(self, "\"end\":{\"type\":\"final\"}}}");
}

/* ---- properties ---- */

/* The properties see the last region, and now and then another one. */
static void write_seen(maker *self)
{
    text(self, "{\"in_state\":\"");
    if (chance(self, 15))
        text(self, chance(self, 50) ? "next" : "over");
    else
        write_state(self, chance(self, 5) ? below(self, self->regions) : self->regions - 1);
    text(self, "\"}");
}

static void write_claim(maker *self)
{
    if (touches(self)) {
        write_rule(self);
        return;
    }
    text(self, "{\"and\":[");
    write_seen(self);
    text(self, ",{\"!\":");
    write_seen(self);
    text(self, "}]}");
}

static void write_property(maker *self, uint32_t number)
{
    static const char *const kinds[] = {"never",    "always",  "reachable", "leadsTo",
                                        "precedes", "absent",  "until",     "atMost",
                                        "atLeast",  "exactly", "leadsTo",   "precedes"};
    static const char *const others[] = {"",     "",      "",      "",      "needs", "from",
                                         "from", "times", "times", "times", "from",  "since"};
    uint32_t kind = below(self, 12);
    wf_buffer_format(self->out, "%s\"q%u\":{\"%s\":", number > 0 ? "," : "", (unsigned)number,
                     kinds[kind]);
    if (kind < 3) {
        write_claim(self);
        text(self, "}");
        return;
    }
    wf_buffer_format(self->out, "{\"%s\":", kind == 3 || kind == 10 ? "to" : "of");
    write_claim(self);
    if (*others[kind] != '\0') {
        wf_buffer_format(self->out, ",\"%s\":", others[kind]);
        if (kind >= 7 && kind <= 9)
            text(self, "1");
        else
            write_seen(self);
    }
    if (kind == 11) {
        text(self, ",\"needs\":");
        write_seen(self);
    }
    if (kind == 6) {
        text(self, ",\"to\":");
        write_seen(self);
    }
    if (kind == 7 && touches(self)) {
        text(self, ",\"since\":");
        write_seen(self);
    }
    text(self, "}}");
}

/* The last region begins again. */
static void write_repeats(maker *self)
{
    const unsigned last = (unsigned)self->regions - 1;
    wf_buffer_format(self->out,
                     ",\"again\":{\"atMost\":{\"of\":{\"in_state\":\"p.r%u.s1\"},\"times\":1}},"
                     "\"reset\":{\"never\":{\"and\":[{\"var\":\"context.k%u\"},{\"in_state\":"
                     "\"p.r%u.s0\"}]}}",
                     last, last, last);
}

/* The parallel state is left, or entered again, by an event, or when the last region is complete. */
static void write_way_out(maker *self)
{
    static const char *const targets[] = {"over", "next", "p"};
    if (!chance(self, self->returns ? 60 : 30))
        return;
    if (chance(self, self->returns ? 80 : 50))
        text(self, ",\"on\":{\"cancel\":");
    else
        wf_buffer_format(self->out, ",\"on\":{\"done.state.r%u\":", (unsigned)self->at);
    text(self, "{\"reenter\":true,\"target\":");
    if (self->returns && chance(self, 40))
        write_way_back(self);
    else
        wf_buffer_format(self->out, "\"%s\"", targets[below(self, 3)]);
    text(self, "}}");
}

/* The states beside the parallel one. */
static void write_others(maker *self)
{
    const unsigned region = (unsigned)below(self, self->regions);
    text(self, ",\"next\":{\"id\":\"next\",\"on\":{\"again\":{\"target\":");
    if (self->returns && chance(self, 50))
        wf_buffer_format(self->out, "\"#r%u.h\"", region);
    else if (self->returns && chance(self, 50))
        write_way_back(self);
    else
        text(self, "\"p\"");
    if (self->returns)
        wf_buffer_format(
            self->out, ",\"actions\":{\"type\":\"assign\",\"params\":{\"k%u\":true}}", region);
    text(self, "}}},");
    if (self->returns) {
        text(self, "\"mid\":{\"id\":\"mid\",\"always\":[{\"target\":");
        write_two_targets(self);
        text(self, "}]},");
    }
    text(self, "\"over\":{\"id\":\"over\",\"type\":\"final\"}}}");
}

void write_random_regions(wf_buffer *out, uint32_t number, uint32_t touch, bool returns)
{
    maker self = {
        .out = out, .seed = number * 2654435761u + 17, .touch = touch, .returns = returns};
    self.assigns = chance(&self, returns ? 30 : 60);
    self.resets = returns && chance(&self, 30);
    self.back = chance(&self, 50) ? 30 : 5;
    self.regions = 2 + below(&self, 3);
    self.states = 2 + below(&self, STATES_MOST - 2);
    self.nested = chance(&self, 20) ? below(&self, self.regions) : self.regions;
    text(&self, "{\"id\":\"m\",\"initial\":\"p\",\"context\":{\"k0\":false,\"k1\":false,\"k2\":"
                "false,\"k3\":false},\"properties\":{");
    for (uint32_t i = 0; i < 3; i++)
        write_property(&self, i);
    if (returns)
        write_repeats(&self);
    text(&self, "},\"states\":{\"p\":{\"id\":\"p\",\"type\":\"parallel\",\"onDone\":[");
    self.at = self.regions - 1;
    if (chance(&self, 70)) {
        text(&self, "{\"guard\":");
        write_rule(&self);
        wf_buffer_format(out, ",\"target\":\"%s\"},", chance(&self, 50) ? "p" : "over");
    }
    text(&self, "\"next\"]");
    write_way_out(&self);
    text(&self, ",\"states\":{");
    for (self.at = 0; self.at < self.regions; self.at++) {
        text(&self, self.at > 0 ? "," : "");
        write_region(&self);
    }
    text(&self, "}}");
    write_others(&self);
}
