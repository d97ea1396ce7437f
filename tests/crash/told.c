#include "crash/told.h"
#include "crash/stored.h"

#include <wfsm/audit.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t revision_in(const char *record)
{
    const char *at = strstr(record, "\"revision\":");
    return at ? strtoull(at + 11, NULL, 10) : 0;
}

void told_commit_line(char line[TOLD_LINE], wfsm_call *call)
{
    size_t length;
    const char *record = wfsm_call_record(call, &length);
    snprintf(line, TOLD_LINE, "commit %s %" PRIu64 " %016" PRIx64 "\n",
             wfsm_call_instance(call), revision_in(record), stored_digest(record, length));
}

/* The id is INSTANCE/REVISION/ORDINAL-INCARNATION. */
void told_effect_line(char line[TOLD_LINE], wfsm_call *call)
{
    char id[TOLD_LINE - 16];
    snprintf(id, sizeof id, "%s", wfsm_call_id(call));
    for (char *at = id; (at = strchr(at, '/'));)
        *at = ' ';
    snprintf(line, TOLD_LINE, "effect %s\n", id);
}

void told_id_line(char line[TOLD_LINE], const char *word, const char *instance, const char *id)
{
    snprintf(line, TOLD_LINE, "%s %s 0 %s\n", word, instance, id);
}

void told_add(told *self, const char *line)
{
    size_t length = strlen(line);
    if (self->length + length >= self->room) {
        self->room = (self->room + length) * 2 + 1000;
        self->text = realloc(self->text, self->room);
        if (!self->text)
            abort();
    }
    memcpy(self->text + self->length, line, length + 1);
    self->length += length;
}

void told_clear(told *self)
{
    free(self->text);
    *self = (told){0};
}

void tally_violation(tally *counts, const char *format, ...)
{
    va_list arguments;
    counts->violations++;
    if (counts->quiet)
        return;
    printf("VIOLATION (%s): ", counts->where ? counts->where : "?");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

typedef struct line {
    char word[16], instance[64], rest[64];
    uint64_t number;
} line;

/* The next whole line; a program that was killed may have left a part of one. */
static bool next_line(const char **text, line *out)
{
    const char *end = *text ? strchr(*text, '\n') : NULL;
    if (!end || sscanf(*text, "%15s %63s %" SCNu64 " %63s", out->word, out->instance,
                       &out->number, out->rest) != 4)
        return false;
    *text = end + 1;
    return true;
}

static void lost(tally *counts, const line *what, const char *how)
{
    counts->lost++;
    tally_violation(counts, "%s %s %" PRIu64 " %s: %s", what->word, what->instance,
                    what->number, what->rest, how);
}

static void check_commit(const line *what, stored *all, tally *counts)
{
    stored_record *record = stored_find(all, what->instance, what->number);
    counts->commits++;
    if (!record)
        lost(counts, what, "acknowledged and not there");
    else if (record->digest != strtoull(what->rest, NULL, 16))
        lost(counts, what, "acknowledged and replaced by another");
    else
        record->told = true;
}

static void check_event(const line *what, const stored *all, tally *counts)
{
    size_t count = stored_events(all, what->instance, what->rest);
    counts->events++;
    if (!count)
        lost(counts, what, "acknowledged and not in the journal");
    else if (count > 1)
        tally_violation(counts, "event %s: applied %zu times", what->rest, count);
}

static void check_post(const line *what, const stored *all, tally *counts)
{
    size_t count = stored_events(all, what->instance, what->rest) +
                   stored_posts(all, what->instance, what->rest);
    counts->posts++;
    if (!count)
        lost(counts, what, "acknowledged and neither in the inbox nor in the journal");
    else if (count > 1)
        tally_violation(counts, "post %s: there %zu times", what->rest, count);
}

static void check_effect(const line *what, stored *all, tally *counts)
{
    char part[300];
    const stored_record *record = stored_find(all, what->instance, what->number);
    size_t ordinal = strcspn(what->rest, "-");
    const char *incarnation = what->rest + ordinal + (what->rest[ordinal] == '-');
    snprintf(part, sizeof part,
             "\"revision\":%" PRIu64 ",\"ordinal\":%.*s,\"incarnation\":%s,\"emit\"",
             what->number, (int)ordinal, what->rest, incarnation);
    counts->effects++;
    if (!record || !strstr(record->text, part))
        tally_violation(counts, "effect %s/%" PRIu64 "/%s: delivered without its commit",
                        what->instance, what->number, what->rest);
}

static void check_line(const line *what, stored *all, tally *counts)
{
    if (!strcmp(what->word, "commit"))
        check_commit(what, all, counts);
    else if (!strcmp(what->word, "event"))
        check_event(what, all, counts);
    else if (!strcmp(what->word, "post"))
        check_post(what, all, counts);
    else if (!strcmp(what->word, "effect"))
        check_effect(what, all, counts);
}

/* What was not told is what was in flight; from now on it has to stay. */
static void check_others(told *self, stored *all, size_t in_flight, tally *counts)
{
    size_t others = 0;
    for (size_t i = 0; i < all->count; i++) {
        const stored_journal *journal = &all->journals[i];
        if (journal->runs_back)
            tally_violation(counts, "%s: time runs back", journal->id);
        for (size_t k = 0; k < journal->count; k++) {
            char text[TOLD_LINE];
            if (journal->records[k].told)
                continue;
            others++;
            snprintf(text, sizeof text, "commit %s %zu %016" PRIx64 "\n", journal->id, k + 1,
                     journal->records[k].digest);
            told_add(self, text);
        }
    }
    if (others > in_flight)
        tally_violation(counts, "%zu commits that nobody was told of, at most %zu expected",
                        others, in_flight);
}

static int32_t note_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    tally *counts = user;
    counts->diagnostics++;
    tally_violation(counts, "audit: %s %" PRIu64 ": %s", diagnostic->instance,
                    diagnostic->revision, diagnostic->message);
    return WFSM_OK;
}

static void audit(wfsm_store *store, tally *counts)
{
    int32_t status = wfsm_store_audit(store, NULL, note_diagnostic, counts, NULL, NULL);
    if (status)
        tally_violation(counts, "the audit failed: %s", wfsm_status_name(status));
}

void told_check(told *self, wfsm_store *store, size_t in_flight, tally *counts)
{
    stored all = {0};
    line what;
    const char *text = self->text;
    counts->checks++;
    int32_t status = stored_read(&all, store);
    if (status)
        tally_violation(counts, "cannot be read: %s", wfsm_status_name(status));
    while (!status && next_line(&text, &what))
        check_line(&what, &all, counts);
    if (!status) {
        check_others(self, &all, in_flight, counts);
        audit(store, counts);
    }
    stored_free(&all);
}

static void mark_delivered(const told *self, stored *all)
{
    line what;
    const char *text = self->text;
    while (next_line(&text, &what)) {
        stored_record *record = stored_find(all, what.instance, what.number);
        unsigned long ordinal = strtoul(what.rest, NULL, 10);
        if (record && !strcmp(what.word, "effect") && ordinal < 64)
            record->delivered |= UINT64_C(1) << ordinal;
    }
}

static int bits(uint64_t set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void check_journal_end(const stored_journal *journal, size_t timers, tally *counts)
{
    size_t fired = 0;
    for (size_t i = 0; i < journal->count; i++) {
        const stored_record *record = &journal->records[i];
        fired += strstr(record->text, "\"kind\":\"timer\"") != NULL;
        if (occurrences(record->text, "\"emit\":") != (size_t)bits(record->delivered))
            tally_violation(counts, "effects of %s/%zu: not all were delivered", journal->id,
                            i + 1);
    }
    counts->timers += (long)fired;
    if (fired != timers)
        tally_violation(counts, "%s: %zu timers fired, not %zu", journal->id, fired, timers);
}

void told_check_end(const told *self, wfsm_store *store, size_t timers, tally *counts)
{
    stored all = {0};
    int32_t status = stored_read(&all, store);
    if (status)
        tally_violation(counts, "cannot be read: %s", wfsm_status_name(status));
    mark_delivered(self, &all);
    for (size_t i = 0; !status && i < all.count; i++)
        check_journal_end(&all.journals[i], timers, counts);
    if (all.post_count)
        tally_violation(counts, "%zu posts were left", all.post_count);
    stored_free(&all);
}
