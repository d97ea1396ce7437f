/*
 * instance/instance.h: what the engine needs of an instance beyond the public interface.
 * inner.h explains the part.
 */
#ifndef WF_INSTANCE_INSTANCE_H
#define WF_INSTANCE_INSTANCE_H

#include <wfsm/instance.h>
#include "step/step.h"
#include "store/rows.h"

/* Copies the limits; NULL: none. INVALID: the struct has no size, or a limit is out of range. */
int32_t wf_host_limits(wf_limits *out, const wfsm_step_limits *given, wfsm_error *error);
/* Sets the owner that every commit of the handle names ("" at first). In the store it must be
 * the instance's owner already; a start makes it so. Copied. */
int32_t wf_instance_set_owner(wfsm_instance *instance, const char *owner, wfsm_error *error);
/* Its last commit has given it up. It has to be owned, and loaded again, before its next input. */
bool wf_instance_is_left(const wfsm_instance *instance);
/* It has ended, and every effect is delivered: nothing is left for an owner to do. */
bool wf_instance_gives_up(const wfsm_instance *instance);
/* It was given up together with its last acknowledgement. */
void wf_instance_leave(wfsm_instance *instance);
/* The child workflow of an attempt of an invocation; depth is 1 for a child of an instance that
 * is not a child itself. */
typedef struct wf_parent {
    const char *invocation;
    uint32_t attempt, depth;
    uint32_t descendants, descendants_in_all; /* that the child may have, without itself */
} wf_parent;
/* For a start: the owner, which start of that session it is, what may be claimed from the first
 * commit on, and the invocation that this is the child workflow of, or NULL. */
typedef struct wf_ownership {
    const char *owner;
    uint64_t number;
    wf_grant grant;
    const wf_parent *parent;
} wf_ownership;
/* As wfsm_instance_start(), for an owner. */
int32_t wf_instance_start_owned(wfsm_instance **instance, wfsm_machine *machine,
                                const wfsm_start_options *options, const wf_ownership *by,
                                int64_t now, wfsm_error *error);
/* Fills in *parent, borrowed. False if this is not a child. */
bool wf_instance_parent(const wfsm_instance *instance, wf_parent *parent);
/* As wfsm_instance_claim(), for a child workflow that will have at most so many descendants,
 * itself included; 0: unknown. */
int32_t wf_instance_claim_child(wfsm_instance *instance, const char *invocation,
                                const char *owner, uint64_t descendants, int64_t now,
                                wfsm_error *error);
/* How many instances have descended from this one, or may still do so as a share of a child at
 * work. */
uint64_t wf_instance_descendants(const wfsm_instance *instance);
/* How much of a budget is used. */
int64_t wf_instance_used(const wfsm_instance *instance, uint32_t budget);
/* The output, borrowed; null before the end. */
const wf_value *wf_instance_output(const wfsm_instance *instance);

/* As wfsm_instance_fork(), with an owner and a grant. */
int32_t wf_instance_fork_owned(wfsm_instance **fork, wfsm_instance *source,
                               const wfsm_restore_point *from, const char *id,
                               const wf_ownership *by, int64_t now, wfsm_error *error);

/* The outstanding invocations, oldest first; borrowed until the next input. */
size_t wf_instance_invocation_count(const wfsm_instance *instance);
const wf_invocation *wf_instance_invocation(const wfsm_instance *instance, size_t index);
enum { WF_INVOCATION_ID_BYTES = WF_WORK_ID_BYTES };
void wf_instance_invocation_id(const wfsm_instance *instance, const wf_invocation *invocation,
                               char out[WF_INVOCATION_ID_BYTES]);
const wf_invocation *wf_instance_invocation_of(const wfsm_instance *instance,
                                               const wf_work *work);
/* The outstanding invocation of that id, or NULL. */
const wf_invocation *wf_instance_find_invocation(const wfsm_instance *instance, const char *id);

/* What a post of kind migrate needs of the owner. NULL: such posts do not come. */
typedef struct wf_migrating {
    const wfsm_functions *functions;
    /* Gets the machine of the document, and may replace it by its own copy, which it keeps. */
    int32_t (*keep)(void *user, wfsm_machine **machine, wfsm_error *error);
    void *user;
} wf_migrating;
/* Takes a post of the inbox as the input that its kind names. The commit consumes it, also if nothing
 * handles it. A migration replaces *instance. */
int32_t wf_instance_consume(wfsm_instance **instance, const wfsm_row *post,
                            const wf_migrating *migrating, int64_t now, int32_t *outcome,
                            wfsm_error *error);
/* The answer of a probe about a RUNNING invocation whose owner is gone. RUNNING makes `owner`
 * its owner. GONE makes it pending again (`onUnknown: retry`; the attempt stays counted) or
 * fails it with class other (`escalate`). If the work is done or has failed, call
 * wfsm_instance_result() or wfsm_instance_failure() instead. */
enum wf_probe { WF_PROBE_RUNNING = 1, WF_PROBE_GONE = 2, WF_PROBE_UNSURE = 3 };
int32_t wf_instance_probed(wfsm_instance *instance, const char *invocation, int32_t answer,
                           const char *owner, int64_t now, int32_t *outcome, wfsm_error *error);
/* True if its claim would be refused because its invoke has no room for another item. */
bool wf_instance_items_full(const wfsm_instance *instance, const wf_invocation *invocation);
/* True if a budget allows no claim at `now`. */
bool wf_instance_refuses(const wfsm_instance *instance, int64_t now);
/* What the next steps may claim in the commit that makes the invocation; nothing at first. */
void wf_instance_set_grant(wfsm_instance *instance, const wf_grant *grant);
/* Why the store has refused the commits that waited in the last batch; WFSM_OK if it did not, and
 * from the second call on. An instance that is not sealed is then in the state before them. */
int32_t wf_instance_take_refusal(wfsm_instance *instance);
/* A guard or action of the host that the machine needs, and that is not among these; NULL: all are. *kind is
 * "guard" or "action". */
const char *wf_functions_lack(const wfsm_functions *functions, const wfsm_machine *machine,
                              const char **kind);
/* wfsm_instance_load() from what an exchange has returned: `rows` is the head, followed by its snapshot
 * and records. The machine, if it is NULL, is read from the store. */
int32_t wf_instance_load_rows(wfsm_instance **instance, wfsm_machine *machine,
                              wfsm_store *store, const wfsm_functions *functions,
                              const wf_row *rows, wfsm_error *error);
/* The host has taken the effects up to this one. The next commit tells the store, or the caller does. */
void wf_instance_delivered(wfsm_instance *instance, uint64_t number);
/* True until the store knows. */
bool wf_instance_owes_ack(const wfsm_instance *instance);
/* The caller has told the store. */
void wf_instance_ack_known(wfsm_instance *instance);
/* Questions are answered from the state that the store has confirmed, until the second call. In between
 * the instance takes no input, and the batch is not flushed. */
void wf_instance_hide(wfsm_instance *instance);
void wf_instance_show(wfsm_instance *instance);
/* True if commits of the instance wait in a batch. */
bool wf_instance_waits(const wfsm_instance *instance);
/* True after CONFLICT or UNKNOWN. */
bool wf_instance_sealed(const wfsm_instance *instance);
/* Parses an input's JSON (NULL text: null). LIMIT if it is nested too deeply, or too large, for a
 * record. */
int32_t wf_input_parse(wf_arena *arena, const char *text, size_t length, wf_value *value,
                       wfsm_error *error);
/* INVALID if there is no such class, or the message is not UTF-8. */
int32_t wf_failure_check(const wfsm_failure *failure, wfsm_error *error);

#endif
