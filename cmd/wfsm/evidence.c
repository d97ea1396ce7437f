#include "wfsm/evidence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/vote_keys.h"
#include "wfsm/shown.h"

typedef struct checking {
    const char *path, *instance;
    const json_t *keys; /* or NULL */
    json_t *evidence, *votes; /* votes: those of the records */
    uint64_t revision; /* of the record at hand */
    char digest[WFSM_DIGEST_SIZE]; /* of the record before it, or "" */
    size_t wrong, signed_votes;
} checking;

static void CLI_PRINTF(2, 3) wrong(checking *self, const char *format, ...)
{
    char message[VOTE_WHY_BYTES + 100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (self->revision > 0)
        cli_say("%s: revision %" PRIu64 ": %s", self->path, self->revision, message);
    else
        cli_say("%s: %s", self->path, message);
    self->wrong++;
}

static void check_vote(checking *self, const json_t *record)
{
    char why[VOTE_WHY_BYTES];
    json_t *vote = vote_counted(record);
    if (!vote)
        return;
    if (self->keys && vote_is_signed(self->keys, self->instance, vote, why))
        self->signed_votes++;
    else if (self->keys)
        wrong(self, "%s", why);
    json_array_append_new(self->votes, vote);
}

/* The first record of a compacted journal follows one that is not there. */
static void check_record(checking *self, const json_t *item, bool first)
{
    const char *text = json_string_value(item);
    size_t length = json_string_length(item);
    json_t *record = text ? json_loadb(text, length, 0, NULL) : NULL;
    if (json_integer_value(json_object_get(record, "revision")) != (json_int_t)self->revision)
        wrong(self, "the record is not that of this revision");
    if ((!first || self->revision == 1) &&
        strcmp(record_string(record, "prev"), self->digest) != 0)
        wrong(self, "the record does not follow the one before it");
    check_vote(self, record);
    self->digest[0] = '\0';
    if (text)
        wfsm_digest(text, length, self->digest);
    json_decref(record);
}

static void check_chain(checking *self, const char *head)
{
    const json_t *records = json_object_get(self->evidence, "records"), *item;
    uint64_t first = (uint64_t)json_integer_value(json_object_get(self->evidence, "first"));
    uint64_t last = (uint64_t)json_integer_value(json_object_get(self->evidence, "revision"));
    size_t index;
    json_array_foreach(records, index, item)
    {
        self->revision = first + index;
        check_record(self, item, index == 0);
    }
    self->revision = 0;
    if (first < 1 || json_array_size(records) == 0 ||
        last != first + json_array_size(records) - 1)
        wrong(self, "there are %zu records, not those from %" PRIu64 " to %" PRIu64,
              json_array_size(records), first, last);
    if (strcmp(record_string(self->evidence, "head"), self->digest) != 0)
        wrong(self, "the last record is not the head");
    if (head && strcmp(head, self->digest) != 0)
        wrong(self, "the head is not the one that was expected");
    if (!json_equal(json_object_get(self->evidence, "votes"), self->votes))
        wrong(self, "the votes are not those of the records");
}

static void check_document(checking *self)
{
    const json_t *document = json_object_get(self->evidence, "document");
    const char *text = json_string_value(document);
    wfsm_machine *machine = NULL;
    if (!text ||
        wfsm_machine_load(&machine, text, json_string_length(document), NULL, NULL, NULL) !=
            WFSM_OK ||
        strcmp(wfsm_machine_fingerprint(machine),
               record_string(self->evidence, "fingerprint")) != 0)
        wrong(self, "the document is not that of the fingerprint");
    wfsm_machine_unref(machine);
}

static void print_result(const checking *self)
{
    shown_printf("%s: revisions %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT
                 ", %zu votes",
                 self->instance, json_integer_value(json_object_get(self->evidence, "first")),
                 json_integer_value(json_object_get(self->evidence, "revision")),
                 json_array_size(self->votes));
    if (self->keys)
        shown_printf(", %zu of them signed", self->signed_votes);
    shown_printf("\nhead %s\n", self->digest);
}

bool evidence_check(const char *path, const cli_text *text, const json_t *keys,
                    const char *head)
{
    checking self = {.path = path, .keys = keys, .votes = cli_need(json_array())};
    self.evidence = json_loadb(text->data ? text->data : "", text->length, 0, NULL);
    self.instance = record_string(self.evidence, "instance");
    if (json_integer_value(json_object_get(self.evidence, "evidence")) != EVIDENCE_FORMAT ||
        !json_is_array(json_object_get(self.evidence, "records"))) {
        wrong(&self, "this is not what `wfsm evidence` prints");
    } else {
        check_chain(&self, head);
        check_document(&self);
    }
    if (self.wrong == 0)
        print_result(&self);
    json_decref(self.votes);
    json_decref(self.evidence);
    return self.wrong == 0;
}
