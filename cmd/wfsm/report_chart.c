/* The chart as an indented drawing: each state a box with its transitions as lines and its
 * children as boxes inside; arrows run in lanes on the right, short ones innermost. */
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"
#include "wfsm/report.h"

enum {
    MARGIN = 10,
    INDENT = 18,
    NAME_HEIGHT = 26,
    LINE_HEIGHT = 18,
    GAP = 6,
    LANE = 9,
    LETTER = 8, /* of the monospaced type, rounded up */
    MOST_LETTERS = 70
};

typedef struct node {
    char *path, *id;
    const char *key;
    const json_t *state;
    size_t parent;
    int depth, top, bottom;
} node;

typedef struct edge {
    size_t from;
    const char *mark;      /* classes of the page's own, each after a space */
    char *event;           /* as records name it */
    char *name;            /* see report_edge() */
    char *label, *title;   /* the line; its tooltip */
    char **targets;      /* as they are written */
    size_t target_count;
    json_int_t taken;
    int line;
} edge;

typedef struct chart {
    const report *run;
    node *nodes;
    size_t count;
    edge *edges;
    size_t edge_count;
    int letters; /* of the widest line, its indent counted in letters */
    int right;
} chart;

/* ---- reading the document ---- */

static void *grow(void *list, size_t count, size_t each)
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
    c->nodes = grow(c->nodes, c->count, sizeof *c->nodes);
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

/* A target as it is written: "#id", ".child", or a path that begins at a sibling. 0 if it is
 * not found. */
static size_t find_target(const chart *c, size_t from, const char *target)
{
    if (*target == '#') {
        for (size_t i = 1; i < c->count; i++)
            if (strcmp(c->nodes[i].id, target + 1) == 0)
                return i;
        return 0;
    }
    size_t base = *target == '.' ? from : c->nodes[from].parent;
    cli_text path = {0};
    cli_text_add(&path, c->nodes[base].path, strlen(c->nodes[base].path));
    cli_text_add(&path, ".", path.length > 0 ? 1 : 0);
    target += *target == '.';
    cli_text_add(&path, target, strlen(target));
    size_t found = find_path(c, path.data, path.length);
    cli_text_free(&path);
    return found;
}

static void add_target(edge *e, const json_t *target)
{
    if (!json_is_string(target))
        return;
    e->targets = grow(e->targets, e->target_count, sizeof *e->targets);
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
    c->edges = grow(c->edges, c->edge_count, sizeof *c->edges);
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
        const char *path = c->nodes[find_target(c, e->from, e->targets[t])].path;
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

/* ---- laying it out ---- */

static int letters_in(const char *text)
{
    int letters = 0;
    for (; *text; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    return letters < MOST_LETTERS ? letters : MOST_LETTERS;
}

static void widen(chart *c, int depth, const char *text)
{
    int letters = letters_in(text) + 7 + 2 * depth * INDENT / LETTER;
    if (letters > c->letters)
        c->letters = letters;
}

static int lay_out(chart *c, size_t self, int y)
{
    node *n = &c->nodes[self];
    n->top = y;
    y += NAME_HEIGHT;
    widen(c, n->depth + 1, n->key);
    for (size_t i = 0; i < c->edge_count; i++) {
        if (c->edges[i].from != self)
            continue;
        c->edges[i].line = y;
        y += LINE_HEIGHT;
        widen(c, n->depth, c->edges[i].label);
    }
    for (size_t i = self + 1; i < c->count; i++) {
        if (c->nodes[i].parent == self && c->nodes[i].depth == n->depth + 1)
            y = lay_out(c, i, y) + GAP;
    }
    n->bottom = y + (self ? GAP / 2 : 0);
    return n->bottom;
}

/* ---- drawing ---- */

static int right_of(const chart *c, size_t self)
{
    return c->right - (c->nodes[self].depth - 1) * INDENT;
}

static void draw_state(cli_text *out, const chart *c, size_t self)
{
    const node *n = &c->nodes[self];
    json_int_t visits = json_integer_value(json_object_get(c->run->visits, n->path));
    bool active = json_object_get(c->run->active, n->path) != NULL;
    const char *type = record_string(n->state, "type");
    int x = MARGIN + (n->depth - 1) * INDENT;
    html_raw(out,
             "<rect class=\"state%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
             "rx=\"6\" data-state=\"",
             active   ? " now"
             : visits ? " seen"
                      : "",
             x, n->top, right_of(c, self) - x, n->bottom - n->top);
    html_line(out, n->path, strlen(n->path));
    html_raw(out, "\"/>\n<text class=\"name\" x=\"%d\" y=\"%d\">", x + 8, n->top + 18);
    html_text(out, n->key);
    html_raw(out, "</text>");
    if (visits > 1 || *type) {
        html_raw(out, "<text class=\"dim\" text-anchor=\"end\" x=\"%d\" y=\"%d\">",
                 right_of(c, self) - 8, n->top + 18);
        html_text(out, type);
        if (visits > 1)
            html_raw(out, " %" JSON_INTEGER_FORMAT "×", visits);
        html_raw(out, "</text>");
    }
    html_raw(out, "\n");
}

static void add_name(cli_text *out, const edge *e)
{
    html_raw(out, " data-edge=\"");
    html_line(out, e->name, strlen(e->name));
    html_raw(out, "\"");
}

static void draw_line(cli_text *out, const chart *c, const edge *e)
{
    int x = MARGIN + (c->nodes[e->from].depth - 1) * INDENT + 14;
    html_raw(out, "<text class=\"%s%s\" x=\"%d\" y=\"%d\"", e->taken ? "" : "dim", e->mark, x,
             e->line + 12);
    add_name(out, e);
    html_raw(out, ">");
    html_text(out, e->label);
    if (e->taken > 1)
        html_raw(out, " %" JSON_INTEGER_FORMAT "×", e->taken);
    html_raw(out, "<title>");
    html_text(out, e->title);
    html_raw(out, "</title></text>\n");
}

/* From the line of the transition to the name of its target. */
static void draw_arrow(cli_text *out, const chart *c, const edge *e, size_t target, int lane)
{
    const char *taken = e->taken ? " taken" : "";
    int x1 = right_of(c, e->from), y1 = e->line + 8;
    int x2 = right_of(c, target), y2 = c->nodes[target].top + 13;
    int far = c->right + 14 + lane * LANE;
    html_raw(out, "<path class=\"edge%s%s\" d=\"M%d %dH%dV%dH%d\"", taken, e->mark, x1, y1, far,
             y2, x2 + 6);
    add_name(out, e);
    html_raw(out, "/><path class=\"head%s%s\" d=\"M%d %dl8 -4v8z\"", taken, e->mark, x2, y2);
    add_name(out, e);
    html_raw(out, "/>\n");
}

typedef struct arrow {
    const edge *edge;
    size_t target;
    int low, high, lane;
} arrow;

static int by_span(const void *a, const void *b)
{
    const arrow *one = a, *two = b;
    int difference = (one->high - one->low) - (two->high - two->low);
    return difference ? difference : one->low - two->low;
}

/* The innermost lane in which nothing is in the way. */
static int free_lane(const arrow *arrows, size_t count, const arrow *mine)
{
    int lane = 0;
    for (size_t i = 0; i < count; i++) {
        const arrow *other = &arrows[i];
        if (other->lane == lane && mine->low <= other->high && other->low <= mine->high) {
            lane++;
            i = (size_t)-1;
        }
    }
    return lane;
}

static arrow *make_arrows(const chart *c, size_t *count)
{
    arrow *arrows = NULL;
    for (size_t i = 0; i < c->edge_count; i++) {
        const edge *e = &c->edges[i];
        for (size_t t = 0; t < e->target_count; t++) {
            size_t target = find_target(c, e->from, e->targets[t]);
            int y1 = e->line + 8, y2 = target ? c->nodes[target].top + 13 : 0;
            if (!target)
                continue;
            arrows = grow(arrows, *count, sizeof *arrows);
            arrows[(*count)++] = (arrow){e, target, y1 < y2 ? y1 : y2, y1 < y2 ? y2 : y1, 0};
        }
    }
    if (arrows)
        qsort(arrows, *count, sizeof *arrows, by_span);
    return arrows;
}

static void draw(cli_text *out, chart *c, int height)
{
    size_t count = 0;
    int lanes = 0;
    cli_text body = {0};
    arrow *arrows = make_arrows(c, &count);
    for (size_t i = 1; i < c->count; i++)
        draw_state(&body, c, i);
    for (size_t i = 0; i < c->edge_count; i++)
        draw_line(&body, c, &c->edges[i]);
    for (size_t i = 0; i < count; i++) {
        arrows[i].lane = free_lane(arrows, i, &arrows[i]);
        lanes = arrows[i].lane >= lanes ? arrows[i].lane + 1 : lanes;
        draw_arrow(&body, c, arrows[i].edge, arrows[i].target, arrows[i].lane);
    }
    int width = c->right + 30 + lanes * LANE;
    html_raw(out,
             "<div class=\"wide\"><svg role=\"img\" aria-label=\"the chart\" width=\"%d\" "
             "height=\"%d\" viewBox=\"0 0 %d %d\">\n",
             width, height, width, height);
    cli_text_add(out, body.data, body.length);
    html_raw(out, "</svg></div>\n");
    cli_text_free(&body);
    free(arrows);
}

static void free_chart(chart *c)
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

void report_chart(cli_text *out, const report *run)
{
    chart c = {.run = run};
    add_node(&c, "", run->document, 0, 0);
    add_states(&c, run->document, 0, 0);
    for (size_t i = 0; i < c.count; i++)
        add_edges(&c, i);
    name_edges(&c);
    int height = lay_out(&c, 0, MARGIN - NAME_HEIGHT) + MARGIN;
    c.right = MARGIN + c.letters * LETTER;
    draw(out, &c, height);
    free_chart(&c);
}
