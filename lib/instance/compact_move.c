/* Moves an instance that has ended to an archive, or removes it. */
#include "instance/compact.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/sized.h"
#include "logic/json.h"

static int32_t may_move(wf_compacting *self)
{
    if (self->status != WFSM_DONE)
        return wf_fail(self->error, WFSM_DENIED, "\"%.60s\" has not ended", self->instance);
    if (self->acknowledged != self->effects)
        return wf_fail(self->error, WFSM_DENIED, "effects of \"%.60s\" are not acknowledged",
                       self->instance);
    return WFSM_OK;
}

/* ---- children ---- */

typedef struct parent {
    wf_compacting *self;
    wf_arena arena;
    char id[WF_INVOCATION_ID_BYTES]; /* of the invocation, then of its instance */
} parent;

static int32_t read_parent(void *user, const wfsm_row *row)
{
    parent *found = user;
    wf_value state;
    int32_t status = wf_json_parse(&found->arena, row->text, row->length, &state, NULL);
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(found->self->error);
    const wf_value *of =
        status == WFSM_OK && state.type == WF_OBJECT ? wf_value_get_z(&state, "parent") : NULL;
    const wf_value *invocation =
        of && of->type == WF_OBJECT ? wf_value_get_z(of, "invocation") : NULL;
    if (invocation && invocation->type == WF_STRING && invocation->length < sizeof found->id)
        memcpy(found->id, invocation->as.text, invocation->length + 1);
    return WFSM_OK;
}

/* "INSTANCE/REVISION/ORDINAL-INCARNATION" */
static void cut_invocation(char *id)
{
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(id, '/');
        if (slash)
            *slash = '\0';
    }
}

/* A parent reads the result of its child from the child's journal. */
static int32_t check_parent(wf_compacting *self)
{
    parent found = {.self = self};
    wfsm_head head = {.size = sizeof head};
    wf_arena_init(&found.arena, &self->store->allocator, 0);
    int32_t status = wfsm_store_snapshot(self->store, self->instance, NULL, read_parent, &found,
                                         self->error);
    wf_arena_fini(&found.arena);
    if (status != WFSM_OK || found.id[0] == '\0')
        return status;
    cut_invocation(found.id);
    status = wfsm_store_head(self->store, found.id, &head, self->error);
    if (status == WFSM_NOT_FOUND)
        return WFSM_OK;
    if (status != WFSM_OK || head.status == WFSM_DONE)
        return status;
    return wf_fail(self->error, WFSM_DENIED,
                   "\"%.60s\" is a child of \"%.60s\", which has not ended", self->instance,
                   found.id);
}

/* ---- the move ---- */

/* The owner of an instance that is being moved. Nobody else commits to it meanwhile, and an
 * archive cannot be archived. */
static const char mover[] = "(moving)";

static int32_t check(wf_compacting *self, wfsm_compacted *done)
{
    int32_t status = wf_compact_head(self);
    if (status == WFSM_OK)
        status = may_move(self);
    if (status == WFSM_OK)
        status = check_parent(self);
    done->dropped = self->revision - self->first + 1;
    return status;
}

static int32_t copy(wf_compacting *self, wfsm_compacted *done)
{
    int32_t status = wf_archive_look(self);
    if (status == WFSM_OK)
        status = wf_compact_look(self, 0);
    if (status != WFSM_OK)
        return status;
    done->archived = wf_compact_missing(self, self->revision);
    WF_INVARIANT(self->anchor == 0); /* nothing is cut: all of it goes */
    return wf_compact_to(self, self->revision);
}

static int32_t move(wf_compacting *self, int64_t now, wfsm_compacted *done)
{
    int32_t status = check(self, done);
    if (status == WFSM_OK)
        status = wfsm_store_own(self->store, self->instance, mover, now, self->error);
    if (status == WFSM_OK) /* somebody may have restored it meanwhile */
        status = check(self, done);
    if (status == WFSM_OK && self->archive.store)
        status = copy(self, done);
    return status == WFSM_OK ? wfsm_store_remove(self->store, self->instance, self->error)
                             : status;
}

int32_t wf_compact_remove(wfsm_store *store, const char *instance, int64_t now, bool dry,
                          wfsm_compacted *done, wfsm_error *error)
{
    wf_compacting *self = NULL;
    int32_t status = wf_compact_make(&self, store, instance, error);
    if (status != WFSM_OK)
        return status;
    *done = (wfsm_compacted){.size = sizeof *done};
    status = dry ? check(self, done) : move(self, now, done);
    wf_free(&store->allocator, self);
    return status;
}

int32_t wfsm_store_archive(wfsm_store *store, const char *instance, wfsm_store *archive,
                           int64_t now, wfsm_compacted *done, wfsm_error *error)
{
    wf_compacting *self = NULL;
    wfsm_compacted found = {.size = sizeof found};
    int32_t status = wf_compact_make(&self, store, instance, error);
    if (status != WFSM_OK)
        return status;
    self->archive.store = archive;
    if (!archive || now < 0 || !wf_struct_can_be_given(done))
        status = wf_fail(error, WFSM_INVALID,
                         "the archive, the time or the size of the result is missing");
    else
        status = move(self, now, &found);
    if (status == WFSM_OK)
        wf_compact_tell(done, &found);
    wf_free(&store->allocator, self);
    return status;
}
