#include "opinion/watch.h"

#include <stdlib.h>
#include <string.h>

enum { FAILS = 2 };

static void read_property(watched *self, const json_t *property)
{
    const json_t *rules = json_object_get(property, "rules");
    *self = (watched){.name = json_string_value(json_object_get(property, "name")),
                      .kind = json_string_value(json_object_get(property, "kind")),
                      .rules = {-1, -1, -1},
                      .times = (int)json_integer_value(json_object_get(property, "times")),
                      .within = json_integer_value(json_object_get(property, "within")),
                      .of_event = json_is_true(json_object_get(property, "event"))};
    for (size_t i = 0; i < json_array_size(rules) && i < 3; i++)
        self->rules[i] = (int)json_integer_value(json_array_get(rules, i));
}

bool watch_open(watcher *self, const json_t *observer, const json_t *properties, size_t rules,
                wfsm_error *error)
{
    const wfsm_start_options options = {.size = sizeof options, .id = "observer"};
    char *text = json_dumps(observer, 0);
    *self = (watcher){.error = error, .rule_count = rules};
    bool good =
        rules <= RULES_MOST && json_array_size(properties) <= PROPERTIES_MOST &&
        wfsm_machine_load(&self->machine, text, strlen(text), NULL, NULL, error) == WFSM_OK &&
        wfsm_instance_start(&self->observer, self->machine, &options, 0, error) == WFSM_OK;
    free(text);
    for (size_t i = 0; good && i < json_array_size(properties); i++)
        read_property(&self->list[self->count++], json_array_get(properties, i));
    return good;
}

void watch_close(watcher *self)
{
    json_decref(self->before);
    wfsm_instance_free(self->observer);
    wfsm_machine_unref(self->machine);
}

void watch_begin(watcher *self)
{
    json_decref(self->before);
    self->before = NULL;
    for (size_t i = 0; i < self->count; i++) {
        watched *each = &self->list[i];
        each->begun = each->seen = each->was = each->violated = false;
        each->count = 0;
    }
}

/* ---- what the rules answer ---- */

/* The names of the active states, with slashes for dots, so that they are keys. */
static void add_states(json_t *states, const char *text, size_t length)
{
    json_t *list = json_loadb(text, length, 0, NULL), *path;
    size_t i;
    json_array_foreach(list, i, path)
    {
        char *name = strdup(json_string_value(path));
        for (char *dot = name; (dot = strchr(dot, '.')); dot++) {
            *dot = '\0';
            json_object_set_new(states, name, json_true());
            *dot = '/';
        }
        json_object_set_new(states, name, json_true());
        free(name);
    }
    json_decref(list);
}

/* Those that the last step has left and entered again. */
static void drop_reentered(json_t *states, const json_t *before, wfsm_instance *instance)
{
    size_t length = 0, i;
    const char *text = wfsm_instance_entered(instance, &length);
    json_t *list = json_loadb(text, length, 0, NULL), *path;
    json_array_foreach(list, i, path)
    {
        char *name = strdup(json_string_value(path));
        for (char *dot = name; (dot = strchr(dot, '.')); dot++)
            *dot = '/';
        if (json_object_get(before, name))
            json_object_del(states, name);
        free(name);
    }
    json_decref(list);
}

static json_t *states_of(wfsm_instance *instance)
{
    size_t length = 0;
    json_t *states = json_object();
    const char *text = wfsm_instance_configuration(instance, &length);
    add_states(states, text, length);
    return states;
}

/* The states are taken over. */
static char *shown(wfsm_instance *instance, json_t *states, const char *event)
{
    size_t length = 0;
    json_t *context;
    const char *text = wfsm_instance_context(instance, &length);
    context = json_loadb(text, length, JSON_DECODE_INT_AS_REAL, NULL);
    json_t *all =
        json_pack("{s:o s:o s:o}", "in", states, "context", context, "event",
                  event ? json_loads(event, JSON_DECODE_INT_AS_REAL, NULL) : json_null());
    char *made = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return made;
}

static bool ask(watcher *self, const char *data)
{
    const wfsm_event event = {
        .size = sizeof event, .name = "look", .data = data, .length = strlen(data)};
    int32_t outcome = 0;
    size_t length = 0;
    memset(self->answers, FAILS, sizeof self->answers);
    if (wfsm_instance_send(self->observer, &event, 0, &outcome, self->error) != WFSM_OK)
        return false;
    const char *text =
        outcome == WFSM_TAKEN ? wfsm_instance_context(self->observer, &length) : NULL;
    const char *digit = text ? strchr(text, '[') : NULL;
    for (size_t i = 0; digit && i < self->rule_count; i++, digit += 2)
        self->answers[i] = (unsigned char)(digit[1] - '0');
    return digit != NULL;
}

/* ---- what they mean ---- */

/* A rule that looks at the event becomes true with each event. */
static bool at_most(watched *self, int of, bool event)
{
    if (of == FAILS)
        return false;
    if (of == 1 && ((self->of_event && event) || !self->was))
        self->count++;
    self->was = of == 1;
    return self->count <= self->times;
}

/* Where `since` and `needs` are true at once, `since` counts. */
static bool precedes(watched *self, int of, int needs, int since)
{
    bool asked = since != 1 && !self->seen; /* otherwise `needs` does not matter */
    if (since == FAILS || (asked && needs == FAILS))
        return false;
    self->seen = (self->seen || needs == 1) && since != 1;
    return self->seen || of == 0;
}

/* From the step in which `from` is true, or from the start, to the step before `to` is. */
static bool is_between(watched *self, int from, int to, bool *good)
{
    bool begins = self->rules[1] >= 0 ? from == 1 : !self->begun, open = self->seen || begins;
    self->begun = true;
    *good = from != FAILS && !(open && to == FAILS);
    return open && to != 1;
}

static bool absent(watched *self, int of, int from, int to)
{
    bool good;
    self->seen = is_between(self, from, to, &good);
    return good && !(self->seen && of != 0);
}

/* Only what `until` forbids is checked, and not that `to` comes. A violation ends the wait. */
static bool until(watched *self, int of, int from, int to)
{
    bool good, open = is_between(self, from, to, &good);
    self->seen = open && of == 1;
    return good && !(open && of != 1);
}

/* More than the time has passed before this step, or nothing came in it. */
static bool is_late(watched *self, int64_t now)
{
    bool late = self->seen && now - self->since > self->within;
    if (!self->seen || late)
        self->since = now;
    self->seen = self->seen && !late;
    return late;
}

static bool leads_to(watched *self, int to, int from, int64_t now)
{
    bool late = is_late(self, now), begins = self->rules[1] < 0 || from == 1;
    bool asked = self->seen || begins;
    self->seen = asked && to != 1;
    return !late && from != FAILS && !(asked && to == FAILS);
}

/* What the rules have answered, at a time, in a step with an event or without. */
typedef struct seen {
    const unsigned char *answers;
    bool event;
    int64_t now;
} seen;

static void judge(watched *self, const seen *look)
{
    int values[3];
    bool good = true;
    for (int i = 0; i < 3; i++)
        values[i] = self->rules[i] < 0 ? 0 : look->answers[self->rules[i]];
    if (strcmp(self->kind, "never") == 0)
        good = values[0] == 0;
    else if (strcmp(self->kind, "always") == 0)
        good = values[0] == 1;
    else if (strcmp(self->kind, "reachable") == 0)
        good = values[0] != 1;
    else if (strcmp(self->kind, "atMost") == 0 || strcmp(self->kind, "exactly") == 0)
        good = at_most(self, values[0], look->event);
    else if (strcmp(self->kind, "absent") == 0)
        good = absent(self, values[0], values[1], values[2]);
    else if (strcmp(self->kind, "until") == 0)
        good = until(self, values[0], values[1], values[2]);
    else if (strcmp(self->kind, "leadsTo") == 0)
        good = leads_to(self, values[0], values[1], look->now);
    else
        good = precedes(self, values[0], values[1], values[2]);
    self->violated = self->violated || !good;
}

void watch_wait(watcher *self, int64_t now)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->list[i].kind, "leadsTo") == 0 && is_late(&self->list[i], now))
            self->list[i].violated = true;
}

static bool look_at(watcher *self, wfsm_instance *instance, json_t *states, const char *event)
{
    char *data = shown(instance, states, event);
    bool good = data && ask(self, data);
    free(data);
    return good;
}

/* A rule that is not true without the states that were entered again comes true once more. */
static bool note_reentered(watcher *self, wfsm_instance *instance, const json_t *states,
                           const char *event)
{
    json_t *stayed = json_copy((json_t *)states);
    drop_reentered(stayed, self->before, instance);
    if (json_object_size(stayed) == json_object_size(states)) {
        json_decref(stayed);
        return true;
    }
    bool good = look_at(self, instance, stayed, event);
    for (size_t i = 0; good && i < self->count; i++) {
        watched *each = &self->list[i];
        each->was = each->was && each->rules[0] >= 0 && self->answers[each->rules[0]] == 1;
    }
    return good;
}

bool watch_look(watcher *self, wfsm_instance *instance, const char *event, int64_t now)
{
    const seen look = {self->answers, event != NULL, now};
    json_t *states = states_of(instance);
    bool good = note_reentered(self, instance, states, event) &&
                look_at(self, instance, json_incref(states), event);
    json_decref(self->before);
    self->before = states;
    for (size_t i = 0; good && i < self->count; i++)
        judge(&self->list[i], &look);
    return good;
}
