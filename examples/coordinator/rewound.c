#include "rewound.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator.h"
#include "shared/context.h"
#include "shared/rewind.h"
#include "shared/worktree.h"

/* Tasks of earlier times have no place: they work in the project. */
static json_t *place_of(const task *found)
{
    json_t *place = json_object_get(found->context, "place");

    return json_is_object(place) ? json_incref(place)
                                 : host_worktree_shared(host_stored_text(found, "workspace"));
}

/* A fork has the place of its source until its first patch gives it another. */
static int is_without_place(const rewound *read, const task *found)
{
    return read->what == HOST_REWOUND_FORKED && found->revision == 1 &&
           !host_worktree_is_shared(read->place);
}

static int plan_place(rewound *read, const settings *with, const char *id)
{
    const char *const hidden[] = {with->store, with->logs, with->worktrees, NULL};
    host_error why = {"out of memory"};
    json_t *place = host_worktree_fork(read->place, with->worktrees, id, hidden, &why);

    if (!place) {
        print_error("%s: %s", id, why.message);
        return END_STORE;
    }
    json_decref(read->place);
    read->place = place;
    read->is_new = 1;
    return END_FINE;
}

int rewound_read(rewound *read, const settings *with, wfsm_store *store, const char *id,
                 const task *found, wfsm_error *error)
{
    memset(read, 0, sizeof *read);
    read->place = place_of(found);
    if (host_rewound(&read->what, store, id, error) != WFSM_OK)
        return library_failed(id, error);
    return is_without_place(read, found) ? plan_place(read, with, id) : END_FINE;
}

/* ---- settling ---- */

static int give_place(session *self, json_t *place)
{
    json_t *patch =
        json_pack("{s:O, s:s}", "place", place, "workspace", host_worktree_folder(place));
    int32_t status = host_context_patch(self->engine, self->id, patch, self->error);

    return status == WFSM_OK ? END_FINE : library_failed(self->id, self->error);
}

/* Agents judge what is in the workspace, and their verdicts are about the recorded change. */
static int put_back(const session *self, const json_t *place)
{
    json_t *context = host_context(self->engine, self->id);
    host_error why = {"out of memory"};
    json_t *change =
        context ? host_worktree_prepare(place, json_object_get(context, "change"), &why) : NULL;

    json_decref(context);
    if (!change)
        print_error("%s: its workspace cannot be brought back to that state: %s", self->id,
                    why.message);
    json_decref(change);
    return change ? END_FINE : END_STORE;
}

int rewound_settle(const rewound *read, session *self)
{
    int code = END_FINE;

    if (read->what == HOST_REWOUND_NOT || host_worktree_is_shared(read->place))
        return code;
    if (read->is_new)
        code = give_place(self, read->place);
    return code == END_FINE ? put_back(self, read->place) : code;
}

void rewound_clear(rewound *read)
{
    json_decref(read->place);
    memset(read, 0, sizeof *read);
}
