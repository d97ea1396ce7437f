/*
 * A process that works in rounds dies by SIGKILL at a point of a round, and another one continues.
 * For each point and each time that the process comes to it, right after the death:
 *   - every effect that was delivered, every attempt that was started and every record that was
 *     observed is in the journal;
 *   - every event that was acknowledged is in the journal or the inbox;
 * and in the end:
 *   - every event was taken exactly once, every effect was delivered, in order for each instance, no
 *     attempt was started twice, no work is left over, and all instances have ended.
 * The same checks find violations over a store that answers OK before it writes.
 *
 * A process makes many statements and writes, so only some of them are tried; the argument is how far
 * one is from the next, and 1 is all. The parent waits for the process alone, never for time.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/sqlite.h>

#include "crash/round_host.h"
#include "sqlite/folder.h"

enum { TEXT = 2000000, LISTED = 60 };

static const workload workloads[] = {
    {"polled", .instances = 3, .inputs = 18},
    {"at once", .instances = 4, .inputs = 12, .answers_at_once = true},
    {"withdrawn", .instances = 3, .inputs = 9, .leaves = true},
};
static const workload on_early_store = {"early", .instances = 3, .inputs = 18, .early = true};

static outside *world;
static const workload *work;
static int distance = 97;
static long deaths;
static struct {
    int count, processes; /* all, and those that a process has ended with */
    char first[500], where[100];
} violations;

void setUp(void)
{
    memset(&violations, 0, sizeof violations);
    world =
        mmap(NULL, sizeof *world, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TEST_ASSERT_TRUE(world != MAP_FAILED);
}

void tearDown(void)
{
    munmap(world, sizeof *world);
    folder_remove();
}

static void violated(const char *what, const char *more)
{
    if (violations.count++ == 0)
        snprintf(violations.first, sizeof violations.first, "%s: %s: %.200s", violations.where,
                 what, more);
}

/* ---- what is stored ---- */

typedef struct listing {
    char ids[LISTED][KEY];
    int count, running;
} listing;

static int32_t read_head(void *user, const wfsm_row *row)
{
    listing *self = user;

    TEST_ASSERT_LESS_THAN_INT(LISTED, self->count);
    snprintf(self->ids[self->count++], KEY, "%s", row->head->instance);
    self->running += row->head->status != WFSM_DONE;
    return WFSM_OK;
}

/* Records, each on a line: "instance revision record". */
static struct {
    char text[TEXT];
    size_t length;
    listing list;
} journal;

static int32_t read_record(void *user, const wfsm_row *row)
{
    int added = snprintf(journal.text + journal.length, TEXT - journal.length,
                         "\n%s %" PRIu64 " %s", (const char *)user, row->revision, row->text);

    journal.length += (size_t)added;
    TEST_ASSERT_LESS_THAN_size_t(TEXT, journal.length);
    return WFSM_OK;
}

static int32_t read_post(void *user, const wfsm_row *row)
{
    (void)user;
    journal.length += (size_t)snprintf(journal.text + journal.length, TEXT - journal.length,
                                       "\n- 0 \"event\":\"add\",\"id\":\"%s\"", row->id);
    TEST_ASSERT_LESS_THAN_size_t(TEXT, journal.length);
    return WFSM_OK;
}

static void read_store(void)
{
    wfsm_query query = {.size = sizeof query};
    wfsm_audit_counts counts = {.size = sizeof counts};
    wfsm_store *store = folder_open("s.db");

    journal.length = 0;
    journal.text[0] = '\0';
    memset(&journal.list, 0, sizeof journal.list);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_list(store, &query, read_head, &journal.list, NULL));
    for (int i = 0; i < journal.list.count; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                                wfsm_store_records(store, journal.list.ids[i], 1, UINT64_MAX,
                                                   read_record, journal.list.ids[i], NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_inbox(store, NULL, 0, read_post, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_audit(store, NULL, NULL, NULL, &counts, NULL));
    if (counts.diagnostics > 0)
        violated("the audit has diagnostics", "");
    wfsm_store_free(store);
}

static int count_text(const char *text)
{
    int count = 0;

    for (const char *at = journal.text; (at = strstr(at, text)); at++)
        count++;
    return count;
}

/* The record of a revision, or NULL. */
static const char *record_of(const char *instance, uint64_t revision)
{
    char begins[KEY + 30];
    const char *at;

    snprintf(begins, sizeof begins, "\n%s %" PRIu64 " {", instance, revision);
    at = strstr(journal.text, begins);
    return at ? at + strlen(begins) - 1 : NULL;
}

/* Splits "INSTANCE/REVISION/ORDINAL-INCARNATION". */
static void split(const char *id, char instance[KEY], uint64_t *revision, char key[KEY])
{
    uint64_t incarnation = 0;
    uint32_t ordinal = 0;
    const char *at = strrchr(id, '/');

    for (at--; *at != '/'; at--)
        continue;
    snprintf(instance, KEY, "%.*s", (int)(at - id), id);
    TEST_ASSERT_EQUAL_INT(
        3, sscanf(at, "/%" SCNu64 "/%" SCNu32 "-%" SCNu64, revision, &ordinal, &incarnation));
    snprintf(key, KEY,
             "\"revision\":%" PRIu64 ",\"ordinal\":%" PRIu32 ",\"incarnation\":%" PRIu64 ",",
             *revision, ordinal, incarnation);
}

/* Some record says that this attempt is running. */
static bool is_claimed(const started *self)
{
    char instance[KEY], key[KEY], running[60];
    uint64_t revision;

    split(self->id, instance, &revision, key);
    snprintf(running, sizeof running, "\"status\":\"running\",\"attempt\":%d,",
             (int)self->attempt);
    for (const char *at = journal.text; (at = strstr(at, key)); at++) {
        const char *status = strstr(at, "\"status\":");

        if (status && strncmp(status, running, strlen(running)) == 0)
            return true;
    }
    return false;
}

static bool is_emitted(const char *id)
{
    char instance[KEY], key[KEY], emit[KEY + 10];
    uint64_t revision;

    split(id, instance, &revision, key);
    snprintf(emit, sizeof emit, "%s\"emit\"", key);
    return strstr(journal.text, emit) != NULL;
}

static bool is_recorded(const observed *self)
{
    const char *record = record_of(self->instance, self->revision);
    static char line[100000];

    if (!record)
        return false;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(record, "\n"), record);
    return digest_of(line) == self->digest;
}

/* ---- right after a death, and in the end ---- */

static void check_intents(void)
{
    for (int i = 0; i < world->start_count; i++)
        if (!is_claimed(&world->starts[i]))
            violated("started without a claim", world->starts[i].id);
    for (int i = 0; i < world->effect_count; i++)
        if (!is_emitted(world->effects[i]))
            violated("delivered without its commit", world->effects[i]);
    for (int i = 0; i < world->record_count; i++)
        if (!is_recorded(&world->records[i]))
            violated("observed without its commit", world->records[i].instance);
}

static void check_events(bool all)
{
    for (int i = 0; i < work->inputs; i++) {
        char text[60];
        int count;

        snprintf(text, sizeof text, "\"event\":\"add\",\"id\":\"n%d\"", i);
        count = count_text(text);
        if (count > 1)
            violated("taken twice", text);
        if (count == 0 && (all || world->acknowledged[i]))
            violated("acknowledged, but lost", text);
    }
}

static bool was_delivered(const char *id)
{
    for (int i = 0; i < world->effect_count; i++)
        if (strcmp(world->effects[i], id) == 0)
            return true;
    return false;
}

static int number_of(const char *id)
{
    int at = 0;

    while (strcmp(world->effects[at], id) != 0)
        at++;
    return at;
}

/* In the order of the journal, that is the order of the first deliveries. */
static void check_effects(const char *instance)
{
    char begins[KEY + 2];
    int last = -1;

    snprintf(begins, sizeof begins, "\n%s ", instance);
    for (const char *line = journal.text; (line = strstr(line, begins)); line++) {
        const char *end = line + 1 + strcspn(line + 1, "\n");

        for (const char *at = strstr(line, "\"emit\":"); at && at < end;
             at = strstr(at + 1, "\"emit\":")) {
            uint64_t revision, incarnation;
            uint32_t ordinal;
            const char *from = at;
            char id[KEY + 60];

            while (strncmp(from, "\"revision\":", 11) != 0)
                from--;
            sscanf(from,
                   "\"revision\":%" SCNu64 ",\"ordinal\":%" SCNu32 ",\"incarnation\":%" SCNu64,
                   &revision, &ordinal, &incarnation);
            snprintf(id, sizeof id, "%s/%" PRIu64 "/%" PRIu32 "-%" PRIu64, instance, revision,
                     ordinal, incarnation);
            if (!was_delivered(id))
                violated("never delivered", id);
            else if (number_of(id) < last)
                violated("delivered out of order", id);
            else
                last = number_of(id);
        }
    }
}

static void check_end(void)
{
    if (!world->ended)
        violated("came to no end", "");
    if (journal.list.running > 0)
        violated("not all have ended", "");
    if (count_text("\n- 0 ") > 0)
        violated("the inbox is not empty", "");
    for (int i = 0; i < world->start_count; i++)
        if (!world->starts[i].over)
            violated("still at work", world->starts[i].id);
    for (int i = 0; i < journal.list.count; i++)
        check_effects(journal.list.ids[i]);
    if (count_text("\"kind\":\"event\",\"event\":\"finish\"") != work->instances)
        violated("not all were finished", "");
}

/* ---- the processes ---- */

static void process_failed(void)
{
    violations.processes++;
    violated("a process has failed", world->wrong);
}

/* True if it died. */
static bool run_process(int point, int at)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0)
        round_host(world, work, folder_file("s.db"), point, at);
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        process_failed();
    return false;
}

/* One death, and another one in the process that follows. False if it never came to the point. */
static bool try_point(int point, int at)
{
    bool died;

    folder_wipe();
    memset(world, 0, sizeof *world);
    snprintf(violations.where, sizeof violations.where, "%s, %s %d", work->name,
             point_name(point), at);
    died = run_process(point, at);
    for (int next = at % 3 + 1; died; next += 5) {
        deaths++;
        read_store();
        check_intents();
        check_events(false);
        if (violations.count > 0)
            return true;
        died = run_process(next < 6 ? point : POINT_NONE, next);
    }
    read_store();
    check_intents();
    check_events(true);
    check_end();
    if (world->wrong[0])
        violated("the process", world->wrong);
    return deaths > 0;
}

/* From one time that the process comes to the point to the next one that is tried. */
static int step_of(int point)
{
    switch (point) {
    case POINT_STATEMENT:
    case POINT_WRITE:
    case POINT_WRITTEN:
        return distance;
    case POINT_CALLED:
    case POINT_ACTED:
        return 1 + distance / 10;
    default:
        return 1 + distance / 50;
    }
}

static void try_all(const workload *with, int point)
{
    long before;
    int at = 1;

    work = with;
    do {
        before = deaths;
        try_point(point, at);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, violations.count, violations.first);
        at += step_of(point);
    } while (deaths > before);
    TEST_ASSERT_GREATER_THAN_INT_MESSAGE(1 + step_of(point), at, point_name(point));
}

static void at_every_point_of_a_round(void)
{
    char message[60];

    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        for (int point = 1; point < POINTS; point++)
            try_all(&workloads[i], point);
    snprintf(message, sizeof message, "%ld deaths", deaths);
    TEST_MESSAGE(message);
}

static void a_store_that_answers_before_it_writes_is_found_out(void)
{
    static const int points[] = {POINT_ACTED, POINT_FINISHED, POINT_JOINED};
    int found = 0;

    work = &on_early_store;
    for (int at = 1; at <= 10; at++)
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            memset(&violations, 0, sizeof violations);
            try_point(points[i], at);
            found += violations.count > violations.processes;
        }
    TEST_MESSAGE(violations.first);
    TEST_ASSERT_GREATER_THAN_INT(9, found);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        distance = atoi(argv[1]);
    UNITY_BEGIN();
    RUN_TEST(at_every_point_of_a_round);
    RUN_TEST(a_store_that_answers_before_it_writes_is_found_out);
    return UNITY_END() != 0;
}
