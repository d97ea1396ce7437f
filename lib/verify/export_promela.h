/* verify/export_promela.h: a chart for the model checker SPIN. export_promela.c writes what
 * differs from chart to chart, promela_step.c the algorithm, which is the same for all. */
#ifndef WF_TOOLS_EXPORT_PROMELA_H
#define WF_TOOLS_EXPORT_PROMELA_H

#include "base/buffer.h"
#include "machine/model.h"

/*
 * Writes a model of everything that can happen to an instance of the machine. Only charts
 * without data have one: their guards look at in_state alone, and nothing is raised later than
 * at once. WFSM_OK; SEMANTIC with the place that looks at data; LIMIT for charts that are too
 * large; NO_MEMORY.
 */
int32_t wf_promela(wf_buffer *out, const wfsm_machine *machine, wfsm_error *error);

/* W3C SCXML's algorithm, over the tables. */
void wf_promela_step(wf_buffer *out);
#endif
