/*
 * verify/ranking.h: why a cycle over hidden values cannot last for ever. In a strongly connected
 * component where no step moves a measure (measures.h) away from its bound, a step that
 * moves it nearer can happen only so often: it is cut, and the components of what remains are examined in
 * the same way (a lexicographic ranking function).
 */
#ifndef WF_VERIFY_RANKING_H
#define WF_VERIFY_RANKING_H

#include "verify/components.h"
#include "verify/search.h"

/* An edge stands for several steps. */
typedef struct wf_ranked_step {
    uint64_t nearer, away; /* as in wf_measured */
    uint32_t next;   /* another step of the edge, or WF_NONE */
    bool cut;
} wf_ranked_step;

typedef struct wf_ranking {
    wf_search *search;
    const wf_subgraph *graph;
    wf_subgraph rest; /* the graph without the edges all of whose steps are cut */
    wf_ranked_step *steps;
    size_t step_count, step_capacity;
    uint32_t *edges;    /* by edge: its first step, or WF_NONE */
    uint32_t *first;    /* by state: its first edge */
    uint32_t *part;     /* by state: the component that it belongs to */
    uint32_t parts;     /* numbers given so far */
    bool again;
} wf_ranking;

/* Cuts all steps that can be cut. False when out of memory. It is ended in any case. */
bool wf_ranking_begin(wf_ranking *self, wf_search *search, const wf_subgraph *graph);
void wf_ranking_fini(wf_ranking *self);
#endif
