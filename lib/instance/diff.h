/* instance/diff.h: shared by diff.c (two revisions of an instance) and diff_json.c (two JSON
 * values). */
#ifndef WF_INSTANCE_DIFF_H
#define WF_INSTANCE_DIFF_H

#include "base/buffer.h"
#include "logic/value.h"

/* Takes back what was written after this length. */
void wf_diff_cut(wf_buffer *out, size_t length);

/* Appends "key": [{"path","from"?,"to"?}, …]: what changed from one value to the other. Nothing if
 * they are equal. `path` is scratch memory. NULL is an empty object. */
void wf_diff_changes(wf_buffer *out, wf_buffer *path, const char *key, const wf_value *before,
                     const wf_value *after);
/* Appends "key": {"from","to"}, or nothing if they are equal. NULL is null. */
void wf_diff_pair(wf_buffer *out, const char *key, const wf_value *before,
                  const wf_value *after);
/* Appends "key": those elements of the list that the other one does not have, or nothing. */
void wf_diff_missing(wf_buffer *out, const char *key, const wf_value *list,
                     const wf_value *other);
#endif
