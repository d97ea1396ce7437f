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

void check_revisions(world *self)
{
    wfsm_head head = {.size = sizeof head};
    at.input = "revisions";
    holds(wfsm_store_head(self->journal, wfsm_instance_id(self->instance), &head,
                          self->error) == WFSM_OK,
          "there is a head");
    uint64_t first = head.first;
    for (uint64_t revision = first; revision <= self->count; revision++) {
        char *state = state_at(self, revision);
        same(self->states[revision - 1], state, "a revision is what it was");
        free(state);
        check_diff(self, first, revision);
        counts.revisions++;
    }
}
