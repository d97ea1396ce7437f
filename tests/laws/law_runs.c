/* Laws of whole runs. */
#include "law.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/audit.h>
#include "chance.h"
#include "chart.h"

static int32_t report_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "record %llu: %s\n", (unsigned long long)diagnostic->revision,
            diagnostic->message);
    return WFSM_OK;
}

void check_replay(world *self)
{
    wfsm_audit_counts audited = {.size = sizeof audited};
    int32_t status =
        wfsm_store_audit(self->journal, NULL, report_diagnostic, NULL, &audited, self->error);
    at.input = "replay";
    holds(status == WFSM_OK && audited.diagnostics == 0, "replaying gives the same records");
    status = wfsm_store_audit(self->journal, wfsm_instance_id(self->instance),
                              report_diagnostic, NULL, &audited, self->error);
    holds(status == WFSM_OK && audited.diagnostics == 0, "and so does replaying one instance");
    holds(audited.records == wfsm_instance_revision(self->instance),
          "every record is replayed");
}

static void run_plainly(world *self, uint64_t seed, bool split)
{
    chance random = {seed + 77};
    int32_t outcome;
    for (int i = 0; i < INPUTS; i++) {
        if (split && draw_percent(&random, 50))
            world_reload(self);
        input given = world_choose(self, seed, i);
        world_give(self, &given, &outcome);
        world_settle(self, &given);
    }
}

void check_split(const world *watched, uint64_t seed, const char *document)
{
    world self;
    at.input = "split";
    holds(world_open(&self, seed, document, watched->prefix), "it starts again");
    run_plainly(&self, seed, true);
    holds(self.count == watched->count, "splitting a run gives as many records");
    for (size_t i = 0; i < self.count; i++)
        same(watched->records[i], self.records[i], "splitting a run changes nothing");
    char *left = bytes_of(watched->instance), *right = bytes_of(self.instance);
    same(left, right, "splitting a run ends the same");
    free(left);
    free(right);
    world_close(&self);
}

/* Whether the incarnation of an id begins here. */
static bool ends_an_id(const char *text, ptrdiff_t before)
{
    size_t digits = strspn(text + 1, "0123456789");
    return text[0] == '-' && before > 0 && isdigit((unsigned char)text[-1]) && digits > 0 &&
           text[1 + digits] == '"';
}

/* With one prefix for the other, and without what depends on the document's bytes. */
static char *renamed(const char *text, const char *from, const char *to)
{
    char *out = malloc(strlen(text) * strlen(to) + 1), *end = out;
    static const char *const digests[] = {"\"fingerprint\":\"", "\"prev\":\"", "\"digest\":\"",
                                          "\"checksum\":\""};
    static const char incarnation[] = "\"incarnation\":";
    while (*text != '\0') {
        size_t length = strlen(from), skip = 0;
        for (int i = 0; i < 4; i++)
            if (strncmp(text, digests[i], strlen(digests[i])) == 0)
                skip = strlen(digests[i]);
        if (skip > 0) {
            text += skip;
            text += strcspn(text, "\"") + 1;
        } else if (strncmp(text, incarnation, sizeof incarnation - 1) == 0) {
            text += strcspn(text, ",}");
        } else if (ends_an_id(text, end - out)) {
            text += strcspn(text, "\"");
        } else if (strncmp(text, from, length) == 0) {
            memcpy(end, to, strlen(to));
            end += strlen(to);
            text += length;
        } else {
            *end++ = *text++;
        }
    }
    *end = '\0';
    return out;
}

void check_renaming(const world *watched, uint64_t seed)
{
    static const char other[] = "Zother_";
    world self;
    char *document = make_chart(seed, other);
    at.input = "renamed";
    holds(world_open(&self, seed, document, other), "it starts under other names");
    run_plainly(&self, seed, false);
    holds(self.count == watched->count, "other names give as many records");
    for (size_t i = 0; i < self.count; i++) {
        char *left = renamed(watched->records[i], watched->prefix, other);
        char *right = renamed(self.records[i], other, other);
        same(left, right, "renaming states changes only names");
        free(left);
        free(right);
    }
    world_close(&self);
    free(document);
}
