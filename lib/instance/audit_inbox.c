/* Compares the waiting posts with the events that were taken. An id that is in both would be
 * taken twice. */
#include <stdlib.h>
#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/memory.h"
#include "instance/audit.h"

static int32_t note_id(void *user, const wfsm_row *row)
{
    wf_audit *self = user;
    if (!row->id)
        return WFSM_OK;
    wf_buffer_add(&self->posts, row->id, strlen(row->id) + 1);
    self->waiting_count++;
    return self->posts.failed ? wf_no_memory(self->error) : WFSM_OK;
}

static int by_text(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static int32_t sort(wf_audit *self)
{
    const char *at = self->posts.data;
    size_t count = self->waiting_count;
    if (count == 0)
        return WFSM_OK;
    const char **list = wf_grow(&self->store->allocator, self->waiting, &self->waiting_capacity,
                                count, sizeof *list);
    if (!list)
        return wf_no_memory(self->error);
    self->waiting = list;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1) {
        WF_INVARIANT(at < self->posts.data + self->posts.length);
        list[i] = at;
    }
    qsort(list, count, sizeof *list, by_text);
    return WFSM_OK;
}

int32_t wf_audit_inbox(wf_audit *self)
{
    wf_buffer_clear(&self->posts);
    self->waiting_count = 0;
    int32_t status =
        wfsm_store_inbox(self->store, self->instance, 0, note_id, self, self->error);
    bool read = status == WFSM_OK || status == WFSM_CORRUPT; /* some of them are damaged */
    int32_t sorted = read ? sort(self) : status;
    return sorted == WFSM_OK ? status : sorted;
}

bool wf_audit_waits(const wf_audit *self, const char *event_id)
{
    return self->waiting_count > 0 && event_id[0] != '\0' &&
           bsearch(&event_id, self->waiting, self->waiting_count, sizeof *self->waiting,
                   by_text);
}
