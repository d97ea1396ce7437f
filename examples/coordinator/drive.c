#include "drive.h"

#include "coordinator.h"
#include "rewound.h"
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
    code = session_drive(self);
    return code == END_FINE ? show_end(self) : code;
}

static int restore(session *self, rewound *read, const wfsm_restore_point *point)
{
    int32_t outcome, status = wfsm_engine_restore(self->engine, self->id, point,
                                                  wfsm_agents_now(), &outcome, self->error);

    if (status == WFSM_OK) {
        read->what = HOST_REWOUND_RESTORED;
        return END_FINE;
    }
    if (status != WFSM_NOT_FOUND)
        return library_failed(self->id, self->error);
    print_error("%s", wfsm_error_message(self->error));
    return END_OTHER;
}

/* How a task is taken over. */
typedef struct way {
    int is_aborted;                  /* an abort is posted: no agent needs the workspace */
    const wfsm_restore_point *point; /* to go back to; NULL: as it is */
} way;

static int take_over(session *self, rewound *read, const way *how)
{
    int code = session_adopt(self);

    if (code == END_FINE && how->point)
        code = restore(self, read, how->point);
    return code == END_FINE && !how->is_aborted ? rewound_settle(read, self) : code;
}

static int drive_rewound(const settings *with, const char *id, rewound *read, const way *how)
{
    session self;
    int code = session_open(&self, with, id, read->place);

    if (code == END_FINE)
        code = take_over(&self, read, how);
    if (code == END_FINE)
        code = drive_in(&self, read->place);
    session_close(&self);
    return code;
}

static int drive_found(const settings *with, wfsm_store *store, const char *id,
                       const task *found, const way *how)
{
    wfsm_error *error = wfsm_error_new(NULL);
    rewound read;
    int code = rewound_read(&read, with, store, id, found, error);

    if (code == END_FINE)
        code = drive_rewound(with, id, &read, how);
    rewound_clear(&read);
    wfsm_error_free(error);
    return code;
}

int drive_stored(const settings *with, wfsm_store *store, const char *id, const task *found)
{
    return drive_found(with, store, id, found, &(way){.is_aborted = 0});
}

int drive_aborted(const settings *with, wfsm_store *store, const char *id, const task *found)
{
    return drive_found(with, store, id, found, &(way){.is_aborted = 1});
}

int drive_restored(const settings *with, wfsm_store *store, const char *id, const task *found,
                   const wfsm_restore_point *point)
{
    return drive_found(with, store, id, found, &(way){.point = point});
}
