/* Laws of revisions: each one that the journal has is what a run that stopped there was. */
#include "law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/revisions.h>

static char *state_at(world *self, uint64_t revision)
{
    wfsm_instance *past = NULL;
    int32_t status = wfsm_instance_load_at(
        &past, self->journal, wfsm_instance_id(self->instance), revision, self->error);
    if (status != WFSM_OK)
        fprintf(stderr, "revision %d: %s\n", (int)revision, wfsm_error_message(self->error));
    holds(status == WFSM_OK, "every revision of the journal can be loaded");
    char *state = bare_bytes_of(past);
    wfsm_instance_free(past);
    return state;
}

/* Of a revision with itself, only instance, from and to are left. */
static int32_t count_keys(void *user, const wfsm_row *row)
{
    int *keys = user;
    for (const char *key = strstr(row->text, "},\""); key; key = strstr(key + 1, "},\""))
        ++*keys;
    return WFSM_OK;
}

static void check_diff(world *self, uint64_t first, uint64_t last)
{
    const wfsm_revision_range range = {sizeof range, first, last};
    int keys = 0;
    int32_t status = wfsm_store_diff(self->journal, wfsm_instance_id(self->instance), &range,
                                     count_keys, &keys, self->error);
    holds(status == WFSM_OK, "every two revisions can be compared");
    holds(first != last || keys == 1, "a revision does not differ from itself");
}

enum { BOOKMARKS = 8 };
typedef struct bookmarks {
    uint64_t list[BOOKMARKS];
    size_t count;
} bookmarks;

static int32_t take_bookmark(void *user, const wfsm_row *row)
{
    bookmarks *all = user;
    holds(all->count < BOOKMARKS, "there are few checkpoints");
    all->list[all->count++] = row->revision;
    return WFSM_OK;
}

static void check_state(world *self, uint64_t revision)
{
    char *state = state_at(self, revision);
    same(self->states[revision - 1], state, "a revision is what it was");
    free(state);
    counts.revisions++;
}

/* They may be older than the journal. */
static void check_bookmarks(world *self)
{
    bookmarks all = {.count = 0};
    uint64_t last = wfsm_instance_revision(self->instance);
    holds(wfsm_store_checkpoints(self->journal, wfsm_instance_id(self->instance), take_bookmark,
                                 &all, self->error) == WFSM_OK,
          "checkpoints are listed");
    for (size_t i = 0; i < all.count; i++) {
        check_state(self, all.list[i]);
        check_diff(self, all.list[i], last);
    }
}

void check_revisions(world *self)
{
    wfsm_head head = {.size = sizeof head};
    at.input = "revisions";
    holds(wfsm_store_head(self->journal, wfsm_instance_id(self->instance), &head,
                          self->error) == WFSM_OK,
          "there is a head");
    uint64_t first = head.first;
    for (uint64_t revision = first; revision <= self->count; revision++) {
        check_state(self, revision);
        check_diff(self, first, revision);
    }
    check_bookmarks(self);
}
