/* store/record_parts.h: parts that records and snapshots share. */
#ifndef WF_STORE_RECORD_PARTS_H
#define WF_STORE_RECORD_PARTS_H

#include "store/record.h"

/* The key of a member: one of ours, in which nothing is escaped; one that somebody else has chosen. */
void wf_write_key(wf_buffer *out, const char *key);
void wf_write_name(wf_buffer *out, const char *name);
/* Appends a comma unless the next element is the first of its list. */
void wf_write_comma(wf_buffer *out);
void wf_write_text(wf_buffer *out, const char *text);
void wf_write_string(wf_buffer *out, const char *key, const char *text);
/* Begins the object: format, machine and fingerprint if `document`, revision, time, and the
 * limits in force if `document` or `limits`. */
void wf_write_head(wf_buffer *out, const wf_snapshot *snapshot, uint64_t revision,
                   bool document, bool limits);
/* write_state.c: everything that an instance keeps, as members; what an open draft changed of
 * it. */
void wf_write_state(wf_buffer *out, const wf_snapshot *snapshot);
void wf_write_changes(wf_buffer *out, const wf_step *step);
/* All entries of a list, as an array or as an object by their names. */
void wf_write_entries(wf_buffer *out, const wfsm_machine *machine, const wf_kind *kind,
                      const wf_list *list);
/* context_write.c: the whole context as one object; what an open draft changed of it. */
void wf_write_context(wf_buffer *out, const wf_snapshot *snapshot);
void wf_write_context_changes(wf_buffer *out, const wf_step *step);
/* "histories": {"path of the history": ["path", …], …} of those that differ from `before`, or, if
 * it is NULL, that remember something. No member if there are none. */
void wf_write_histories(wf_buffer *out, const wfsm_machine *machine, const uint64_t *histories,
                        const uint64_t *before);
#endif
