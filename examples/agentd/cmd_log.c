/* agentd log: what agents and checks write, as it comes, until no workflow of the change runs. */
#include "agentd.h"
#include "change.h"
#include "place.h"
#include "shared/follow.h"
#include "shared/signals.h"

typedef struct looking {
    wfsm_store *store;
    const char *id;
    wfsm_error *error;
} looking;

static int is_over(void *user)
{
    looking *self = user;
    change now;
    int32_t status = change_read(&now, self->store, self->id, self->error);
    int over = status == WFSM_OK ? now.resting : -1;

    if (status == WFSM_NOT_FOUND)
        print_error("%s: there is no such change", self->id);
    else if (status != WFSM_OK)
        (void)library_failed(self->id, self->error);
    change_clear(&now);
    return over;
}

static int follow(const place *at, looking *self, int is_json)
{
    const host_following what = {.folder = at->runs,
                                 .id = self->id,
                                 .children = 1,
                                 .is_json = is_json,
                                 .is_over = is_over,
                                 .user = self};

    if (!self->store) {
        print_error("%s: there is no such change", self->id);
        return END_REFUSED;
    }
    host_signals_watch();
    return host_follow(&what) < 0 ? END_REFUSED : END_DONE;
}

int cmd_log(const arguments *given)
{
    looking self = {.id = given->id, .error = wfsm_error_new(NULL)};
    host_error why;
    place at;
    int code;

    if (change_id_check(given->id, &why) != 0) {
        wfsm_error_free(self.error);
        return host_failed(&why, END_USAGE);
    }
    code = place_find(&at);
    if (code == END_DONE)
        code = place_open_store(&at, 1, &self.store, self.error);
    if (code == END_DONE)
        code = follow(&at, &self, given->json);
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    place_clear(&at);
    return code;
}
