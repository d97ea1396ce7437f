#include "drive.h"

#include "coordinator.h"
#include "shared/signals.h"
#include "show.h"
#include "summary.h"
#include "shared/worktree.h"

static int show_end(const session *self)
{
    task ended;
    int code = END_FINE;

    if (host_stored_read(&ended, self->store, self->id, self->error) != WFSM_OK)
        code = library_failed(self->id, self->error);
    if (code == END_FINE && self->with->is_json)
        code = summary_print(self->store, &ended, self->id, self->error);
    else if (code == END_FINE) {
        show_outcome(&ended, self->id);
        code = summary_show(self->store, &ended, self->id, self->error);
    }
    if (code == END_FINE)
        code = outcome_code(&ended);
    host_stored_clear(&ended);
    return code;
}

int drive_in(session *self, const json_t *place)
{
    host_error why;
    int code;

    /* If it cannot be made, the task's first step there fails as well, and says so. */
    if (host_worktree_make(place, &why) != 0)
        print_error("%s: %s", self->id, why.message);
    host_signals_watch();
    code = session_drive(self);
    return code == END_FINE ? show_end(self) : code;
}

/* Tasks of earlier times have no place: they work in the project. */
static json_t *place_of(const task *found)
{
    json_t *place = json_object_get(found->context, "place");

    return json_is_object(place) ? json_incref(place)
                                 : host_worktree_shared(host_stored_text(found, "workspace"));
}

int drive_stored(const settings *with, const char *id, const task *found)
{
    session self;
    json_t *place = place_of(found);
    int code = session_open(&self, with, id, place);

    if (code == END_FINE)
        code = session_adopt(&self);
    if (code == END_FINE)
        code = drive_in(&self, place);
    session_close(&self);
    json_decref(place);
    return code;
}
