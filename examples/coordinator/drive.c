#include "drive.h"

#include "coordinator.h"
#include "shared/signals.h"
#include "show.h"

static int show_end(const session *self)
{
    task ended;
    int code = END_FINE;

    if (host_stored_read(&ended, self->store, self->id, self->error) != WFSM_OK)
        code = library_failed(self->id, self->error);
    if (code == END_FINE) {
        show_outcome(&ended, self->id);
        code = outcome_code(&ended);
    }
    host_stored_clear(&ended);
    return code;
}

int drive(session *self)
{
    int code;

    host_signals_watch();
    code = session_drive(self);
    return code == END_FINE ? show_end(self) : code;
}

int drive_stored(const settings *with, const char *id, const char *workspace)
{
    session self;
    int code = session_open(&self, with, id, workspace);

    if (code == END_FINE)
        code = session_adopt(&self);
    if (code == END_FINE)
        code = drive(&self);
    session_close(&self);
    return code;
}
