/* verify/trace_writer.h: a trace as text for people, and as a script for `wfsm simulate
 * --by-hand`. */
#ifndef WF_VERIFY_TRACE_WRITER_H
#define WF_VERIFY_TRACE_WRITER_H

#include "base/buffer.h"
#include "verify/trace.h"

typedef struct wf_trace_line {
    const char *text, *script;
    bool cycle; /* the first move of the cycle */
} wf_trace_line;

typedef struct wf_trace_writer {
    wf_explorer *explorer;
    wf_arena arena;
    wf_buffer text, script; /* of the move at hand */
    wf_value *values;       /* the tracked values of the context, as they were last written */
    wf_trace_line *lines;
    size_t count, capacity;
    bool cycle;
    bool failed;
} wf_trace_writer;

void wf_trace_writer_begin(wf_trace_writer *writer, wf_explorer *explorer,
                           const wfsm_allocator *allocator);
void wf_trace_writer_end(wf_trace_writer *writer);
/* Begins a move: its number, and that of the first move of the cycle. */
void wf_trace_writer_move(wf_trace_writer *writer, size_t number, size_t cycle);
/* Writes the input, before its step runs. */
void wf_trace_writer_before(wf_trace_writer *writer, const wf_step *step,
                            const wf_input *input);
/* Writes a person's vote, instead of `before`; one that follows another of the same move, too. */
void wf_trace_writer_vote(wf_trace_writer *writer, const wf_value *given);
/* Writes what came of it, while the draft of the step is open. */
void wf_trace_writer_after(wf_trace_writer *writer, const wf_step *step, const wf_input *input,
                           int32_t outcome, int32_t status);
/* All moves, with the time of each. */
void wf_trace_writer_finish(const wf_trace_writer *writer, const int64_t *times,
                            wf_buffer *text, wf_buffer *script);
/* After all moves: time passes, and nothing happens. */
void wf_trace_writer_wait(int64_t ms, wf_buffer *text, wf_buffer *script);
#endif
