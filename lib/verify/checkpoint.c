/* verify/checkpoint.c: checkpoints. One is kept as a key, and read into a snapshot of its own, to which the
 * step goes back as in a real run. */
#include "verify/explorer.h"

#include "base/error.h"

uint32_t wf_checkpoint_keep(wf_explorer *explorer)
{
    memset(explorer->memory_next, 0, explorer->memory_size);
    explorer->kept_next = 0;
    wf_timer_bounds times = explorer->times;
    wf_timer_bounds_keep(
        &times, wf_explorer_budgets_ahead(explorer, &explorer->snapshot.extras->budgets));
    if (wf_state_key_write(explorer, &explorer->snapshot, explorer->memory_next, &times) !=
        WFSM_OK)
        return WF_NONE;
    wf_value bytes = {.type = WF_STRING,
                      .length = (uint32_t)explorer->key_length,
                      .as.text = (const char *)explorer->key};
    return wf_intern_add(&explorer->intern, &bytes);
}

/* A key is read into the explorer's own snapshot. */
static void swap(wf_explorer *explorer)
{
    wf_checkpoint *other = &explorer->checkpoint;
    const wf_snapshot snapshot = explorer->snapshot;
    explorer->snapshot = other->snapshot;
    other->snapshot = snapshot;
    for (int k = 0; k < WF_KINDS; k++) {
        const wf_list pool = explorer->pools[k];
        explorer->pools[k] = other->pools[k];
        other->pools[k] = pool;
    }
}

/* A step reads what a person is asked from the input of the invocation, and forgets its result. */
static void ask_again(const wf_list *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        wf_invocation *work = wf_invocation_at(ledger, i);
        if (!wf_invocation_ended(work))
            work->input = work->result;
    }
}

/* The rest of the explorer stays that of the state at hand. Only what is known of the symbols is what the
 * checkpoint knows. */
static int32_t read_kept(wf_explorer *explorer)
{
    const wf_value *bytes = &explorer->intern.list[explorer->kept];
    const wf_timer_bounds now = explorer->times;
    const uint32_t kept = explorer->kept;
    wf_checkpoint *self = &explorer->checkpoint;
    memcpy(self->snapshot.slots, explorer->snapshot.slots,
           explorer->machine->keys.count * sizeof *self->snapshot.slots);
    memcpy(explorer->memory_next, explorer->memory, explorer->memory_size);
    swap(explorer);
    int32_t status =
        wf_state_key_restore(explorer, (const uint8_t *)bytes->as.text, bytes->length);
    swap(explorer);
    self->times = explorer->times;
    explorer->times = now;
    memcpy(explorer->memory, explorer->memory_next, explorer->memory_size);
    explorer->kept = explorer->kept_next = kept;
    ask_again(&self->snapshot.extras->ledger);
    return status;
}

/* A budget of time that has run out since has no bounds. */
static void remove_raised(wf_explorer *explorer)
{
    const wf_list *then = &explorer->checkpoint.snapshot.extras->budgets,
                  *now = &explorer->snapshot.extras->budgets;
    uint32_t place = wf_explorer_budgets_ahead(explorer, then);
    for (uint32_t i = explorer->machine->budget_count; place > 0 && i-- > 0;) {
        if (explorer->machine->budgets[i].counts != WF_COUNT_TIME ||
            wf_spent_at(then, i)->raised)
            continue;
        place--;
        if (wf_spent_at(now, i)->raised)
            wf_timer_bounds_remove(&explorer->checkpoint.times, place);
    }
}

int32_t wf_checkpoint_read(wf_explorer *explorer, bool *possible)
{
    const wf_list *budgets = &explorer->snapshot.extras->budgets;
    int32_t status = read_kept(explorer);
    if (status != WFSM_OK)
        return status;
    remove_raised(explorer);
    *possible = wf_timer_bounds_go_back(&explorer->checkpoint.times,
                                        explorer->carries ? &explorer->times : NULL,
                                        wf_explorer_budgets_ahead(explorer, budgets));
    return WFSM_OK;
}
