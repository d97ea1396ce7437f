/* Replays the journals of the instances that changed last under the new document. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/audit.h>
#include "wfsm/gate.h"
#include "wfsm/shown.h"

static int32_t keep_message(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    char **message = user;
    *message = cli_need(strdup(diagnostic->message));
    return WFSM_OK;
}

static void add_divergence(gate *self, const char *id, const wfsm_replay *replay,
                           const char *message)
{
    const gate_diagnostic diverges = {.severity = self->divergence, .rule = "replay"};
    cli_text where = {0};
    char revision[40];
    snprintf(revision, sizeof revision, " revision %" PRIu64, replay->revision);
    cli_text_add(&where, id, strlen(id));
    cli_text_add(&where, revision, strlen(revision));
    gate_add(self, &diverges, message, where.data);
    cli_text_free(&where);
}

/* An instance that was removed meanwhile is left out. */
static bool replay_one(gate *self, const char *id, wfsm_error *error)
{
    char *message = NULL;
    wfsm_replay replay = {.size = sizeof replay,
                          .machine = self->machine,
                          .sink = keep_message,
                          .user = &message};
    int32_t status = wfsm_store_replay(self->store, id, &replay, error);
    bool fine = status == WFSM_OK || status == WFSM_NOT_FOUND;
    if (!fine)
        cli_say_error(id, error);
    self->replayed += status == WFSM_OK;
    self->same += status == WFSM_OK && replay.revision == 0;
    if (status == WFSM_OK && replay.diverged) {
        self->diverging++;
        add_divergence(self, id, &replay, message);
    }
    free(message);
    return fine;
}

static int later(const void *a, const void *b)
{
    const gate_recent *left = a, *right = b;
    if (left->updated != right->updated)
        return left->updated < right->updated ? 1 : -1;
    return strcmp(left->id, right->id);
}

bool gate_replays(gate *self)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    bool fine = true;
    if (self->recent_count > 0)
        qsort(self->recent, self->recent_count, sizeof *self->recent, later);
    for (size_t i = 0; fine && i < self->recent_count; i++) {
        fine = replay_one(self, self->recent[i].id, error);
        if (self->terminal)
            shown_fprintf(stderr, "\r\033[K%zu of %zu journals", i + 1, self->recent_count);
    }
    if (self->terminal)
        shown_fprintf(stderr, "\r\033[K");
    wfsm_error_free(error);
    return fine;
}
