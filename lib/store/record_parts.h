/* store/record_parts.h: parts that records and snapshots share. */
#ifndef WF_STORE_RECORD_PARTS_H
#define WF_STORE_RECORD_PARTS_H

#include "store/record.h"

void wf_write_key(wf_buffer *out, const char *key);
/* Appends a comma unless the next element is the first of its list. */
void wf_write_comma(wf_buffer *out);
void wf_write_string(wf_buffer *out, const char *key, const char *text);
/* Begins the object: format, machine and fingerprint if `document`, revision, time, and the
 * limits in force if `document` or `limits`. */
void wf_write_head(wf_buffer *out, const wf_snapshot *snapshot, uint64_t revision,
                   bool document, bool limits);
void wf_write_timer(wf_buffer *out, const wfsm_machine *machine, const wf_timer *timer);
/* If `known`, without what never changes: an earlier record has it. */
void wf_write_invocation(wf_buffer *out, const wfsm_machine *machine,
                         const wf_invocation *invocation, bool known);
/* context_write.c: the whole context as one object; what an open draft changed of it. */
void wf_write_context(wf_buffer *out, const wf_snapshot *snapshot);
void wf_write_context_changes(wf_buffer *out, const wf_step *step);
void wf_write_effect(wf_buffer *out, const wf_effect *effect);
/* [{"invoke","signature","count"}, …] */
void wf_write_failures(wf_buffer *out, const wfsm_machine *machine, const wf_repeats *repeats);
/* {"path of the history": ["path", …], …} of those that differ from `before` (NULL: all). */
void wf_write_histories(wf_buffer *out, const wfsm_machine *machine, const uint64_t *histories,
                        const uint64_t *before);
/* record_lists.c: what an open draft changed of timers, invocations and effects. */
void wf_write_list_changes(wf_buffer *out, const wf_step *step);
#endif
