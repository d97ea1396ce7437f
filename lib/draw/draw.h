/*
 * draw/draw.h: machines as drawings. Drawings are written in one pass over the states, without
 * recursion, because documents can nest deeper than a stack allows. The files, in the order to
 * read them:
 *
 *   draw.c        the public function; lists the transitions of each state
 *   drawing.c     what the drawings share: labels
 *   mermaid.c     a stateDiagram-v2 of Mermaid
 *   dot.c         a graph for Graphviz
 *   rule_text.c   guards as people write them
 */
#ifndef WF_DRAW_DRAW_H
#define WF_DRAW_DRAW_H

#include "base/buffer.h"
#include "machine/model.h"

/* Guards that are rules can be long; a drawing shows the beginning. In code points. */
enum { WF_GUARD_LABEL = 80 };

typedef struct wf_drawing {
    const wfsm_machine *machine;
    wf_buffer out;
    wf_buffer label; /* the label at hand, before it is escaped */
    wf_arena scratch;
    uint32_t *first; /* by state: its first transition that is drawn, or WF_NONE */
    uint32_t *next;  /* by transition: the next one of the same state */
} wf_drawing;

/* The first child of `state` that leads to `target`, which lies below it. */
uint32_t wf_drawing_child(const wfsm_machine *machine, uint32_t state, uint32_t target);
/* Sets the label to event and guard of a transition: "submit [complete]". */
void wf_drawing_label(wf_drawing *drawing, const wf_transition *transition);
/* Sets the label to the agent of an invocation: "invoke coder". */
void wf_drawing_invoke(wf_drawing *drawing, const wf_invoke *invoke);

/* Write the whole drawing to `out`. The caller checks whether the buffer failed. */
void wf_draw_mermaid(wf_drawing *drawing);
void wf_draw_dot(wf_drawing *drawing);
#endif
