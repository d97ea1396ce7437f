/* store/memory_permits.c: the memory store's permits, for limits that sessions share. */
#include "store/memory.h"

#include <string.h>

static bool is_of(const wf_permit_row *row, const wfsm_permit *permit)
{
    return row->kind == permit->kind && !strcmp(row->name, permit->name);
}

static wf_permit_row *find_row(const wf_memory *memory, const char *session,
                               const wfsm_permit *permit)
{
    for (size_t i = 0; i < memory->permit_count; i++)
        if (is_of(&memory->permits[i], permit) && !strcmp(memory->permits[i].session, session))
            return &memory->permits[i];
    return NULL;
}

static bool add_row(wf_memory *memory, const char *session, const wfsm_permit *permit)
{
    wf_permit_row *rows = wf_grow(&memory->allocator, memory->permits, &memory->permit_capacity,
                                  memory->permit_count + 1, sizeof *rows);
    if (!rows)
        return false;
    memory->permits = rows;
    char *name = wf_copy_text(&memory->allocator, permit->name, strlen(permit->name));
    char *copy = wf_copy_text(&memory->allocator, session, strlen(session));
    if (!name || !copy) {
        wf_free(&memory->allocator, name);
        wf_free(&memory->allocator, copy);
        return false;
    }
    rows[memory->permit_count++] =
        (wf_permit_row){.kind = permit->kind, .name = name, .session = copy};
    return true;
}

static void drop_row(wf_memory *memory, wf_permit_row *row)
{
    wf_free(&memory->allocator, row->name);
    wf_free(&memory->allocator, row->session);
    *row = memory->permits[--memory->permit_count];
}

/* Those of sessions that are not alive, but not this one's. */
static void drop_lapsed(wf_memory *memory, const char *session, int64_t now)
{
    for (size_t i = memory->permit_count; i-- > 0;) {
        wf_permit_row *row = &memory->permits[i];
        if (strcmp(row->session, session) != 0 &&
            !wf_memory_is_alive(memory, row->session, now))
            drop_row(memory, row);
    }
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* An equal part for each session that wants something. */
static uint32_t share_of(const wf_memory *memory, const wf_permit_row *mine,
                         const wfsm_permit *permit)
{
    uint32_t sessions = 1;
    for (size_t i = 0; i < memory->permit_count; i++)
        sessions += &memory->permits[i] != mine && is_of(&memory->permits[i], permit) &&
                    memory->permits[i].wanted > 0;
    return permit->most / sessions;
}

/* What others have, or want of their share. If one has waited for longer, its share is at least one. */
static uint64_t kept_for_others(const wf_memory *memory, const wf_permit_row *mine,
                                const wfsm_permit *permit, int64_t since)
{
    uint32_t share = share_of(memory, mine, permit);
    uint64_t sum = 0;
    for (size_t i = 0; i < memory->permit_count; i++) {
        const wf_permit_row *row = &memory->permits[i];
        bool is_first = row->wanted > row->count && row->since < since;
        if (row != mine && is_of(row, permit))
            sum +=
                larger(row->count, smaller(row->wanted, is_first ? larger(share, 1) : share));
    }
    return sum;
}

static bool others_wait(const wf_memory *memory, const wf_permit_row *mine,
                        const wfsm_permit *permit)
{
    bool found = false;
    for (size_t i = 0; i < memory->permit_count && !found; i++)
        found = &memory->permits[i] != mine && is_of(&memory->permits[i], permit) &&
                memory->permits[i].wanted > memory->permits[i].count;
    return found;
}

static void grant(const wf_memory *memory, wf_permit_row *mine, wfsm_permit *permit,
                  int64_t now)
{
    int64_t since = mine->wanted > mine->count ? mine->since : now;
    uint64_t others = kept_for_others(memory, mine, permit, since);
    uint32_t left = others < permit->most ? permit->most - (uint32_t)others : 0;
    uint32_t granted =
        larger(smaller(permit->working, mine->count), smaller(permit->wanted, left));
    mine->since = granted > mine->count ? now : since;
    mine->wanted = permit->wanted;
    mine->count = permit->granted = granted;
    permit->contended = others_wait(memory, mine, permit);
}

static bool counts_on_permits(wfsm_permit *const *permits, size_t count)
{
    size_t i = 0;
    while (i < count && permits[i]->held == 0)
        i++;
    return i < count;
}

int32_t wf_memory_permits(void *self, const char *session, int64_t now,
                          wfsm_permit *const *permits, size_t count, wfsm_error *error)
{
    wf_memory *memory = self;
    if (counts_on_permits(permits, count) && !wf_memory_is_alive(memory, session, now))
        return wf_fail(
            error, WFSM_STORE_FAILED,
            "the lease of the session '%s' has lapsed, and others may have its permits",
            session);
    drop_lapsed(memory, session, now);
    for (size_t i = 0; i < count; i++)
        if (!find_row(memory, session, permits[i]) && !add_row(memory, session, permits[i]))
            return wf_no_memory(error);
    for (size_t i = 0; i < count; i++)
        grant(memory, find_row(memory, session, permits[i]), permits[i], now);
    return WFSM_OK;
}

void wf_memory_permits_free(wf_memory *memory)
{
    while (memory->permit_count > 0)
        drop_row(memory, &memory->permits[memory->permit_count - 1]);
    wf_free(&memory->allocator, memory->permits);
}
