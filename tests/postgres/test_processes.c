/* Several processes on one server commit to, take over, post to and start the same instances. Each commit that
 * was acknowledged is there, and no two have one revision. The argument is how many rounds each makes. */
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

enum { PROCESSES = 4, INSTANCES = 8, MOST = 6 };

static long rounds = 60;
static volatile long *acknowledged; /* commits, posts and failures of all */

void setUp(void)
{
    server_wipe();
    for (int i = 0; i < 3; i++)
        acknowledged[i] = 0;
}

void tearDown(void)
{
}

static uint64_t revision_of(wfsm_store *store, const char *instance)
{
    wfsm_head head = {.size = sizeof head};

    return wfsm_store_head(store, instance, &head, NULL) == WFSM_OK ? head.revision : 0;
}

/* Instances in any order, as two engines have them. */
static void choose(char names[MOST][8], unsigned *seed)
{
    int first = rand_r(seed) % INSTANCES, step = rand_r(seed) % 2 ? 1 : INSTANCES - 1;

    for (int i = 0; i < MOST; i++)
        snprintf(names[i], 8, "i%d", (first + i * step) % INSTANCES);
}

static void note(const int32_t *answers, size_t count, int what)
{
    for (size_t i = 0; i < count; i++) {
        if (answers[i] == WFSM_OK)
            (void)__atomic_add_fetch(&acknowledged[what], 1, __ATOMIC_SEQ_CST);
        else if (answers[i] != WFSM_CONFLICT && answers[i] != WFSM_EXISTS &&
                 answers[i] != WFSM_NOT_FOUND && answers[i] != WFSM_DENIED)
            (void)__atomic_add_fetch(&acknowledged[2], 1, __ATOMIC_SEQ_CST);
    }
}

static int32_t ignore(void *user, const wfsm_row *row)
{
    (void)user, (void)row;
    return WFSM_OK;
}

static void make_round(wfsm_store *store, const char *session, int64_t time, unsigned *seed)
{
    char names[MOST][8];
    wfsm_commit list[MOST];
    const wfsm_commit *commits[MOST];
    wfsm_post post = {.size = sizeof post, .name = "e", .data = "1", .length = 1};
    const wfsm_post *posts[] = {&post};
    int32_t answers[MOST], posted[1];
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = session,
                              .now = time,
                              .mine = time == 1 ? 0 : time + 999,
                              .until = time + 1000,
                              .commits = commits,
                              .commit_count = MOST,
                              .commit_answers = answers,
                              .posts = posts,
                              .post_count = 1,
                              .post_answers = posted,
                              .inbox = 1,
                              .sink = ignore};

    choose(names, seed);
    post.instance = names[rand_r(seed) % MOST];
    for (size_t i = 0; i < MOST; i++) {
        list[i] = commit_of(names[i], revision_of(store, names[i]));
        list[i].by_hand = 1;
        commits[i] = &list[i];
    }
    if (wfsm_store_exchange(store, &exchange, NULL) != WFSM_OK)
        (void)__atomic_add_fetch(&acknowledged[2], 1, __ATOMIC_SEQ_CST);
    note(answers, MOST, 0);
    note(posted, 1, 1);
}

static void run_process(int number)
{
    unsigned seed = (unsigned)number + 1;
    char session[16];
    wfsm_store *store;

    server_forget();
    store = server_open(server_address(), "test");
    snprintf(session, sizeof session, "s%d", number);
    for (long i = 1; i <= rounds; i++)
        make_round(store, session, i, &seed);
    wfsm_store_free(store);
    _exit(0);
}

static void nothing_is_lost_or_twice(void)
{
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            run_process(i);
    for (int i = 0; i < PROCESSES; i++)
        wait(NULL);
    printf("%ld commits, %ld posts\n", acknowledged[0], acknowledged[1]);
    TEST_ASSERT_EQUAL_INT64(0, acknowledged[2]);
    TEST_ASSERT_EQUAL_INT64(acknowledged[0],
                            server_number("SELECT sum(revision) FROM wfsm.head"));
    TEST_ASSERT_EQUAL_INT64(acknowledged[0], server_number("SELECT count(*) FROM wfsm.record"));
    TEST_ASSERT_EQUAL_INT64(acknowledged[1], server_number("SELECT count(*) FROM wfsm.post"));
}

int main(int count, char **arguments)
{
    if (!server_start())
        return 77;
    if (count > 1)
        rounds = strtol(arguments[1], NULL, 10);
    acknowledged = mmap(NULL, 4 * sizeof *acknowledged, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    wfsm_store_free(server_open(server_address(), "test"));
    UNITY_BEGIN();
    RUN_TEST(nothing_is_lost_or_twice);
    return UNITY_END() != 0;
}
