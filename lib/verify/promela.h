/* verify/promela.h: a chart as a model for SPIN. promela.c writes the tables, which differ from
 * chart to chart; promela_select.c and promela_step.c write the algorithm, which does not. */
#ifndef WF_VERIFY_PROMELA_H
#define WF_VERIFY_PROMELA_H

#include "base/buffer.h"
#include "machine/model.h"

/*
 * Writes a model of everything that can happen to an instance of the machine. Only charts
 * without data have one: their guards look at in_state alone, and nothing is raised later than
 * at once. WFSM_OK; SEMANTIC with the place that looks at data; LIMIT for charts that are too
 * large; NO_MEMORY.
 */
int32_t wf_promela(wf_buffer *out, const wfsm_machine *machine, wfsm_error *error);

/* Parts of SCXML's algorithm, over the tables: promela_select.c and promela_step.c. */
void wf_promela_select(wf_buffer *out);
void wf_promela_step(wf_buffer *out);

/* Appends each line with its newline. */
static inline void wf_promela_lines(wf_buffer *out, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wf_buffer_text(out, lines[i]);
        wf_buffer_byte(out, '\n');
    }
}
#endif
