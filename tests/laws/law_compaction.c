/* Laws of compaction: dropped records are in the archive, and the rest is unchanged. */
#include "law.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <wfsm/audit.h>
#include <wfsm/compact.h>
#include "chance.h"

static int32_t report_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "%s, record %" PRIu64 ": %s\n", diagnostic->instance, diagnostic->revision,
            diagnostic->message);
    return WFSM_OK;
}

static void check_sound(wfsm_store *store, const char *id, const char *law)
{
    wfsm_audit_counts audited = {.size = sizeof audited};
    int32_t status = wfsm_store_audit(store, id, report_diagnostic, NULL, &audited, NULL);
    holds((status == WFSM_OK && audited.diagnostics == 0) || status == WFSM_NOT_FOUND, law);
}

static void compact(world *self, wfsm_store *archive, uint64_t keep)
{
    const wfsm_compaction wanted = {.size = sizeof wanted, .keep = keep, .archive = archive};
    wfsm_compacted done = {.size = sizeof done};
    const char *id = wfsm_instance_id(self->instance);
    char *before = bytes_of(self->instance);
    int32_t status = wfsm_store_compact(self->journal, id, &wanted, &done, self->error);
    if (status != WFSM_OK)
        fprintf(stderr, "%s: %s\n", wfsm_status_name(status), wfsm_error_message(self->error));
    holds(status == WFSM_OK, "a sound journal can be compacted");
    counts.compacted += done.dropped;
    wfsm_instance *again = world_load(self);
    char *after = bytes_of(again);
    same(before, after, "compaction changes no state");
    free(before);
    free(after);
    wfsm_instance_free(again);
    check_sound(self->journal, id, "what was compacted is sound");
    check_sound(archive, id, "what is archived is sound");
}

void check_compaction(world *self, uint64_t seed)
{
    chance random = {seed ^ 0xC0C0};
    wfsm_store *archive = NULL;
    int32_t outcome;
    at.input = "compaction";
    holds(wfsm_memory_open(&archive, NULL, NULL) == WFSM_OK, "there is an archive");
    compact(self, archive, draw(&random, 20));
    for (int i = 0; i < 8; i++) {
        input given = world_choose(self, seed + 99, i);
        world_give(self, &given, &outcome);
        world_settle(self, &given);
    }
    compact(self, archive, draw(&random, 4));
    wfsm_store_free(archive);
}
