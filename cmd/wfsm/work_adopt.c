#include "wfsm/work.h"

#include <stdlib.h>
#include <string.h>
#include "wfsm/shown.h"

/* At one time, so that workers that look at the same time share what is new. */
enum { MOST = 500 };

/* An instance that perhaps nobody alive owns. */
typedef struct candidate {
    char *id, *machine, *fingerprint, *owner;
} candidate;

typedef struct looking {
    const work *self;
    candidate *list;
    size_t count;
} looking;

static int32_t note(void *user, const wfsm_row *row)
{
    looking *all = user;
    const wfsm_head *head = row->head;
    if (strcmp(head->owner, all->self->session) == 0)
        return WFSM_OK;
    all->list = cli_need(realloc(all->list, (all->count + 1) * sizeof *all->list));
    all->list[all->count++] = (candidate){.id = cli_need(strdup(head->instance)),
                                          .machine = cli_need(strdup(head->machine)),
                                          .fingerprint = cli_need(strdup(head->fingerprint)),
                                          .owner = cli_need(strdup(head->owner))};
    return WFSM_OK;
}

static void free_looking(looking *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->list[i].id);
        free(all->list[i].machine);
        free(all->list[i].fingerprint);
        free(all->list[i].owner);
    }
    free(all->list);
}

static void tell(const candidate *taken)
{
    char owner[WFSM_OWNER_TEXT_SIZE];
    if (*taken->owner)
        shown_printf("takes %s over from %s\n", taken->id,
                     wfsm_owner_describe(taken->owner, owner));
    else
        shown_printf("takes %s\n", taken->id);
}

static bool knows(const many *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->ids[i], name) == 0)
            return true;
    return false;
}

/* Asks once for each owner. If it is alive, its other instances are skipped. */
static size_t adopt_those(work *self, const looking *all, int64_t now)
{
    size_t taken = 0;
    many alive = {0};
    for (size_t i = 0; i < all->count && taken < MOST; i++) {
        const candidate *one = &all->list[i];
        if (knows(&alive, one->owner) || !work_serves(self, one->machine, one->fingerprint))
            continue;
        int32_t status =
            wfsm_engine_adopt(wfsm_loop_engine(self->loop), one->id, now, self->error);
        if (status == WFSM_OK)
            tell(one);
        else if (status == WFSM_DENIED && *one->owner)
            many_add(&alive, one->owner);
        else if (status != WFSM_DENIED && status != WFSM_NOT_FOUND)
            cli_say_error(one->id, self->error);
        taken += status == WFSM_OK;
    }
    many_free(&alive);
    return taken;
}

int64_t work_jitter(work *self, int64_t ms)
{
    return ms * 3 / 4 + rand_r(&self->seed) % (ms / 2 + 1);
}

static int32_t note_owner(void *user, const wfsm_row *row)
{
    many_add(user, row->id);
    return WFSM_OK;
}

/* At the end of time every owner has lapsed. One whose process has ended on this host need not lapse
 * first. */
static void drop_ended_owners(work *self)
{
    many owners = {0};
    wfsm_store_lapsed(self->store, WFSM_NEVER, note_owner, &owners, NULL);
    for (size_t i = 0; i < owners.count; i++)
        if (wfsm_owner_state(owners.ids[i]) == WFSM_OWNER_GONE)
            wfsm_store_remove_owner(self->store, owners.ids[i], NULL);
    many_free(&owners);
}

static int32_t list_of(const work *self, const char *owner, looking *found)
{
    const wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING, .owner = owner};
    return wfsm_store_list(self->store, &query, note, found, self->error);
}

/* Those of owners that are gone, and of nobody. A store that does not know who is gone lists all. */
static int32_t list_left(work *self, int64_t now, looking *found)
{
    many owners = {0};
    drop_ended_owners(self);
    int32_t status = wfsm_store_lapsed(self->store, now, note_owner, &owners, self->error);
    if (status == WFSM_DENIED)
        status = list_of(self, NULL, found);
    for (size_t i = 0; i < owners.count && status == WFSM_OK; i++)
        status = list_of(self, owners.ids[i], found);
    many_free(&owners);
    return status;
}

void work_adopt(work *self, int64_t now)
{
    bool all_owners = now >= self->next_all;
    looking found = {.self = self};
    int32_t status = all_owners ? list_left(self, now, &found) : list_of(self, "", &found);
    if (status != WFSM_OK)
        cli_say_error(self->path, self->error);
    bool more = adopt_those(self, &found, now) == MOST;
    free_looking(&found);
    if (all_owners && !more)
        self->next_all = now + work_jitter(self, self->lapse_ms / 3);
    fflush(stdout);
}
