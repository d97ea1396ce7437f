/* coordinator log: what agents and commands write, as it comes, until the task is over. */
#include "coordinator.h"

#include "shared/follow.h"
#include "shared/signals.h"
#include "task.h"
#include "wfsm/address.h"

typedef struct looking {
    wfsm_store *store;
    const char *id;
    wfsm_error *error;
} looking;

static int is_over(void *user)
{
    looking *self = user;
    task found;
    int over = -1;

    if (host_stored_read(&found, self->store, self->id, self->error) == WFSM_OK)
        over = found.over;
    else
        (void)library_failed(self->id, self->error);
    host_stored_clear(&found);
    return over;
}

int cmd_log(const arguments *given, const settings *with)
{
    looking self = {.id = given->id, .error = wfsm_error_new(NULL)};
    const host_following what = {.folder = with->logs,
                                 .id = given->id,
                                 .is_json = with->is_json,
                                 .is_over = is_over,
                                 .user = &self};
    int code;

    host_signals_watch();
    if (address_open(&self.store, with->store, ADDRESS_READ, self.error) != WFSM_OK)
        code = library_failed("the store", self.error);
    else
        code = host_follow(&what) < 0 ? END_STORE : END_FINE;
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    return code;
}
