/* What a chart shows of a document: its states, and a line for each candidate of a transition. */
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"
#include "wfsm/report_chart.h"

/* ---- states ---- */

void *chart_grow(void *list, size_t count, size_t each)
{
    if ((count & (count - 1)) != 0)
        return list;
    return cli_need(realloc(list, (count ? 2 * count : 1) * each));
}

static void add_node(chart *c, const char *key, const json_t *state, size_t parent, int depth)
{
    cli_text path = {0};
    const char *above = depth > 1 ? c->nodes[parent].path : "";
    cli_text_add(&path, above, strlen(above));
    cli_text_add(&path, ".", *above ? 1 : 0);
    cli_text_add(&path, key, strlen(key));
    const char *id = record_string(state, "id");
    c->nodes = chart_grow(c->nodes, c->count, sizeof *c->nodes);
    c->nodes[c->count++] = (node){.path = path.data,
                                  .id = cli_need(strdup(*id ? id : path.data)),
                                  .key = key,
                                  .state = state,
                                  .parent = parent,
                                  .depth = depth};
}

static void add_states(chart *c, const json_t *state, size_t self, int depth)
{
    const char *key;
    json_t *child;
    json_object_foreach(json_object_get(state, "states"), key, child)
    {
        size_t number = c->count;
        add_node(c, key, child, self, depth + 1);
        add_states(c, child, number, depth + 1);
    }
}

static size_t find_path(const chart *c, const char *path, size_t length)
{
    for (size_t i = 1; i < c->count; i++)
        if (strlen(c->nodes[i].path) == length && strncmp(c->nodes[i].path, path, length) == 0)
            return i;
    return 0;
}

/* The state that has this path below another one; 0: there is none. */
static size_t find_below(const chart *c, size_t above, const char *rest)
{
    cli_text path = {0};
    cli_text_add(&path, c->nodes[above].path, strlen(c->nodes[above].path));
    cli_text_add(&path, ".", path.length > 0 ? 1 : 0);
    cli_text_add(&path, rest, strlen(rest));
    size_t found = find_path(c, path.data, path.length);
    cli_text_free(&path);
    return found;
}

/* A path may follow the id. The document's id is that of the root. */
static size_t find_id(const chart *c, const char *target)
{
    size_t found = 0;
    for (size_t i = 0; i < c->count && found == 0; i++) {
        size_t length = strlen(c->nodes[i].id);
        bool begins = length > 0 && strncmp(c->nodes[i].id, target, length) == 0;
        if (begins && target[length] == '\0')
            found = i;
        else if (begins && target[length] == '.')
            found = find_below(c, i, target + length + 1);
    }
    return found;
}

size_t chart_target(const chart *c, size_t from, const char *target)
{
    if (*target == '#')
        return find_id(c, target + 1);
    size_t base = *target == '.' ? from : c->nodes[from].parent;
    return find_below(c, base, target + (*target == '.'));
}

static void add_target(edge *e, const json_t *target)
{
    if (!json_is_string(target))
        return;
    e->targets = chart_grow(e->targets, e->target_count, sizeof *e->targets);
    e->targets[e->target_count++] = cli_need(strdup(json_string_value(target)));
}

static char *edge_label(const edge *e, const char *event, const json_t *guard)
{
    cli_text label = {0};
    cli_text_add(&label, event, strlen(event));
    cli_text_add(&label, " [?]", guard ? 4 : 0);
    for (size_t i = 0; i < e->target_count; i++) {
        cli_text_add(&label, i ? ", " : " → ", i ? 2 : strlen(" → "));
        cli_text_add(&label, e->targets[i], strlen(e->targets[i]));
    }
    return label.data;
}

/* One candidate; `descriptor` is the event as records name it, `event` as people read it. */
static void add_edge(chart *c, size_t from, const char *descriptor, const char *event,
                     const json_t *transition)
{
    size_t index;
    const json_t *item;
    const json_t *target =
        json_is_object(transition) ? json_object_get(transition, "target") : transition;
    const json_t *guard = json_object_get(transition, "guard");
    edge e = {.from = from};
    add_target(&e, target);
    json_array_foreach(target, index, item) add_target(&e, item);
    e.label = edge_label(&e, event, guard);
    e.title = guard ? cli_need(json_dumps(guard, JSON_ENCODE_ANY)) : cli_need(strdup(event));
    cli_text key = {0};
    cli_text_add(&key, c->nodes[from].path, strlen(c->nodes[from].path));
    cli_text_add(&key, " ", 1);
    cli_text_add(&key, descriptor, strlen(descriptor));
    e.event = cli_need(strdup(descriptor));
    e.taken = json_integer_value(json_object_get(c->run->taken, key.data));
    cli_text_free(&key);
    c->edges = chart_grow(c->edges, c->edge_count, sizeof *c->edges);
    c->edges[c->edge_count++] = e;
}

/* A target, a candidate, or a list of candidates (a list of targets stands in an object). */
static void add_candidates(chart *c, size_t from, const char *descriptor, const char *event,
                           const json_t *transitions)
{
    size_t index;
    const json_t *item;
    if (!json_is_array(transitions)) {
        add_edge(c, from, descriptor, event, transitions);
        return;
    }
    json_array_foreach(transitions, index, item) add_edge(c, from, descriptor, event, item);
}

static void add_named(chart *c, size_t from, const char *before, const char *name,
                      const char *event, const json_t *transitions)
{
    cli_text descriptor = {0};
    if (!transitions)
        return;
    cli_text_add(&descriptor, before, strlen(before));
    cli_text_add(&descriptor, name, strlen(name));
    add_candidates(c, from, descriptor.data, event, transitions);
    cli_text_free(&descriptor);
}

static void add_after(chart *c, size_t from, const char *delay, const json_t *transitions)
{
    cli_text event = {0}, descriptor = {0};
    html_raw(&event, "after %s ms", delay);
    html_raw(&descriptor, "%s.%s", delay, c->nodes[from].id);
    add_named(c, from, "after.", descriptor.data, event.data, transitions);
    cli_text_free(&event);
    cli_text_free(&descriptor);
}

static void add_invoke(chart *c, size_t from, const json_t *invoke)
{
    const char *id = record_string(invoke, "id");
    if (!*id)
        id = c->nodes[from].id;
    add_named(c, from, "done.invoke.", id, "done", json_object_get(invoke, "onDone"));
    add_named(c, from, "error.invoke.", id, "error", json_object_get(invoke, "onError"));
}

static void add_listed(chart *c, size_t from, const json_t *transition)
{
    size_t index;
    const json_t *item;
    const json_t *event = json_object_get(transition, "event");
    if (json_is_string(event))
        add_edge(c, from, json_string_value(event), json_string_value(event), transition);
    json_array_foreach(event, index, item)
    {
        if (json_is_string(item))
            add_edge(c, from, json_string_value(item), json_string_value(item), transition);
    }
}

static void add_edges(chart *c, size_t from)
{
    const json_t *state = c->nodes[from].state;
    const json_t *on = json_object_get(state, "on"), *item;
    const json_t *invoke = json_object_get(state, "invoke");
    const char *key;
    json_t *value;
    size_t index;
    json_object_foreach((json_t *)on, key, value) add_candidates(c, from, key, key, value);
    json_array_foreach(on, index, item) add_listed(c, from, item);
    if (json_object_get(state, "always"))
        add_candidates(c, from, "", "always", json_object_get(state, "always"));
    json_object_foreach(json_object_get(state, "after"), key, value)
        add_after(c, from, key, value);
    if (json_is_object(invoke))
        add_invoke(c, from, invoke);
    json_array_foreach(invoke, index, item) add_invoke(c, from, item);
    add_named(c, from, "done.state.", c->nodes[from].id, "all done",
              json_object_get(state, "onDone"));
}

/* ---- names, by which a page finds the edges ---- */

char *report_edge(const char *from, const char *event, const char *to)
{
    json_t *parts = cli_need(json_pack("[sss]", from, event, to));
    char *name = cli_need(json_dumps(parts, JSON_COMPACT));
    json_decref(parts);
    return name;
}

static char *edge_name(const chart *c, const edge *e)
{
    cli_text to = {0};
    cli_text_add(&to, "", 0);
    for (size_t t = 0; t < e->target_count; t++) {
        const char *path = c->nodes[chart_target(c, e->from, e->targets[t])].path;
        cli_text_add(&to, ", ", t > 0 ? 2 : 0);
        cli_text_add(&to, path, strlen(path));
    }
    char *name = report_edge(c->nodes[e->from].path, e->event, to.data);
    cli_text_free(&to);
    return name;
}

/* Candidates of one list may have the same name. Their marks stand in the same order. */
static void name_edges(chart *c)
{
    json_t *seen = cli_need(json_object());
    for (size_t i = 0; i < c->edge_count; i++) {
        edge *e = &c->edges[i];
        e->name = edge_name(c, e);
        json_int_t before = json_integer_value(json_object_get(seen, e->name));
        json_object_set_new(seen, e->name, cli_need(json_integer(before + 1)));
        const json_t *marks = json_object_get(c->run->marks, e->name);
        const char *mark = json_string_value(json_array_get(marks, (size_t)before));
        e->mark = mark ? mark : "";
    }
    json_decref(seen);
}

void chart_read(chart *c)
{
    add_node(c, "", c->run->document, 0, 0);
    add_states(c, c->run->document, 0, 0);
    for (size_t i = 0; i < c->count; i++)
        add_edges(c, i);
    name_edges(c);
}

void chart_free(chart *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->nodes[i].path);
        free(c->nodes[i].id);
    }
    for (size_t i = 0; i < c->edge_count; i++) {
        for (size_t t = 0; t < c->edges[i].target_count; t++)
            free(c->edges[i].targets[t]);
        free(c->edges[i].targets);
        free(c->edges[i].event);
        free(c->edges[i].name);
        free(c->edges[i].label);
        free(c->edges[i].title);
    }
    free(c->nodes);
    free(c->edges);
}
