/* report_chart.h: the states and transitions of a document, as its chart draws them. */
#ifndef WFSM_REPORT_CHART_H
#define WFSM_REPORT_CHART_H

#include "wfsm/report.h"

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

/* States are numbered from 1, in the order of the document; 0 is the machine. */
typedef struct chart {
    const report *run;
    node *nodes;
    size_t count;
    edge *edges;
    size_t edge_count;
    int letters; /* of the widest line, its indent counted in letters */
    int right;
} chart;

/* report_edges.c: reads the document of c->run; the rest of the chart is zero. */
void chart_read(chart *c);
void chart_free(chart *c);
/* A target as it is written: "#id", "#id.child", ".child", or a path that begins at a sibling. 0 if it is not found. */
size_t chart_target(const chart *c, size_t from, const char *target);
/* A list with room for one more. */
void *chart_grow(void *list, size_t count, size_t each);
#endif
