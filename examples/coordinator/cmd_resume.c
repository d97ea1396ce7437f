#include "coordinator.h"

#include <stdio.h>

#include "alone.h"
#include "drive.h"
#include "each_task.h"
#include "show.h"
#include "summary.h"
#include "wfsm/shown.h"

static int show_ended(const settings *with, wfsm_store *store, const char *id,
                      const task *found, wfsm_error *error)
{
    int code = END_FINE;

    if (with->is_json)
        code = summary_print(store, found, id, error);
    else
        show_outcome(found, id);
    return code == END_FINE ? outcome_code(found) : code;
}

static int resume_read(const settings *with, wfsm_store *store, const char *id,
                       const task *found, wfsm_error *error)
{
    int held, code;

    if (found->over)
        return show_ended(with, store, id, found, error);
    code = alone_hold(json_object_get(found->context, "place"), &held);
    if (code == END_FINE)
        code = drive_stored(with, store, id, found);
    alone_release(held);
    return code;
}

/* If all tasks are resumed, one that cannot be is skipped. With an explicit id it is an error. */
static int is_left_alone(const settings *with, const task *found, const char *id)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    if (wfsm_owner_state(found->owner) != WFSM_OWNER_ALIVE)
        return 0;
    wfsm_owner_describe(found->owner, text);
    if (!with->is_json)
        shown_printf("%s: %s is at work on it\n", id, text);
    return 1;
}

static int resume_one(const arguments *given, const settings *with, wfsm_store *store,
                      const char *id, wfsm_error *error)
{
    task found;
    int code = END_FINE;

    if (host_stored_read(&found, store, id, error) != WFSM_OK)
        code = library_failed(id, error);
    else if (given->id || !is_left_alone(with, &found, id))
        code = resume_read(with, store, id, &found, error);
    host_stored_clear(&found);
    return code;
}

int cmd_resume(const arguments *given, const settings *with)
{
    return each_task(given, with, 1, with->is_json ? NULL : "no task is unfinished",
                     resume_one);
}
