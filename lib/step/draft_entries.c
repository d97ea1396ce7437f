/* Changing the lists of a draft. A changed entry is a new copy, so that the old one can be put
 * back. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

static int32_t add_block(wf_step *step, wf_blocks *blocks, void *block)
{
    if (!block)
        return WFSM_OK;
    void **list = wf_grow(step->allocator, blocks->list, &blocks->capacity, blocks->count + 1,
                          sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    blocks->list = list;
    list[blocks->count++] = block;
    return WFSM_OK;
}

/* Keeps the list as it is before its first change. If a step only appends to it, its count is
 * enough. */
static int32_t touch(wf_step *step, int number, wf_list **list)
{
    const wf_kind *kind = wf_kind_of(number);
    wf_extras *extras = wf_snapshot_extras(step->snapshot);
    wf_list *saved = &step->before.lists[number];
    if (!extras)
        return wf_no_memory(step->error);
    *list = wf_list_of(extras, kind);
    if (step->before.touched[number])
        return WFSM_OK;
    if (!kind->appends) {
        void **entries = wf_grow(step->allocator, saved->entries, &saved->capacity,
                                 (*list)->count + 1, sizeof *entries);
        if (!entries)
            return wf_no_memory(step->error);
        saved->entries = entries;
        if ((*list)->count > 0)
            memcpy(entries, (*list)->entries, (*list)->count * sizeof *entries);
    }
    saved->count = (*list)->count;
    step->before.touched[number] = true;
    return WFSM_OK;
}

/* A copy of the entry that is freed if the draft is rolled back. */
static int32_t make(wf_step *step, int number, const void *like, void **made)
{
    const wf_kind *kind = wf_kind_of(number);
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < kind->field_count && status == WFSM_OK; i++)
        if (kind->fields[i].type == WF_FIELD_VALUE)
            status = wf_step_keeps(step, wf_field_at(&kind->fields[i], like));
    if (status != WFSM_OK)
        return status;
    *made = wf_entry_copy(step->allocator, kind, like);
    if (!*made)
        return wf_no_memory(step->error);
    ((wf_stamp *)*made)->changed = step->snapshot->revision + 1;
    step->grown = true;
    status = add_block(step, &step->before.fresh, *made);
    if (status != WFSM_OK)
        wf_free(step->allocator, *made);
    return status;
}

int32_t wf_draft_add(wf_step *step, int number, const void *like)
{
    wf_list *list = NULL;
    void *made = NULL;
    int32_t status = touch(step, number, &list);
    if (status != WFSM_OK)
        return status;
    void **entries = wf_grow(step->allocator, list->entries, &list->capacity, list->count + 1,
                             sizeof *entries);
    if (!entries)
        return wf_no_memory(step->error);
    list->entries = entries;
    status = make(step, number, like, &made);
    if (status == WFSM_OK)
        entries[list->count++] = made;
    return status;
}

int32_t wf_draft_replace(wf_step *step, int number, size_t index, const void *like)
{
    wf_list *list = NULL;
    void *made = NULL;
    int32_t status = touch(step, number, &list);
    if (status == WFSM_OK)
        status = make(step, number, like, &made);
    if (status == WFSM_OK)
        status = add_block(step, &step->before.stale, list->entries[index]);
    if (status == WFSM_OK)
        list->entries[index] = made;
    return status;
}

int32_t wf_draft_edit(wf_step *step, int number, size_t index, void **entry)
{
    const wf_list *list = wf_list_of(step->snapshot->extras, wf_kind_of(number));
    int32_t status = WFSM_OK;
    *entry = list->entries[index];
    if (((wf_stamp *)*entry)->changed != step->snapshot->revision + 1)
        status = wf_draft_replace(step, number, index, *entry);
    *entry = list->entries[index];
    return status;
}

int32_t wf_draft_remove(wf_step *step, int number, size_t index)
{
    wf_list *list = NULL;
    int32_t status = touch(step, number, &list);
    WF_INVARIANT(status != WFSM_OK || index < list->count);
    if (status == WFSM_OK)
        status = wf_fuel_work(step, 1 + (list->count - index) / 16);
    if (status == WFSM_OK)
        status = add_block(step, &step->before.stale, list->entries[index]);
    if (status != WFSM_OK)
        return status;
    list->count--;
    memmove(&list->entries[index], &list->entries[index + 1],
            (list->count - index) * sizeof *list->entries);
    return WFSM_OK;
}

int32_t wf_draft_output(wf_step *step, const wf_value *output)
{
    wf_extras *extras = wf_snapshot_extras(step->snapshot);
    wf_value copy;
    void *block = NULL;
    int32_t status = extras ? wf_step_keeps(step, output) : wf_no_memory(step->error);
    if (status != WFSM_OK)
        return status;
    if (!wf_value_copy(step->allocator, output, &copy, &block))
        return wf_no_memory(step->error);
    status = add_block(step, &step->before.fresh, block);
    if (status != WFSM_OK)
        wf_free(step->allocator, block);
    wf_value *now = &extras->singles.output;
    if (status == WFSM_OK && now->type >= WF_STRING)
        status = add_block(step, &step->before.stale, (void *)(uintptr_t)now->as.text);
    if (status != WFSM_OK)
        return status;
    *now = copy;
    step->grown = true;
    return WFSM_OK;
}

/* ---- the beginning and the end of a draft ---- */

wf_list wf_draft_before(const wf_step *step, int number)
{
    const wf_kind *kind = wf_kind_of(number);
    wf_list before = *wf_list_of(step->snapshot->extras, kind);
    if (kind->appends && step->before.touched[number])
        before.count = step->before.lists[number].count;
    return (step->before.touched[number] && !kind->appends) || kind->in_place
               ? step->before.lists[number]
               : before;
}

static void free_blocks(const wf_snapshot *snapshot, wf_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        wf_free(snapshot->allocator, blocks->list[i]);
    blocks->count = 0;
}

void wf_entries_begin(wf_step *step)
{
    const wf_extras *extras = step->snapshot->extras;
    memset(step->before.touched, 0, sizeof step->before.touched);
    step->before.fresh.count = step->before.stale.count = 0;
    step->before.singles = extras->singles;
    wf_budgets_copy(&step->before.lists[WF_BUDGETS], &extras->budgets);
}

static void swap_lists(wf_extras *extras, wf_before *before, int number)
{
    wf_list *list = wf_list_of(extras, wf_kind_of(number)), *saved = &before->lists[number];
    wf_list now = *list;
    if (wf_kind_of(number)->appends) {
        list->count = saved->count;
        saved->count = now.count;
    } else {
        *list = *saved;
        *saved = now;
    }
}

void wf_entries_swap(wf_extras *extras, wf_before *before)
{
    wf_singles singles = extras->singles;
    for (int i = 0; i < WF_KINDS; i++)
        if (before->touched[i])
            swap_lists(extras, before, i);
    wf_budgets_swap(&extras->budgets, &before->lists[WF_BUDGETS]);
    before->singles.parent = singles.parent; /* set once, before any step */
    extras->singles = before->singles;
    before->singles = singles;
}

void wf_entries_discard(const wf_snapshot *snapshot, wf_before *before)
{
    memset(before->touched, 0, sizeof before->touched);
    free_blocks(snapshot, &before->fresh);
    before->stale.count = 0;
}

void wf_entries_keep(const wf_snapshot *snapshot, wf_before *before)
{
    free_blocks(snapshot, &before->stale);
    before->fresh.count = 0;
}
