#include "wfsm/evidence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/asked_digests.h"
#include "wfsm/print.h"
#include "wfsm/record.h"
#include "wfsm/vote_keys.h"
#include "wfsm/shown.h"

typedef struct checking {
    const char *path, *instance;
    const json_t *keys; /* or NULL */
    json_t *evidence, *votes; /* votes: those of the records */
    json_t *asked; /* the digests of what the records ask */
    json_t *document; /* the last record that names the document; NULL: none does */
    json_int_t first, last;
    json_int_t revision; /* of the record at hand; 0: none */
    char digest[WFSM_DIGEST_SIZE]; /* of the record before it, or "" */
    size_t wrong, signed_votes;
} checking;

static void CLI_PRINTF(2, 3) wrong(checking *self, const char *format, ...)
{
    char message[VOTE_WHY_BYTES + 200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (self->revision > 0)
        cli_say("%s: revision %" PRIu64 ": %s", self->path, (uint64_t)self->revision, message);
    else
        cli_say("%s: %s", self->path, message);
    self->wrong++;
}

/* A vote, or its signature, may be taken from elsewhere. A compacted journal does not have the question
 * any more. */
static void check_question(checking *self, const json_t *vote)
{
    const char *id = record_string(vote, "invocation"), *by = record_string(vote, "by");
    const char *asked = asked_digests_of(self->asked, self->instance, id);
    json_int_t revision;
    if (!asked_is_of(self->instance, id, &revision))
        wrong(self, "the vote of %.200s on %.250s is not of this instance", by, id);
    else if (revision >= self->first && !asked)
        wrong(self, "the vote of %.200s on %.250s is on what no record asks", by, id);
    else if (asked && strcmp(asked, record_string(vote, "digest")) != 0)
        wrong(self, "the vote of %.200s on %.250s is not on what the record asks", by, id);
}

static void check_vote(checking *self, const json_t *record)
{
    char why[VOTE_WHY_BYTES];
    json_t *vote = vote_counted(record);
    if (!vote)
        return;
    check_question(self, vote);
    if (self->keys && vote_is_signed(self->keys, self->instance, vote, why))
        self->signed_votes++;
    else if (self->keys)
        wrong(self, "%s", why);
    json_array_append_new(self->votes, vote);
}

/* The first record of a compacted journal follows one that is not there. */
static void check_parts(checking *self, json_t *record, const char *text)
{
    if (json_integer_value(json_object_get(record, "revision")) != self->revision)
        wrong(self, "the record is not that of this revision");
    if ((self->revision > self->first || self->revision == 1) &&
        strcmp(record_string(record, "prev"), self->digest) != 0)
        wrong(self, "the record does not follow the one before it");
    asked_digests_add(self->asked, record, text);
    check_vote(self, record);
    if (json_object_get(record, "fingerprint") || self->revision == 1) {
        json_decref(self->document);
        self->document = json_incref(record);
    }
}

static void check_record(checking *self, const json_t *item)
{
    const char *text = json_string_value(item);
    size_t length = json_string_length(item);
    json_t *record = text ? json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (json_is_object(record))
        check_parts(self, record, text);
    else
        wrong(self, "the record is not a JSON object whose keys differ");
    self->digest[0] = '\0';
    if (text)
        wfsm_digest(text, length, self->digest);
    json_decref(record);
}

/* As many records as there should be; first and last are numbers that a file may contain. */
static bool check_count(checking *self, size_t count)
{
    bool fits = self->first >= 1 && self->last >= self->first && self->last <= (1LL << 53) &&
                (uint64_t)(self->last - self->first) + 1 == count;
    if (!fits)
        wrong(self,
              "there are %zu records, not those from %" JSON_INTEGER_FORMAT
              " to %" JSON_INTEGER_FORMAT,
              count, self->first, self->last);
    return fits;
}

static void check_chain(checking *self, const char *head)
{
    const json_t *records = json_object_get(self->evidence, "records"), *item;
    size_t index;
    self->first = json_integer_value(json_object_get(self->evidence, "first"));
    self->last = json_integer_value(json_object_get(self->evidence, "revision"));
    if (!check_count(self, json_array_size(records)))
        return;
    json_array_foreach(records, index, item)
    {
        self->revision = self->first + (json_int_t)index;
        check_record(self, item);
    }
    self->revision = 0;
    if (strcmp(record_string(self->evidence, "head"), self->digest) != 0)
        wrong(self, "the last record is not the head");
    if (head && strcmp(head, self->digest) != 0)
        wrong(self, "the head is not the one that was expected");
    if (!json_equal(json_object_get(self->evidence, "votes"), self->votes))
        wrong(self, "the votes are not those of the records");
}

static bool is_same(const checking *self, const char *key)
{
    return !self->document ||
           strcmp(record_string(self->document, key), record_string(self->evidence, key)) == 0;
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
    else if (strcmp(wfsm_machine_id(machine), record_string(self->evidence, "machine")) != 0)
        wrong(self, "the document is not that of the machine");
    if (!is_same(self, "machine") || !is_same(self, "fingerprint"))
        wrong(self, "the records are those of another document");
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
    checking self = {.path = path,
                     .keys = keys,
                     .votes = cli_need(json_array()),
                     .asked = cli_need(json_object())};
    json_error_t where = {.line = -1};
    self.evidence =
        json_loadb(text->data ? text->data : "", text->length, JSON_REJECT_DUPLICATES, &where);
    self.instance = record_string(self.evidence, "instance");
    if (!self.evidence) {
        wrong(&self, "line %d, column %d: %s", where.line, where.column, where.text);
    } else if (json_integer_value(json_object_get(self.evidence, "evidence")) !=
                   EVIDENCE_FORMAT ||
               !json_is_array(json_object_get(self.evidence, "records"))) {
        wrong(&self, "this is not what `wfsm evidence` prints");
    } else if (!*self.instance) {
        wrong(&self, "there is no instance in it");
    } else {
        check_chain(&self, head);
        check_document(&self);
    }
    if (self.wrong == 0)
        print_result(&self);
    json_decref(self.document);
    json_decref(self.asked);
    json_decref(self.votes);
    json_decref(self.evidence);
    return self.wrong == 0;
}
