#include "fixture.h"

#include <stdio.h>

wfsm_commit tk_commit_of(const char *instance, uint64_t base)
{
    return (wfsm_commit){
        .size = sizeof(wfsm_commit),
        .instance = instance,
        .base = base,
        .owner = "",
        .token = "token",
        .record = "{\"r\":1}",
        .record_length = 7,
        .machine = "machine",
        .fingerprint = "f1",
        .document = base ? NULL : "{\"id\":\"machine\"}",
        .document_length = base ? 0 : 16,
        .tags = "",
        .status = WFSM_RUNNING,
        .deadline = WFSM_NEVER,
        .now = 1000 + (int64_t)base,
    };
}

bool tk_commit(tk_suite *suite, const char *what, wfsm_store *store, const wfsm_commit *commit,
               int32_t answer)
{
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t got = WFSM_STORE_UNKNOWN;
    int32_t status = wfsm_store_commit(store, &commit, 1, &got, error);
    if (!error) {
        suite->no_memory = true;
        return false;
    }
    bool fine = tk_status(suite, what, answer, status ? status : got) &&
                tk_said(suite, what, error, answer,
                        (const char *[]){answer ? commit->instance : NULL, NULL});
    wfsm_error_free(error);
    return fine;
}

void tk_start(tk_suite *suite, wfsm_store *store, const char *instance, uint64_t count)
{
    for (uint64_t base = 0; base < count; base++) {
        wfsm_commit commit = tk_commit_of(instance, base);
        if (!tk_commit(suite, "a plain commit", store, &commit, WFSM_OK))
            return;
    }
}

static void copy(char out[256], const char *text)
{
    snprintf(out, 256, "%s", text ? text : "");
}

tk_head tk_head_of(tk_suite *suite, const char *instance)
{
    wfsm_head head = {.size = sizeof head};
    tk_head kept = {0};
    if (!tk_status(suite, "the head of an instance that is there", WFSM_OK,
                   wfsm_store_head(suite->store, instance, &head, NULL)))
        return kept;
    copy(kept.instance, head.instance);
    copy(kept.machine, head.machine);
    copy(kept.fingerprint, head.fingerprint);
    copy(kept.owner, head.owner);
    copy(kept.token, head.token);
    copy(kept.tags, head.tags);
    kept.revision = head.revision;
    kept.snapshot_revision = head.snapshot_revision;
    kept.first = head.first;
    kept.effects = head.effects;
    kept.acknowledged = head.acknowledged;
    kept.status = head.status;
    kept.deadline = head.deadline;
    kept.created = head.created;
    kept.updated = head.updated;
    return kept;
}

int32_t tk_keep(void *user, const wfsm_row *row)
{
    tk_row *kept = user;
    kept->count++;
    kept->revision = row->revision;
    kept->number = row->number;
    kept->now = row->now;
    kept->length = row->length;
    copy(kept->id, row->id);
    copy(kept->instance, row->instance);
    copy(kept->name, row->name);
    copy(kept->sender, row->sender);
    kept->kind = row->kind;
    kept->interface = row->interface;
    snprintf(kept->text, sizeof kept->text, "%.*s", (int)(row->text ? row->length : 0),
             row->text ? row->text : "");
    return WFSM_OK;
}
