/* testkit/faulty.c: wfsm_testkit_wrap(), a store that makes one call of another store
 * fail. */
#include "later.h"
#include "../base/invariant.h"

#include "../base/sized.h"

#include <stdlib.h>
#include <string.h>
#include <wfsm/testkit.h>

typedef struct faulty {
    wfsm_store *inner;
    wfsm_testkit_plan *plan; /* or NULL */
    tk_later *later;         /* the delayed commits, or NULL */
    uint64_t due;            /* the call before which they are carried out */
} faulty;

const char *wfsm_testkit_fault_name(int32_t fault)
{
    static const char *const names[] = {"none",  "fail",       "drop",     "lose",
                                        "delay", "cut-before", "cut-after"};
    return fault >= 0 && fault <= WFSM_TESTKIT_CUT_AFTER ? names[fault] : "none";
}

static void do_later(faulty *self)
{
    tk_later *later = self->later;
    if (!later)
        return;
    self->later = NULL;
    tk_later_do(later, self->inner);
    tk_later_free(later);
}

/* Counts a call and returns its fault; CUT_BEFORE after the power was cut. */
static int32_t next_fault(faulty *self, bool writes)
{
    wfsm_testkit_plan *plan = self->plan;
    if (!plan)
        return WFSM_TESTKIT_NONE;
    if (plan->dead)
        return WFSM_TESTKIT_CUT_BEFORE;
    plan->calls++;
    if (self->later && plan->calls >= self->due)
        do_later(self);
    WF_INVARIANT(!self->later || plan->calls < self->due);
    if (!plan->at || plan->calls != plan->at || plan->fault == WFSM_TESTKIT_NONE)
        return WFSM_TESTKIT_NONE;
    plan->happened++;
    plan->wrote = writes;
    plan->dead = plan->fault >= WFSM_TESTKIT_CUT_BEFORE;
    return plan->fault;
}

static bool is_done(int32_t fault)
{
    return fault == WFSM_TESTKIT_NONE || fault == WFSM_TESTKIT_LOSE ||
           fault == WFSM_TESTKIT_CUT_AFTER;
}

/* The status that the caller gets for a call with a fault. */
static int32_t spoiled(int32_t fault, bool writes, wfsm_error *error)
{
    WF_INVARIANT(fault != WFSM_TESTKIT_NONE);
    if (fault == WFSM_TESTKIT_FAIL || !writes)
        return wfsm_error_set(error, WFSM_STORE_FAILED, "the store failed, as planned");
    return wfsm_error_set(error, WFSM_STORE_UNKNOWN, "the answer was lost, as planned");
}

static int32_t end_call(int32_t fault, bool writes, int32_t status, wfsm_error *error)
{
    return fault == WFSM_TESTKIT_NONE ? status : spoiled(fault, writes, error);
}

/* ---- calls that write ---- */

static int32_t delay_commit(faulty *self, const wfsm_commit *const *commits, size_t count,
                            wfsm_error *error)
{
    do_later(self);
    WF_INVARIANT(!self->later);
    self->later = tk_later_new(commits, count);
    self->due = self->plan->calls + (self->plan->delay ? self->plan->delay : 1);
    return self->later ? WFSM_OK : wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
}

/* Answers OK now and commits later. */
static int32_t answer_early(faulty *self, const wfsm_commit *const *commits, size_t count,
                            int32_t *answers, wfsm_error *error)
{
    int32_t status = delay_commit(self, commits, count, error);
    self->due = self->plan->calls + 1;
    for (size_t i = 0; i < count; i++)
        answers[i] = status;
    return status;
}

static int32_t commit(void *user, const wfsm_commit *const *commits, size_t count,
                      int32_t *answers, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true);
    int32_t status = WFSM_OK;
    if (fault == WFSM_TESTKIT_NONE && self->plan && self->plan->early)
        return answer_early(self, commits, count, answers, error);
    if (fault == WFSM_TESTKIT_DELAY)
        status = delay_commit(self, commits, count, error);
    else if (is_done(fault))
        status = wfsm_store_commit(self->inner, commits, count, answers, error);
    if (fault == WFSM_TESTKIT_NONE || status == WFSM_NO_MEMORY)
        return status;
    return spoiled(fault, true, error);
}

static int32_t post(void *user, const wfsm_post *given, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_submit(self->inner, given, error);
    return end_call(fault, true, status, error);
}

static int32_t acknowledge(void *user, const char *instance, uint64_t effect, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_acknowledge(self->inner, instance, effect, error);
    return end_call(fault, true, status, error);
}

static int32_t owner_alive(void *user, const char *owner, int64_t until, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_owner_alive(self->inner, owner, until, error);
    return end_call(fault, true, status, error);
}

static int32_t claim(void *user, const char *session, int64_t mine, int64_t now, int64_t until,
                     wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_claim(self->inner, session, mine, now, until, error);
    return end_call(fault, true, status, error);
}

static int32_t own(void *user, const char *instance, const char *owner, int64_t now,
                   wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_own(self->inner, instance, owner, now, error);
    return end_call(fault, true, status, error);
}

static int32_t disown(void *user, const char *instance, const char *owner, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_disown(self->inner, instance, owner, error);
    return end_call(fault, true, status, error);
}

static int32_t forget(void *user, const char *instance, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_remove(self->inner, instance, error);
    return end_call(fault, true, status, error);
}

static int32_t cut(void *user, const char *instance, uint64_t revision, const char *text,
                   size_t length, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, true), status = WFSM_OK;
    if (is_done(fault) || fault == WFSM_TESTKIT_DELAY)
        status = wfsm_store_cut(self->inner, instance, revision, text, length, error);
    return end_call(fault, true, status, error);
}

/* ---- calls that read ---- */

static int32_t head(void *user, const char *instance, wfsm_head *out, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_head(self->inner, instance, out, error);
    return end_call(fault, false, status, error);
}

static int32_t records(void *user, const char *instance, uint64_t from, uint64_t to,
                       wfsm_row_sink sink, void *to_user, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_records(self->inner, instance, from, to, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static int32_t snapshot(void *user, const char *instance, const char *checkpoint,
                        wfsm_row_sink sink, void *to_user, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_snapshot(self->inner, instance, checkpoint, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static int32_t checkpoints(void *user, const char *instance, wfsm_row_sink sink, void *to_user,
                           wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_checkpoints(self->inner, instance, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static int32_t list(void *user, const wfsm_query *query, wfsm_row_sink sink, void *to_user,
                    wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_list(self->inner, query, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static int32_t document(void *user, const char *fingerprint, wfsm_row_sink sink, void *to_user,
                        wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_document(self->inner, fingerprint, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static int32_t seen(void *user, const char *instance, const char *event_id, int32_t *out,
                    wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_seen(self->inner, instance, event_id, out, error);
    return end_call(fault, false, status, error);
}

static int32_t inbox(void *user, const char *instance, uint64_t limit, wfsm_row_sink sink,
                     void *to_user, wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_inbox(self->inner, instance, limit, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static int32_t changes(void *user, wfsm_changes *asked, wfsm_row_sink sink, void *to_user,
                       wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_changes(self->inner, asked, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static int32_t anchor(void *user, const char *instance, wfsm_row_sink sink, void *to_user,
                      wfsm_error *error)
{
    faulty *self = user;
    int32_t fault = next_fault(self, false), status = WFSM_OK;
    if (is_done(fault))
        status = wfsm_store_anchor(self->inner, instance, sink, to_user, error);
    return end_call(fault, false, status, error);
}

static void close(void *user)
{
    faulty *self = user;
    if (self->plan && !self->plan->dead)
        do_later(self);
    tk_later_free(self->later);
    free(self);
}

static const wfsm_store_vtable vtable = {
    .size = sizeof vtable,
    .commit = commit,
    .head = head,
    .records = records,
    .snapshot = snapshot,
    .checkpoints = checkpoints,
    .list = list,
    .document = document,
    .seen = seen,
    .post = post,
    .inbox = inbox,
    .acknowledge = acknowledge,
    .owner_alive = owner_alive,
    .claim = claim,
    .own = own,
    .disown = disown,
    .remove = forget,
    .close = close,
    .cut = cut,
    .anchor = anchor,
    .changes = changes,
};

int32_t wfsm_testkit_wrap(wfsm_store **store, wfsm_store *inner, wfsm_testkit_plan *plan,
                          wfsm_error *error)
{
    if (!store || !inner || (plan && !wf_struct_fits(plan, sizeof *plan, sizeof *plan)))
        return wfsm_error_set(error, WFSM_INVALID,
                              "a store is missing, or the plan is of a wrong size");
    faulty *self = calloc(1, sizeof *self);
    if (!self)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    self->inner = inner;
    self->plan = plan;
    int32_t status = wfsm_store_new(store, &vtable, self, NULL, error);
    if (status)
        free(self);
    return status;
}
