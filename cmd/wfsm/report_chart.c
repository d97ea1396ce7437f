/* The chart as an indented drawing: each state a box with its transitions as lines and its
 * children as boxes inside; arrows run in lanes on the right, short ones innermost. */
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"
#include "wfsm/report_chart.h"

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
            size_t target = chart_target(c, e->from, e->targets[t]);
            int y1 = e->line + 8, y2 = target ? c->nodes[target].top + 13 : 0;
            if (!target)
                continue;
            arrows = chart_grow(arrows, *count, sizeof *arrows);
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

void report_chart(cli_text *out, const report *run)
{
    chart c = {.run = run};
    chart_read(&c);
    int height = lay_out(&c, 0, MARGIN - NAME_HEIGHT) + MARGIN;
    c.right = MARGIN + c.letters * LETTER;
    draw(out, &c, height);
    chart_free(&c);
}
