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

/* An owner whose process has ended on this host need not lapse first. */
static int32_t adopt(work *self, const candidate *from, int64_t now)
{
    if (wfsm_owner_state(from->owner) == WFSM_OWNER_GONE)
        wfsm_store_remove_owner(self->store, from->owner, NULL);
    return wfsm_engine_adopt(wfsm_loop_engine(self->loop), from->id, now, self->error);
}

static bool knows(const many *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->ids[i], name) == 0)
            return true;
    return false;
}

/* One question for each owner: who is alive keeps all. */
static size_t adopt_those(work *self, const looking *all, int64_t now)
{
    size_t taken = 0;
    many alive = {0};
    for (size_t i = 0; i < all->count && taken < MOST; i++) {
        const candidate *one = &all->list[i];
        if (knows(&alive, one->owner) || !work_serves(self, one->machine, one->fingerprint))
            continue;
        int32_t status = adopt(self, one, now);
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

void work_adopt(work *self, int64_t now)
{
    bool all_owners = now >= self->next_all;
    wfsm_query query = {
        .size = sizeof query, .status = WFSM_RUNNING, .owner = all_owners ? NULL : ""};
    looking found = {.self = self};
    int32_t status = wfsm_store_list(self->store, &query, note, &found, self->error);
    if (status != WFSM_OK)
        cli_say_error(self->path, self->error);
    bool more = adopt_those(self, &found, now) == MOST;
    free_looking(&found);
    if (all_owners && !more)
        self->next_all = now + work_jitter(self, self->lapse_ms / 3);
    fflush(stdout);
}
