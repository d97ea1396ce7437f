#include "wfsm/work.h"

#include <string.h>
#include "wfsm/shown.h"

/* At one time, so that workers that look at the same file at the same time share what is new. */
enum { MOST = 500 };

/* So many instances of one owner are named; of more only their number is said. */
enum { MOST_NAMED = 20 };

/* Those of one owner that were taken and not named. */
typedef struct telling {
    char owner[WFSM_OWNER_SIZE];
    size_t count;
} telling;

static void tell_count(telling *self)
{
    char room[WFSM_OWNER_TEXT_SIZE];
    if (self->count > 0 && *self->owner)
        shown_printf("takes %zu instances over from %s\n", self->count,
                     wfsm_owner_describe(self->owner, room));
    else if (self->count > 0)
        shown_printf("takes %zu instances\n", self->count);
    self->count = 0;
}

static void tell_one(const char *owner, const char *id)
{
    char room[WFSM_OWNER_TEXT_SIZE];
    if (*owner)
        shown_printf("takes %s over from %s\n", id, wfsm_owner_describe(owner, room));
    else
        shown_printf("takes %s\n", id);
}

static void told(void *user, const char *owner, const char *const *ids, size_t count)
{
    telling *self = user;
    if (strcmp(self->owner, owner) != 0)
        tell_count(self);
    snprintf(self->owner, sizeof self->owner, "%s", owner);
    if (count > MOST_NAMED || self->count > 0) {
        self->count += count;
        return;
    }
    for (size_t i = 0; i < count; i++)
        tell_one(owner, ids[i]);
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

bool work_adopt(work *self, int64_t now)
{
    telling to = {.count = 0};
    wfsm_share share = {.size = sizeof share, .most = MOST, .told = told, .user = &to};
    if (now >= self->next_all) {
        drop_ended_owners(self);
        self->next_all = now + work_jitter(self, self->lapse_ms / 3);
    }
    int32_t status = wfsm_engine_share(wfsm_loop_engine(self->loop), now, &share, self->error);
    if (status != WFSM_OK)
        cli_say_error(self->path, self->error);
    tell_count(&to);
    if (share.given_up > 0)
        shown_printf("gives %zu instances up to other workers\n", share.given_up);
    fflush(stdout);
    self->has_more = share.more;
    return share.taken + share.given_up > 0;
}
