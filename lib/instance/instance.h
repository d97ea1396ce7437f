/*
 * instance/instance.h: what the engine needs of an instance beyond the public interface.
 * The instance joins machine, step and store; it holds no semantics of its own.
 */
#ifndef WF_INSTANCE_INSTANCE_H
#define WF_INSTANCE_INSTANCE_H

#include <wfsm/instance.h>
#include "step/step.h"

/* Who commits: the name goes into every commit of the handle ("" at first). The store must
 * have made it the head's owner (start does so itself). Copied. */
int32_t wf_instance_set_owner(wfsm_instance *instance, const char *owner, wfsm_error *error);
/* The child workflow of an attempt of an invocation; depth is 1 for a child of an instance that
 * is not a child itself. */
typedef struct wf_parent {
    const char *invocation;
    uint32_t attempt, depth;
} wf_parent;
/* Who starts an instance: its owner and what may be claimed, from the first commit on, and the
 * invocation that it is the child workflow of, or NULL. */
typedef struct wf_ownership {
    const char *owner;
    wf_grant grant;
    const wf_parent *parent;
} wf_ownership;
/* As wfsm_instance_start(), for an owner. */
int32_t wf_instance_start_owned(wfsm_instance **instance, wfsm_machine *machine,
                                const wfsm_start_options *options, const wf_ownership *by,
                                int64_t now, wfsm_error *error);
/* False, and nothing in it, if this is no child. Borrowed. */
bool wf_instance_parent(const wfsm_instance *instance, wf_parent *parent);
/* What is used of a budget; borrowed: the output, null before the end. */
int64_t wf_instance_used(const wfsm_instance *instance, uint32_t budget);
const wf_value *wf_instance_output(const wfsm_instance *instance);

/* As wfsm_instance_fork, with an owner and a grant. */
int32_t wf_instance_fork_owned(wfsm_instance **fork, wfsm_instance *source,
                               const char *checkpoint, const char *id, const char *owner,
                               const wf_grant *grant, int64_t now, wfsm_error *error);

/* The outstanding invocations, in the order of their making; borrowed until the next input. */
size_t wf_instance_invocation_count(const wfsm_instance *instance);
const wf_invocation *wf_instance_invocation(const wfsm_instance *instance, size_t index);
/* "instance/revision/ordinal" of one of them. */
enum { WF_INVOCATION_ID_BYTES = 320 };
void wf_instance_invocation_id(const wfsm_instance *instance, const wf_invocation *invocation,
                               char out[WF_INVOCATION_ID_BYTES]);
const wf_invocation *wf_instance_invocation_at(const wfsm_instance *instance, uint64_t revision,
                                               uint32_t ordinal);
/* The outstanding invocation of that id, or NULL. */
const wf_invocation *wf_instance_find_invocation(const wfsm_instance *instance, const char *id);

/* A post of the inbox as an event; the commit consumes it, also when nothing handles it. */
int32_t wf_instance_consume(wfsm_instance *instance, const wfsm_row *post, int64_t now,
                            int32_t *outcome, wfsm_error *error);
/* What a probe found of a RUNNING invocation whose owner is gone. Reattach makes `owner` its
 * owner; gone puts it back to pending (`onUnknown: retry`; the attempt stays counted) or
 * fails it with class other (`escalate`). done and failed go through result and failure. */
enum wf_probe { WF_PROBE_RUNNING = 1, WF_PROBE_GONE = 2, WF_PROBE_UNSURE = 3 };
int32_t wf_instance_probed(wfsm_instance *instance, const char *invocation, int32_t answer,
                           const char *owner, int64_t now, int32_t *outcome, wfsm_error *error);
/* Would its claim be refused because as many of its set work as may? */
bool wf_instance_crowded(const wfsm_instance *instance, const wf_invocation *invocation);
/* Does a budget allow no claim at `now`? */
bool wf_instance_refuses(const wfsm_instance *instance, int64_t now);
/* What the next steps may claim by themselves, in the commit that makes them; none at first. */
void wf_instance_set_grant(wfsm_instance *instance, const wf_grant *grant);
/* After CONFLICT or UNKNOWN. */
bool wf_instance_sealed(const wfsm_instance *instance);
#endif
