/*
 * Journals that are compacted, compared with twins that stay whole: the same state, the same
 * records after the anchor, dropped records in the archive, and no diagnostic of an audit.
 */
#include "support.h"
#include "../given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/compact.h>

static const char *const first =
    "{'wfsm':1,'id':'task','version':'1','initial':'on','context':{'n':0},'states':{"
    "'on':{'tags':['busy','lit'],'after':{'700':{'actions':{'type':'assign','params':{'n':0}},"
    "'target':'on','reenter':true}},"
    "'invoke':{'id':'job','src':'agent','retry':[{'errors':['network'],'intervalMs':9}],"
    "'onDone':{'actions':{'type':'emit','params':{'event':'built'}}},'onError':{'actions':[]}},"
    "'on':{'ADD':{'actions':[{'type':'assign','params':{'n':{'+':[{'var':'context.n'},1]}}},"
    "{'type':'emit','params':{'event':'added','data':{'var':'context.n'}}}]},"
    "'FLIP':'off','STOP':'end'}},"
    "'off':{'on':{'FLIP':'on','ADD':{'actions':{'type':'raise','params':{'event':'LATER',"
    "'delay':50,'id':'l'}}},'STOP':'end'}},"
    "'end':{'type':'final'}}}";
static char second[2000]; /* the same under version 2, with a way there */

static wfsm_error *error;
static wfsm_machine *one, *two;
static wfsm_store *whole, *cut, *archive;
static wfsm_instance *left, *right; /* of whole, of cut */
static char diagnostics[2000];
static uint32_t seed, lives = 4; /* the argument: of each kind */
static int64_t now;
static uint32_t events_sent;
static uint64_t dropped; /* in all lives */

static wfsm_machine *load_document(const char *document)
{
    char text[2500];
    wfsm_machine *machine = NULL;
    for (size_t i = 0; i <= strlen(document); i++)
        text[i] = document[i] == '\'' ? '"' : document[i];
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error),
        wfsm_error_message(error));
    return machine;
}

static void good(int32_t status)
{
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(status), wfsm_error_message(error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    snprintf(second, sizeof second,
             "{'wfsm':1,'id':'task','version':'2','migrate':[{'from':['1']}],%s",
             strstr(first, "'initial'"));
    one = load_document(first);
    two = load_document(second);
    good(wfsm_memory_open(&whole, NULL, error));
    good(wfsm_memory_open(&cut, NULL, error));
    good(wfsm_memory_open(&archive, NULL, error));
    now = 0;
    seed = 1;
}

static void begin(const char *id)
{
    good(wfsm_instance_start(&left, one, START(id, .store = whole), now, error));
    good(wfsm_instance_start(&right, one, START(id, .store = cut), now, error));
}

static void end(void)
{
    wfsm_instance_free(left);
    wfsm_instance_free(right);
    left = right = NULL;
}

void tearDown(void)
{
    end();
    wfsm_store_free(whole);
    wfsm_store_free(cut);
    wfsm_store_free(archive);
    wfsm_machine_unref(one);
    wfsm_machine_unref(two);
    wfsm_error_free(error);
}

static uint32_t roll(uint32_t sides)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

/* ---- what happens, to both alike ---- */

static int32_t send(wfsm_instance *instance, const char *event, const char *id)
{
    char data[700];
    int32_t outcome = 0;
    memset(data, 'x', sizeof data);
    data[0] = data[sizeof data - 1] = '"';
    return wfsm_instance_send(instance,
                              EVENT(event, .id = id, .data = data, .length = sizeof data), now,
                              &outcome, error);
}

static int32_t work(wfsm_instance *instance, uint32_t what)
{
    char id[WF_INVOCATION_ID_BYTES] = "none";
    int32_t outcome = 0;
    const wf_invocation *open = wf_instance_invocation(instance, 0);
    if (!open)
        return WFSM_OK;
    wf_instance_invocation_id(instance, open, id);
    if (what == 0)
        return wfsm_instance_claim(instance, id, "me", now, &outcome, error);
    if (what == 1)
        return wfsm_instance_failure(instance,
                                     FAILURE(id, .failure_class = "network", .message = "gone"),
                                     now, &outcome, error);
    return wfsm_instance_result(instance, RESULT(id, .output = "{}", .length = 2), now,
                                &outcome, error);
}

static int32_t take_effects(wfsm_instance *instance, uint32_t most)
{
    const char *effect;
    size_t length;
    uint64_t number = 0;
    for (uint32_t i = 0; i < most; i++) {
        int32_t status = wfsm_instance_next_effect(instance, &effect, &length, &number, error);
        if (status != WFSM_OK || !effect)
            return status;
        status = wfsm_instance_ack(instance, number, error);
        if (status != WFSM_OK)
            return status;
    }
    return WFSM_OK;
}

static int32_t advance(wfsm_instance *instance)
{
    int32_t fired = 0, outcome = 0, status = WFSM_OK;
    do
        status = wfsm_instance_advance(instance, now, &fired, &outcome, error);
    while (status == WFSM_OK && fired);
    return status;
}

/* Some of it is refused, for both: there is no such checkpoint, or none may be restored. */
static void both(int32_t a, int32_t b)
{
    TEST_ASSERT_EQUAL_STRING(wfsm_status_name(a), wfsm_status_name(b));
    TEST_ASSERT_TRUE_MESSAGE(a == WFSM_OK || a == WFSM_NOT_FOUND || a == WFSM_DENIED,
                             wfsm_status_name(a));
}

static void step(bool checkpoints)
{
    static const char *const ids[] = {"c1", "c2"};
    static const char *const events[] = {"ADD", "ADD", "FLIP"};
    char event_id[20];
    int32_t outcome = 0;
    uint32_t what = roll(checkpoints ? 12 : 9), which = roll(3);
    now += roll(120);
    /* Not twice: what was dropped is taken again, and a twin knows it. */
    snprintf(event_id, sizeof event_id, "e%u", ++events_sent);
    if (what < 5)
        both(send(left, events[which], what < 3 ? event_id : NULL),
             send(right, events[which], what < 3 ? event_id : NULL));
    else if (what == 5)
        both(work(left, which), work(right, which));
    else if (what == 6)
        both(take_effects(left, 1 + which), take_effects(right, 1 + which));
    else if (what < 9)
        both(advance(left), advance(right));
    else if (what == 9)
        both(wfsm_instance_checkpoint(
                 left, CHECKPOINT(ids[which % 2], .artifacts = "[\"f\"]", .length = 5), now,
                 &outcome, error),
             wfsm_instance_checkpoint(
                 right, CHECKPOINT(ids[which % 2], .artifacts = "[\"f\"]", .length = 5), now,
                 &outcome, error));
    else if (what == 10)
        both(wfsm_instance_restore(left, FROM(ids[which % 2]), now, &outcome, error),
             wfsm_instance_restore(right, FROM(ids[which % 2]), now, &outcome, error));
    else
        both(wfsm_instance_delete_checkpoint(left, ids[which % 2], now, &outcome, error),
             wfsm_instance_delete_checkpoint(right, ids[which % 2], now, &outcome, error));
}

static void migrate(void)
{
    int32_t outcome = 0;
    good(wfsm_instance_migrate(&left, two, NULL, now, &outcome, error));
    good(wfsm_instance_migrate(&right, two, NULL, now, &outcome, error));
}

static void stop(void)
{
    both(send(left, "STOP", NULL), send(right, "STOP", NULL));
    both(take_effects(left, 1000000), take_effects(right, 1000000));
}

/* ---- what must hold ---- */

static int32_t note(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    size_t used = strlen(diagnostics);
    (void)user;
    snprintf(diagnostics + used, sizeof diagnostics - used, "%s@%d: %s\n", diagnostic->instance,
             (int)diagnostic->revision, diagnostic->message);
    return WFSM_OK;
}

static wfsm_audit_counts audit(wfsm_store *store)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    diagnostics[0] = '\0';
    good(wfsm_store_audit(store, NULL, note, NULL, &counts, error));
    return counts;
}

static void expect_clean(wfsm_store *store, uint64_t records)
{
    wfsm_audit_counts counts = audit(store);
    TEST_ASSERT_EQUAL_STRING("", diagnostics);
    TEST_ASSERT_EQUAL_UINT64(records, counts.records);
}

typedef struct texts {
    char *text;
    size_t length, capacity;
} texts;

static int32_t add_record(void *user, const wfsm_row *row)
{
    texts *all = user;
    size_t bytes = row->length + 400;
    if (all->length + bytes > all->capacity) {
        all->capacity = 2 * all->capacity + bytes;
        all->text = realloc(all->text, all->capacity);
    }
    all->length += (size_t)snprintf(all->text + all->length, bytes, "%llu %s %lld %.*s\n",
                                    (unsigned long long)row->revision, row->id ? row->id : "",
                                    (long long)row->now, (int)row->length, row->text);
    return WFSM_OK;
}

static void expect_records(wfsm_store *store, const char *id, uint64_t from, uint64_t to)
{
    texts expected = {calloc(1, 1), 0, 0}, found = {calloc(1, 1), 0, 0};
    good(wfsm_store_records(whole, id, from, to, add_record, &expected, error));
    good(wfsm_store_records(store, id, 1, to, add_record, &found, error));
    TEST_ASSERT_EQUAL_STRING(expected.text, found.text);
    free(expected.text);
    free(found.text);
}

static uint64_t first_of(wfsm_store *store, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    good(wfsm_store_head(store, id, &head, error));
    return head.first;
}

static void expect_same_state(const char *id)
{
    wfsm_instance *again = NULL;
    good(wfsm_instance_load(&again, NULL, cut, NULL, id, error));
    char *a = bytes_of(left), *b = bytes_of(again), *c = bytes_of(right);
    TEST_ASSERT_EQUAL_STRING(a, b);
    TEST_ASSERT_EQUAL_STRING(a, c);
    free(a);
    free(b);
    free(c);
    wfsm_instance_free(again);
}

/* Whatever the archive has beyond the cut was dropped before, or went there in a call that
 * did not come to its end. */
static void expect_sound(const char *id, bool archived)
{
    uint64_t begins = first_of(cut, id), last = wfsm_instance_revision(left);
    expect_same_state(id);
    expect_records(cut, id, begins, last);
    expect_clean(cut, last - begins + 1);
    if (!archived || begins == 1)
        return;
    expect_records(archive, id, 1, begins - 1);
    expect_clean(archive, begins - 1);
}

static void compact(const char *id, uint64_t keep, bool archived)
{
    wfsm_compaction wanted = {.size = sizeof wanted, .keep = keep};
    wfsm_compacted told = {.size = sizeof told}, done = {.size = sizeof done};
    uint64_t before = first_of(cut, id);
    wanted.archive = archived ? archive : NULL;
    wanted.dry_run = 1;
    good(wfsm_store_compact(cut, id, &wanted, &told, error));
    TEST_ASSERT_EQUAL_UINT64(before, first_of(cut, id));
    wanted.dry_run = 0;
    good(wfsm_store_compact(cut, id, &wanted, &done, error));
    TEST_ASSERT_EQUAL_UINT64(first_of(cut, id), done.first);
    TEST_ASSERT_EQUAL_UINT64(done.first - before, done.dropped);
    TEST_ASSERT_EQUAL_MEMORY(&told, &done, sizeof told);
    if (done.dropped > 0 && keep > 0)
        TEST_ASSERT_TRUE(wfsm_instance_revision(left) - done.first + 1 >= keep);
}

/* ---- the cases ---- */

static void play(uint32_t which, bool checkpoints, bool archived)
{
    char id[20];
    seed = which;
    snprintf(id, sizeof id, "t%u", which);
    begin(id);
    for (int i = 0; i < 300; i++) {
        step(checkpoints);
        if (i == 150)
            migrate();
        if (roll(25) != 0)
            continue;
        uint64_t before = first_of(cut, id);
        compact(id, roll(60), archived);
        dropped += first_of(cut, id) - before;
        expect_sound(id, archived);
    }
    stop();
    expect_sound(id, archived);
    if (archived) {
        wfsm_compacted done = {.size = sizeof done};
        wfsm_head head = {.size = sizeof head};
        uint64_t last = wfsm_instance_revision(left);
        good(wfsm_store_archive(cut, id, archive, now, &done, error));
        TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_head(cut, id, &head, error));
        expect_records(archive, id, 1, last);
        expect_clean(archive, last);
    }
    good(wfsm_store_remove(cut, id, error));
    good(wfsm_store_remove(archive, id, error));
    good(wfsm_store_remove(whole, id, error));
    end();
}

static void a_compacted_journal_is_as_good_as_a_whole_one(void)
{
    for (uint32_t i = 0; i < lives; i++)
        play(1000 + i, false, false);
    TEST_ASSERT_GREATER_THAN_UINT64(50 * lives, dropped);
}

static void what_goes_is_in_the_archive(void)
{
    for (uint32_t i = 0; i < lives; i++)
        play(2000 + i, false, true);
}

static void checkpoints_keep_what_made_them(void)
{
    for (uint32_t i = 0; i < lives; i++)
        play(3000 + i, true, i % 2 == 0);
    printf("%u lives of each kind, %llu records dropped\n", lives, (unsigned long long)dropped);
}

static void add(int times)
{
    for (int i = 0; i < times; i++) {
        now += 10;
        both(send(left, "ADD", NULL), send(right, "ADD", NULL));
    }
}

static int32_t compact_with(wfsm_compaction wanted, wfsm_compacted *done)
{
    wanted.size = sizeof wanted;
    *done = (wfsm_compacted){.size = sizeof *done};
    wfsm_error_set(error, WFSM_OK, "");
    return wfsm_store_compact(cut, "t", &wanted, done, error);
}

static void records_of_a_time_stay(void)
{
    wfsm_compacted done;
    begin("t");
    add(60); /* that of revision n + 1 at 10 n */
    good(compact_with((wfsm_compaction){.before = 1}, &done));
    TEST_ASSERT_EQUAL_UINT64(2, done.first);
    good(compact_with((wfsm_compaction){.before = 200}, &done));
    TEST_ASSERT_EQUAL_UINT64(21, done.first);
    good(compact_with((wfsm_compaction){.before = 201}, &done));
    TEST_ASSERT_EQUAL_UINT64(22, done.first);
    good(compact_with((wfsm_compaction){.before = 300, .keep = 35}, &done));
    TEST_ASSERT_EQUAL_UINT64(27, done.first);
    good(compact_with((wfsm_compaction){.keep = 35}, &done));
    TEST_ASSERT_EQUAL_UINT64(0, done.dropped);
    TEST_ASSERT_EQUAL_UINT64(27, done.first);
    good(compact_with((wfsm_compaction){.keep = UINT64_MAX}, &done));
    TEST_ASSERT_EQUAL_UINT64(0, done.dropped);
    expect_sound("t", false);
}

/* A journal is never cut behind the last full snapshot, and a checkpoint outlives a cut. */
static void what_is_needed_stays(void)
{
    wfsm_compacted done;
    wfsm_head head = {.size = sizeof head};
    int32_t outcome;
    begin("t");
    add(40);
    good(wfsm_instance_checkpoint(left, CHECKPOINT("c"), now, &outcome, error));
    good(wfsm_instance_checkpoint(right, CHECKPOINT("c"), now, &outcome, error));
    add(40);
    good(compact_with((wfsm_compaction){.keep = 1}, &done));
    good(wfsm_store_head(cut, "t", &head, error));
    TEST_ASSERT_EQUAL_UINT64(head.snapshot_revision, done.first);
    TEST_ASSERT_GREATER_THAN_UINT64(42, done.first);
    good(compact_with((wfsm_compaction){.keep = 1}, &done));
    TEST_ASSERT_EQUAL_UINT64(0, done.dropped);
    good(wfsm_instance_restore(left, FROM("c"), now, &outcome, error));
    good(wfsm_instance_restore(right, FROM("c"), now, &outcome, error));
    expect_sound("t", false);
    good(wfsm_instance_delete_checkpoint(left, "c", now, &outcome, error));
    good(wfsm_instance_delete_checkpoint(right, "c", now, &outcome, error));
    add(20);
    good(compact_with((wfsm_compaction){.keep = 0}, &done));
    good(wfsm_store_head(cut, "t", &head, error));
    TEST_ASSERT_EQUAL_UINT64(head.snapshot_revision, done.first);
    TEST_ASSERT_GREATER_THAN_UINT64(84, done.first);
    expect_sound("t", false);
}

/* An event whose record went is taken again; the archive has both. */
static void an_event_may_come_again(void)
{
    wfsm_compacted done;
    begin("t");
    for (int i = 0; i < 3; i++) {
        good(send(right, "ADD", "again"));
        for (int k = 0; k < 30; k++)
            good(send(right, "ADD", NULL));
        good(compact_with((wfsm_compaction){.archive = archive}, &done));
        TEST_ASSERT_GREATER_THAN_UINT64(10, done.dropped);
        audit(archive);
        TEST_ASSERT_EQUAL_STRING("", diagnostics);
        audit(cut);
        TEST_ASSERT_EQUAL_STRING("", diagnostics);
    }
}

static void expect_refused(int32_t status, const char *words, int32_t got)
{
    TEST_ASSERT_EQUAL_STRING(wfsm_status_name(status), wfsm_status_name(got));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), words),
                                 wfsm_error_message(error));
}

static void an_archive_that_does_not_fit_is_refused(void)
{
    wfsm_compacted done;
    wfsm_instance *other = NULL;
    const wfsm_compaction keep = {.keep = 10}, with = {.keep = 5, .archive = archive};
    begin("t");
    add(60);
    expect_refused(WFSM_INVALID, "another store",
                   compact_with((wfsm_compaction){.archive = cut}, &done));
    good(wfsm_instance_start(&other, one, START("t", .store = archive), 0, error));
    wfsm_instance_free(other);
    expect_refused(WFSM_CONFLICT, "was not archived", compact_with(with, &done));
    good(wfsm_store_remove(archive, "t", error));
    good(compact_with(keep, &done));
    TEST_ASSERT_GREATER_THAN_UINT64(10, done.dropped);
    add(20);
    expect_refused(WFSM_CONFLICT, "records 1 to ", compact_with(with, &done));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, compact_with((wfsm_compaction){.dry_run = 2}, &done));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, compact_with((wfsm_compaction){.before = -1}, &done));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_compact(cut, "nobody", NULL, NULL, error));
    expect_sound("t", false);
}

/* Two that began alike and went apart: each has its own archive. */
static void an_archive_of_another_life_is_refused(void)
{
    wfsm_compacted done;
    begin("t");
    add(60);
    good(compact_with((wfsm_compaction){.keep = 30, .archive = archive}, &done));
    wfsm_instance_free(right);
    good(wfsm_store_remove(cut, "t", error));
    good(wfsm_instance_start(&right, one, START("t", .store = cut), 7, error));
    for (int i = 0; i < 70; i++)
        good(send(right, "ADD", NULL));
    expect_refused(WFSM_CONFLICT, "another journal",
                   compact_with((wfsm_compaction){.keep = 5, .archive = archive}, &done));
    expect_refused(WFSM_CONFLICT, "another journal",
                   compact_with((wfsm_compaction){.keep = 60, .archive = archive}, &done));
    TEST_ASSERT_EQUAL_UINT64(1, first_of(cut, "t"));
}

static void only_what_has_ended_moves(void)
{
    wfsm_compacted done = {.size = sizeof done};
    begin("t");
    add(3);
    expect_refused(WFSM_DENIED, "has not ended",
                   wfsm_store_archive(cut, "t", archive, now, &done, error));
    both(send(left, "STOP", NULL), send(right, "STOP", NULL));
    expect_refused(WFSM_DENIED, "not acknowledged",
                   wfsm_store_archive(cut, "t", archive, now, &done, error));
    good(take_effects(right, 100));
    good(wfsm_store_owner_alive(cut, "engine", now + 100, error));
    good(wfsm_store_own(cut, "t", "engine", now, error));
    expect_refused(WFSM_DENIED, "engine",
                   wfsm_store_archive(cut, "t", archive, now, &done, error));
    good(wfsm_store_archive(cut, "t", archive, now + 100, &done, error));
    TEST_ASSERT_EQUAL_UINT64(5, done.archived);
    expect_clean(archive, 5);
    expect_clean(cut, 0);
    expect_refused(WFSM_DENIED, "(archive)",
                   wfsm_store_archive(archive, "t", cut, now, &done, error));
}

/* No engine takes up what is archived, and a fork of it is one of its own. */
static void an_archive_is_left_alone(void)
{
    wfsm_compacted done;
    begin("t");
    add(60);
    good(compact_with((wfsm_compaction){.keep = 30, .archive = archive}, &done));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED,
                            wfsm_store_own(archive, "t", "engine", INT64_MAX - 1, error));
    expect_refused(
        WFSM_INVALID, "another store",
        wfsm_store_compact(archive, "t",
                           &(wfsm_compaction){.size = sizeof(wfsm_compaction), .archive = cut},
                           NULL, error));
}

/* Forks, restores and migrations behind an anchor. */
static void a_fork_of_what_was_compacted_is_sound(void)
{
    wfsm_compacted done;
    wfsm_instance *fork = NULL;
    begin("t");
    add(60);
    good(compact_with((wfsm_compaction){.keep = 5}, &done));
    good(wfsm_instance_fork(&fork, right, NULL, "u", now, error));
    good(send(fork, "ADD", NULL));
    wfsm_instance_free(fork);
    migrate();
    add(3);
    wfsm_audit_counts counts = audit(cut);
    TEST_ASSERT_EQUAL_STRING("", diagnostics);
    TEST_ASSERT_EQUAL_UINT64(2, counts.instances);
}

/* What an anchor says is found out when it is not so. */
static void what_is_not_right_stays_whole(void)
{
    wfsm_compacted done;
    wfsm_head head = {.size = sizeof head};
    static const char broken[] = "{\"format\":1}";
    begin("t");
    add(60);
    good(wfsm_store_head(cut, "t", &head, error));
    good(wfsm_store_cut(cut, "t", 7, broken, sizeof broken - 1, error));
    audit(cut);
    TEST_ASSERT_EQUAL_STRING("t@7: the anchor is malformed\n", diagnostics);
    expect_refused(WFSM_CORRUPT, "the anchor is malformed",
                   compact_with((wfsm_compaction){.keep = 5}, &done));
    TEST_ASSERT_EQUAL_UINT64(7, first_of(cut, "t"));
}

/* ---- what changes under an audit is no diagnostic ---- */

typedef struct meddling {
    wfsm_store_vtable real;
    void *self;
    int left;       /* times that it meddles */
    bool compacts;  /* or sends */
} meddling;

static void meddle(meddling *self)
{
    const wfsm_compaction options = {.size = sizeof options, .keep = (uint64_t)self->left * 9};
    if (self->left-- <= 0)
        return;
    if (self->compacts)
        good(wfsm_store_compact(cut, "t", &options, NULL, error));
    else
        good(send(right, "ADD", NULL));
}

static int32_t meddled_records(void *user, const char *id, uint64_t from, uint64_t to,
                               wfsm_row_sink sink, void *sink_user, wfsm_error *failed)
{
    meddling *self = user;
    meddle(self);
    return self->real.records(self->self, id, from, to, sink, sink_user, failed);
}

static int32_t meddled_snapshot(void *user, const char *id, const char *checkpoint,
                                wfsm_row_sink sink, void *sink_user, wfsm_error *failed)
{
    meddling *self = user;
    meddle(self);
    return self->real.snapshot(self->self, id, checkpoint, sink, sink_user, failed);
}

static int32_t meddled_head(void *user, const char *id, wfsm_head *head, wfsm_error *failed)
{
    meddling *self = user;
    return self->real.head(self->self, id, head, failed);
}

static int32_t meddled_document(void *user, const char *id, wfsm_row_sink sink, void *sink_user,
                                wfsm_error *failed)
{
    meddling *self = user;
    return self->real.document(self->self, id, sink, sink_user, failed);
}

static int32_t meddled_checkpoints(void *user, const char *id, wfsm_row_sink sink,
                                   void *sink_user, wfsm_error *failed)
{
    meddling *self = user;
    return self->real.checkpoints(self->self, id, sink, sink_user, failed);
}

static int32_t meddled_inbox(void *user, const char *id, uint64_t limit, wfsm_row_sink sink,
                             void *sink_user, wfsm_error *failed)
{
    meddling *self = user;
    return self->real.inbox(self->self, id, limit, sink, sink_user, failed);
}

static int32_t meddled_anchor(void *user, const char *id, wfsm_row_sink sink, void *sink_user,
                              wfsm_error *failed)
{
    meddling *self = user;
    return self->real.anchor(self->self, id, sink, sink_user, failed);
}

static int32_t audit_meddled(int times, bool compacts)
{
    meddling self = {
        .real = cut->vtable, .self = cut->self, .left = times, .compacts = compacts};
    wfsm_store_vtable vtable = cut->vtable;
    wfsm_store *between = NULL;
    vtable.close = NULL;
    vtable.head = meddled_head;
    vtable.records = meddled_records;
    vtable.snapshot = meddled_snapshot;
    vtable.document = meddled_document;
    vtable.checkpoints = meddled_checkpoints;
    vtable.inbox = meddled_inbox;
    vtable.anchor = meddled_anchor;
    good(wfsm_store_new(&between, &vtable, &self, NULL, error));
    diagnostics[0] = '\0';
    int32_t status = wfsm_store_audit(between, "t", note, NULL, NULL, error);
    wfsm_store_free(between);
    TEST_ASSERT_EQUAL_STRING("", diagnostics);
    return status;
}

static void what_changes_under_an_audit_is_no_diagnostic(void)
{
    begin("t");
    add(60);
    good(audit_meddled(4, true));
    TEST_ASSERT_GREATER_THAN_UINT64(20, first_of(cut, "t"));
    good(audit_meddled(12, false));
    good(audit_meddled(100, false));
}

/* Every allocation fails once: refused and as before, or done. */
static void without_memory_a_journal_stays_whole(void)
{
    uint64_t shortages = 0;
    for (uint64_t at = 1;; at++) {
        scarce memory = {.fail_at = 0};
        wfsm_allocator allocator = scarce_allocator(&memory);
        wfsm_store *store = NULL, *other = NULL;
        wfsm_instance *instance = NULL;
        int32_t outcome;
        good(wfsm_memory_open(&store, &allocator, error));
        good(wfsm_memory_open(&other, &allocator, error));
        good(wfsm_instance_start(&instance, one, START("t", .store = store), 0, error));
        good(wfsm_instance_checkpoint(instance, CHECKPOINT("c"), 1, &outcome, error));
        good(wfsm_instance_delete_checkpoint(instance, "c", 1, &outcome, error));
        now = 2;
        for (int i = 0; i < 20; i++)
            good(send(instance, "ADD", i == 3 ? "e" : NULL));
        const wfsm_compaction wanted = {.size = sizeof wanted, .keep = 5, .archive = other};
        memory.calls = 0;
        memory.fail_at = at;
        int32_t status = wfsm_store_compact(store, "t", &wanted, NULL, error);
        bool all = memory.calls < at;
        memory.fail_at = 0;
        if (all)
            good(status);
        else
            TEST_ASSERT_EQUAL_STRING("NO_MEMORY", wfsm_status_name(status));
        TEST_ASSERT_EQUAL(status != WFSM_OK, first_of(store, "t") == 1);
        audit(store);
        TEST_ASSERT_EQUAL_STRING("", diagnostics);
        good(wfsm_store_compact(store, "t", &wanted, NULL, error));
        audit(other);
        TEST_ASSERT_EQUAL_STRING("", diagnostics);
        wfsm_instance_free(instance);
        wfsm_store_free(store);
        wfsm_store_free(other);
        TEST_ASSERT_EQUAL_INT64(0, memory.living);
        if (all)
            break;
        shortages++;
    }
    printf("%llu shortages\n", (unsigned long long)shortages);
    TEST_ASSERT_GREATER_THAN_UINT64(100, shortages);
}

static int run_all(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_compacted_journal_is_as_good_as_a_whole_one);
    RUN_TEST(what_goes_is_in_the_archive);
    RUN_TEST(checkpoints_keep_what_made_them);
    RUN_TEST(records_of_a_time_stay);
    RUN_TEST(what_is_needed_stays);
    RUN_TEST(an_event_may_come_again);
    RUN_TEST(an_archive_that_does_not_fit_is_refused);
    RUN_TEST(an_archive_of_another_life_is_refused);
    RUN_TEST(only_what_has_ended_moves);
    RUN_TEST(an_archive_is_left_alone);
    RUN_TEST(a_fork_of_what_was_compacted_is_sound);
    RUN_TEST(what_is_not_right_stays_whole);
    RUN_TEST(what_changes_under_an_audit_is_no_diagnostic);
    RUN_TEST(without_memory_a_journal_stays_whole);
    return UNITY_END() != 0;
}

int main(int count, char **arguments)
{
    if (count > 1)
        lives = (uint32_t)strtoul(arguments[1], NULL, 10);
    return run_all();
}
