/* verify/trace.h: traces. The search keeps the parent of each state only; the inputs between
 * them are found again by enumerating successors. */
#ifndef WF_VERIFY_TRACE_H
#define WF_VERIFY_TRACE_H

#include "verify/search.h"

typedef struct wf_trace_move {
    wf_input input;
    uint32_t answer_count; /* answers of the host, in the order of the questions */
    uint16_t answers[WF_CHOICES_MOST];
    uint8_t *key; /* of the successor, without the part that depends on time; NULL: none */
    size_t key_length;
    uint32_t kept; /* the checkpoint of the successor */
} wf_trace_move;

typedef struct wf_trace {
    wf_trace_move *moves; /* the first is the start */
    size_t count, capacity;
    size_t cycle; /* index of the first move of the cycle; == count: there is none */
} wf_trace;

/* A shortest trace to a diagnostic, in the arena but for the list of moves. Fails with
 * NO_MEMORY; NOT_FOUND if a successor was not found again. */
int32_t wf_trace_find(wf_search *self, const wf_search_diagnostic *found, wf_arena *arena,
                      wf_trace *trace);
void wf_trace_free(wf_search *self, wf_trace *trace);
#endif
