/* store/approve.h: the vote of a person, as the caller of wfsm_approve() gives it. */
#ifndef WF_STORE_APPROVE_H
#define WF_STORE_APPROVE_H

#include "base/buffer.h"
#include "store/store.h"

/* Copies the approval to `room` and checks it. The instance is left to the caller. INVALID. */
int32_t wf_approval_check(wfsm_approval *room, const wfsm_approval *given, wfsm_error *error);
/* The data of the input, a JSON object (doc/approvals.md). */
void wf_approval_write(wf_buffer *out, const wfsm_approval *given);
#endif
