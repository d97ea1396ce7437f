/*
 * verify/draw_value.h: values drawn at random for the runs of sample.c: constants of the document,
 * what is near them, and what they make together. The same seed draws the same values.
 */
#ifndef WF_VERIFY_DRAW_VALUE_H
#define WF_VERIFY_DRAW_VALUE_H

#include "machine/machine.h"
#include "verify/cone.h"

enum { WF_DRAW_CONSTANTS = 128 };

typedef struct wf_draw {
    uint64_t state;
    wf_arena *arena; /* of what is drawn */
    double numbers[WF_DRAW_CONSTANTS]; /* of the document */
    wf_value texts[WF_DRAW_CONSTANTS]; /* operands of its rules, and the context */
    uint32_t number_count, text_count;
} wf_draw;

/* Reads the document's constants, which live in `keep`. False when out of memory. */
bool wf_draw_init(wf_draw *draw, const wfsm_machine *machine, wf_arena *keep);
/* A number from 0 to below `most`, which is not 0. */
uint32_t wf_draw_below(wf_draw *draw, uint32_t most);
/* At least 0. */
double wf_draw_duration(wf_draw *draw);
wf_value wf_draw_text(wf_draw *draw);
/* A text that begins with this one. */
wf_value wf_draw_text_after(wf_draw *draw, const char *begin, size_t length);
/* A value that fits the schema (NULL: any) and has the parts that rules read (`wanted`; NULL: none
 * is read). ABSENT if none was found, or when out of memory. */
wf_value wf_draw_value(wf_draw *draw, const wf_schema *schema, const wf_cone *wanted);
#endif
