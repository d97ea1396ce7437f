/*
 * Ids as idempotency keys: whatever happens to the store, no
 * id of an invocation or effect ever stands for two pieces of work, and the same work keeps its id
 * over attempts and takeovers. Each way in which a store goes back has a test, and then all of them
 * together at random.
 *
 * The engine works on a store that can be exchanged under it for an older one.
 *
 * usage: test_sqlite_incarnations [FIRST RUNS]    random runs from this seed on
 */
#include "instance/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "engine/engine.h"
#include "laws/chance.h"
#include "sqlite/folder.h"

enum { ID = 330, MOST_WORK = 400, BACKUPS = 4, NAMES = 3, STEPS = 25, LAPSE = 10000 };
static const char *const names[NAMES] = {"a", "b", "c"};

/* Pays `v` at the start and after each `pay`, and tells it; `nest` has a child pay, and `deep` one that
 * is 16 levels below. */
static const char account[] =
    "{\"id\":\"account\",\"initial\":\"pay\",\"context\":{\"v\":0},\"states\":{"
    "\"idle\":{\"on\":{\"pay\":{\"target\":\"pay\",\"actions\":{\"type\":\"assign\",\"params\":{"
    "\"v\":{\"var\":\"event.data\"}}}},\"nest\":\"nest\",\"deep\":\"deep\"}},"
    "\"pay\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"paying\",\"data\":{\"var\":"
    "\"context.v\"}}},\"invoke\":{\"src\":\"bank\",\"input\":{\"v\":{\"var\":\"context.v\"}},"
    "\"onUnknown\":\"retry\",\"retry\":[{\"errors\":[\"network\"],\"maxAttempts\":50}],"
    "\"onDone\":\"idle\",\"onError\":\"idle\"}},"
    "\"nest\":{\"invoke\":{\"src\":\"machine:level\",\"input\":{\"left\":1},\"onDone\":\"idle\","
    "\"onError\":\"idle\"}},"
    "\"deep\":{\"invoke\":{\"src\":\"machine:level\",\"input\":{\"left\":15},\"onDone\":\"idle\","
    "\"onError\":\"idle\"}}}}";
static const char level[] =
    "{\"id\":\"level\",\"initial\":\"at\",\"context\":{\"left\":0},\"states\":{"
    "\"at\":{\"always\":[{\"guard\":{\">\":[{\"var\":\"context.left\"},0]},\"target\":\"down\"},"
    "{\"target\":\"leaf\"}]},"
    "\"down\":{\"invoke\":{\"src\":\"machine:level\",\"input\":{\"left\":{\"-\":[{\"var\":"
    "\"context.left\"},1]}},\"onDone\":\"end\",\"onError\":\"end\"}},"
    "\"leaf\":{\"invoke\":{\"src\":\"bank\",\"input\":{\"v\":9},\"onUnknown\":\"retry\","
    "\"onDone\":\"end\",\"onError\":\"end\"}},"
    "\"end\":{\"type\":\"final\"}}}";

/* ---- the world ---- */

/* Which start of each name is in the store; 0: it has none. It goes back with the store. */
typedef struct lives {
    int of[NAMES];
} lives;

static struct {
    char id[ID], what[300];
} seen[MOST_WORK];
static size_t seen_count;
static char open_work[MOST_WORK][ID]; /* ids that an agent was asked for and has not answered */
static size_t open_count;

static flaky switchable;
static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_machine *machines[2];
static wfsm_error *error;
static int64_t now;
static int files, started, sessions;
static lives present, kept[BACKUPS];
static char backups[BACKUPS][20], file[20], session[20];
static char trace[2000];

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static void note(const char *what, const char *id)
{
    size_t used = strlen(trace);
    snprintf(trace + used, sizeof trace - used, " %s %s;", what, id);
}

static int life_of(const char *instance)
{
    for (int i = 0; i < NAMES; i++)
        if (instance[0] == names[i][0])
            return present.of[i];
    return 0;
}

/* The first law: an id is always for the same. */
static void witness(wfsm_call *call, const char *kind)
{
    char what[300], message[2600];
    snprintf(what, sizeof what, "life %d: %s %s %s", life_of(wfsm_call_instance(call)), kind,
             wfsm_call_name(call), wfsm_call_input(call, NULL));
    for (size_t i = 0; i < seen_count; i++) {
        if (strcmp(seen[i].id, wfsm_call_id(call)) != 0)
            continue;
        snprintf(message, sizeof message, "%s after%s", seen[i].id, trace);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(seen[i].what, what, message);
        return;
    }
    TEST_ASSERT_LESS_THAN_size_t(MOST_WORK, seen_count);
    snprintf(seen[seen_count].id, ID, "%s", wfsm_call_id(call));
    strcpy(seen[seen_count++].what, what);
}

static int32_t on_start(void *user, wfsm_call *call)
{
    (void)user;
    witness(call, "work of");
    if (open_count < MOST_WORK)
        snprintf(open_work[open_count++], ID, "%s", wfsm_call_id(call));
    return WFSM_OK;
}

static int32_t on_probe(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_gone(call);
}

static int32_t on_effect(void *user, wfsm_call *call)
{
    (void)user;
    witness(call, "effect");
    return WFSM_OK;
}

/* ---- stores and engines ---- */

static void open_store(const char *name)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = WFSM_SQLITE_NORMAL};
    snprintf(file, sizeof file, "%s", name);
    OK(wfsm_sqlite_open(&switchable.inner, folder_file(name), &options, NULL, error));
}

static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 16];
    FILE *in = fopen(folder_file(from), "rb"), *out;
    size_t count;
    if (!in)
        return;
    out = fopen(folder_file(to), "wb");
    TEST_ASSERT_NOT_NULL(out);
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        TEST_ASSERT_EQUAL_size_t(count, fwrite(bytes, 1, count, out));
    fclose(in);
    fclose(out);
}

/* With the log beside it, which nobody writes meanwhile. */
static void copy_store(const char *from, const char *to)
{
    char log[2][30];
    snprintf(log[0], sizeof log[0], "%s-wal", from);
    snprintf(log[1], sizeof log[1], "%s-wal", to);
    copy_file(from, to);
    copy_file(log[0], log[1]);
}

static void begin_engine(const char *name)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = name, .lapse_ms = LAPSE, .now = now, .slots = 50};
    const wfsm_agent bank = {.size = sizeof bank, .start = on_start, .probe = on_probe};
    if (name != session)
        snprintf(session, sizeof session, "%s", name);
    OK(wfsm_engine_new(&engine, store, &options, error));
    for (int i = 0; i < 2; i++)
        OK(wfsm_engine_add_machine(engine, machines[i], error));
    OK(wfsm_engine_add_agent_full(engine, "bank", &bank, error));
    OK(wfsm_engine_on_effect(engine, on_effect, NULL, error));
    OK(wfsm_engine_adopt_all(engine, now, NULL, error));
}

static void run(void)
{
    for (int i = 0; i < 100; i++)
        (void)wfsm_engine_run(engine, now, NULL);
}

/* The engine's process is killed. */
static void die(void)
{
    if (engine)
        wf_engine_abandon(engine);
    engine = NULL;
    open_count = 0;
}

/* Another begins at once, and knows that the first is dead. */
static void restart(const char *name)
{
    die();
    OK(wfsm_store_remove_owner(store, session, error));
    begin_engine(name);
}

static void begin_world(void)
{
    seen_count = open_count = 0;
    files = started = sessions = 0;
    now = 1000;
    trace[0] = '\0';
    present = (lives){{0}};
    memset(backups, 0, sizeof backups);
    error = wfsm_error_new(NULL);
    for (int i = 0; i < 2; i++) {
        const char *text = i == 0 ? account : level;
        OK(wfsm_machine_load(&machines[i], text, strlen(text), NULL, NULL, error));
    }
    open_store("0.db");
    OK(flaky_open(&store, &switchable, NULL, error));
    begin_engine("s0");
}

static void end_world(void)
{
    if (!store)
        return;
    die();
    wfsm_store_free(store);
    wfsm_store_free(switchable.inner);
    wfsm_machine_unref(machines[0]);
    wfsm_machine_unref(machines[1]);
    wfsm_error_free(error);
    store = NULL;
    folder_wipe();
}

void setUp(void)
{
    begin_world();
}

void tearDown(void)
{
    end_world();
}

/* ---- what happens ---- */

static void start(int i, int v)
{
    char input[20];
    now++;
    present.of[i] = ++started;
    snprintf(input, sizeof input, "{\"v\":%d}", v);
    note("start", names[i]);
    if (wfsm_engine_start(engine, "account", names[i], input, strlen(input), now, NULL) !=
        WFSM_OK)
        present.of[i] = 0; /* it has lost its session */
    run();
}

static void send(int i, const char *event, int v)
{
    char data[20];
    int32_t outcome;
    now++;
    note(event, names[i]);
    snprintf(data, sizeof data, "%d", v);
    (void)wfsm_engine_send(engine, names[i], event, NULL, data, strlen(data), now, &outcome,
                           NULL);
    run();
}

static void answer(size_t which, bool fails)
{
    now++;
    note(fails ? "fail" : "done", open_work[which]);
    if (fails)
        (void)wfsm_engine_failure(engine, open_work[which], "network", "", now, NULL, NULL);
    else
        (void)wfsm_engine_result(engine, open_work[which], "1", 1, now, NULL, NULL);
    memmove(open_work[which], open_work[--open_count], ID);
    now += 5000; /* until the retry */
    run();
}

static void answer_all(void)
{
    while (open_count > 0)
        answer(0, false);
}

static void remove_one(int i)
{
    now++;
    note("remove", names[i]);
    OK(wfsm_store_remove(store, names[i], error));
    present.of[i] = 0;
    now += LAPSE / 2; /* the engine notices it with its next sign of life */
    run();
}

static void fork_one(int from, int to)
{
    int before = present.of[to];
    now++;
    note("fork to", names[to]);
    present.of[to] = ++started;
    if (wfsm_engine_fork(engine, names[from], NULL, names[to], now, NULL) != WFSM_OK)
        present.of[to] = before;
    run();
}

static void back_up(int slot)
{
    note("back up", file);
    snprintf(backups[slot], sizeof backups[slot], "%d.db", ++files);
    copy_store(file, backups[slot]);
    kept[slot] = present;
}

/* The store is as it was at the backup. The engine, if it lives, has not been told. */
static void set_back(int slot)
{
    char name[20];
    note("set back to", backups[slot]);
    snprintf(name, sizeof name, "%d.db", ++files);
    copy_store(backups[slot], name);
    wfsm_store_free(switchable.inner);
    open_store(name);
    present = kept[slot];
    now++;
}

static void restore(int slot)
{
    die();
    set_back(slot);
    OK(wfsm_store_remove_owner(store, session, error));
    begin_engine(session);
    run();
}

/* ---- the second law ---- */

/* The ids of all outstanding invocations. */
static void collect(char *out, size_t size)
{
    out[0] = '\0';
    for (int i = 0; i < NAMES; i++) {
        const char *list =
            wfsm_instance_invocations(wfsm_engine_instance(engine, names[i]), NULL);
        while (list && (list = strstr(list, "\"id\":\""))) {
            size_t used = strlen(out);
            list += 6;
            snprintf(out + used, size - used, "%.*s ", (int)strcspn(list, "\""), list);
        }
    }
}

static void keep_ids(void (*change)(void), const char *what)
{
    char before[4000 + sizeof trace], after[4000];
    note(what, "");
    collect(before, 4000);
    change();
    run();
    collect(after, sizeof after);
    for (char *id = strtok(before, " "); id; id = strtok(NULL, " "))
        if (!strstr(after, id))
            TEST_FAIL_MESSAGE(strcat(id, trace));
}

static void restart_as_before(void)
{
    now++;
    restart(session);
}

static void restart_as_another(void)
{
    char name[20];
    now++;
    snprintf(name, sizeof name, "s%d", ++sessions);
    restart(name);
}

static void take_over(void)
{
    char name[20];
    die();
    now += 2 * LAPSE;
    snprintf(name, sizeof name, "s%d", ++sessions);
    begin_engine(name);
}

/* ---- one after the other ---- */

static const char *last_id(void)
{
    TEST_ASSERT_GREATER_THAN_size_t(0, open_count);
    return open_work[open_count - 1];
}

static void expect_another(const char *before)
{
    TEST_ASSERT_NOT_EQUAL_INT(0, strcmp(before, last_id()));
}

static void a_restored_backup(void)
{
    char first[ID];
    int64_t then;
    start(0, 1);
    answer_all();
    back_up(0);
    then = now;
    send(0, "pay", 100);
    strcpy(first, last_id());
    restore(0);
    now = then; /* so that the clock does not tell them apart */
    send(0, "pay", 200);
    expect_another(first);
}

static void the_same_work_after_a_restored_backup(void)
{
    char first[ID];
    int64_t then;
    start(0, 1);
    answer_all();
    back_up(0);
    then = now;
    send(0, "pay", 100);
    strcpy(first, last_id());
    restore(0);
    now = then;
    send(0, "pay", 100);
    TEST_ASSERT_EQUAL_STRING(first, last_id());
}

static void removed_and_started_again_in_one_session(void)
{
    char first[ID];
    start(0, 1);
    strcpy(first, last_id());
    remove_one(0);
    now = 1000; /* at the same millisecond */
    start(0, 1);
    expect_another(first);
}

static void removed_and_started_again_in_two_sessions(void)
{
    char first[ID];
    start(0, 1);
    strcpy(first, last_id());
    remove_one(0);
    restart_as_another();
    now = 1000;
    start(0, 1);
    expect_another(first);
    remove_one(0);
    restart_as_before(); /* the name of the session comes again, too: the time is another */
    strcpy(first, seen[seen_count - 1].id);
    start(0, 1);
    expect_another(first);
}

static void a_fork(void)
{
    char first[ID];
    int64_t then;
    start(0, 1);
    fork_one(0, 1);
    TEST_ASSERT_EQUAL_CHAR('b', last_id()[0]);
    strcpy(first, last_id());
    then = now;
    remove_one(1);
    now = then - 1;
    fork_one(0, 1);
    expect_another(first);
}

/* What was committed last is gone, and other events come. */
static void a_power_cut(void)
{
    char first[ID];
    start(0, 1);
    answer_all();
    back_up(0); /* what the disk has */
    send(0, "pay", 1);
    strcpy(first, last_id());
    restore(0);
    restart_as_another();
    send(0, "pay", 2);
    expect_another(first);
}

static void set_back_under_a_living_session(void)
{
    char first[ID];
    start(0, 1);
    answer_all();
    back_up(0);
    send(0, "pay", 1);
    strcpy(first, last_id());
    set_back(0);
    open_count = 0;
    send(0, "pay", 2);
    run();
    if (open_count == 0) { /* it has lost the instance */
        restart_as_another();
        send(0, "pay", 2);
    }
    expect_another(first);
}

/* At the same revision there is another history: nothing is added to it. */
static void set_back_to_another_life(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    start(0, 1);
    back_up(0);
    remove_one(0);
    start(0, 2);
    set_back(0);
    answer_all();
    restart_as_another();
    OK(wfsm_store_audit(store, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_size_t(0, counts.diagnostics);
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(engine, "a"));
}

static void a_takeover_keeps_the_id(void)
{
    start(0, 1);
    keep_ids(take_over, "take over");
    TEST_ASSERT_EQUAL_size_t(2, seen_count); /* the effect, and the work in two attempts */
    answer(0, true);
    TEST_ASSERT_EQUAL_size_t(2, seen_count);
    TEST_ASSERT_EQUAL_size_t(1, open_count);
}

static void children_sixteen_deep(void)
{
    char first[ID];
    start(0, 1);
    answer_all();
    send(0, "deep", 0);
    strcpy(first, last_id());
    TEST_ASSERT_EQUAL_STRING_LEN("a/", first, 2);
    TEST_ASSERT_LESS_THAN_size_t(50, strlen(first)); /* as long as one level below */
    keep_ids(take_over, "take over");
    TEST_ASSERT_EQUAL_STRING(first, last_id());
    answer_all();
    send(0, "deep", 0);
    expect_another(first);
}

/* ---- all together ---- */

static void random_input(chance *dice, int i)
{
    static const char *const events[] = {"pay", "pay", "pay", "nest"};
    if (present.of[i] == 0)
        start(i, (int)draw(dice, 2));
    else if (open_count > 0 && draw_percent(dice, 60))
        answer(draw(dice, (uint32_t)open_count), draw_percent(dice, 30));
    else
        send(i, draw_percent(dice, 5) ? "deep" : DRAW_FROM(dice, events), (int)draw(dice, 3));
}

static void random_step(chance *dice)
{
    int i = (int)draw(dice, NAMES), slot = (int)draw(dice, BACKUPS);
    switch (draw(dice, 16)) {
    case 0:
        remove_one(i);
        break;
    case 1:
        if (present.of[i] != 0)
            fork_one(i, (i + 1) % NAMES);
        break;
    case 2:
        keep_ids(draw_percent(dice, 50) ? restart_as_before : restart_as_another, "restart");
        break;
    case 3:
        keep_ids(take_over, "take over");
        break;
    case 4:
    case 5:
        back_up(slot);
        break;
    case 6:
        if (backups[slot][0] != '\0')
            restore(slot);
        break;
    case 7:
        if (backups[slot][0] != '\0') {
            set_back(slot);
            run();
            random_input(dice, i);
            restart_as_another();
            run();
        }
        break;
    default:
        random_input(dice, i);
    }
}

static uint64_t first_seed = 1, runs = 150;

static void all_of_them_together(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + runs; seed++) {
        chance dice = {seed};
        char begins[40];
        end_world();
        begin_world();
        snprintf(begins, sizeof begins, "seed %llu", (unsigned long long)seed);
        note(begins, "");
        for (int i = 0; i < STEPS; i++)
            random_step(&dice);
    }
}

int main(int count, char **arguments)
{
    if (count > 2) {
        first_seed = strtoull(arguments[1], NULL, 10);
        runs = strtoull(arguments[2], NULL, 10);
    }
    UNITY_BEGIN();
    RUN_TEST(a_restored_backup);
    RUN_TEST(the_same_work_after_a_restored_backup);
    RUN_TEST(removed_and_started_again_in_one_session);
    RUN_TEST(removed_and_started_again_in_two_sessions);
    RUN_TEST(a_fork);
    RUN_TEST(a_power_cut);
    RUN_TEST(set_back_under_a_living_session);
    RUN_TEST(set_back_to_another_life);
    RUN_TEST(a_takeover_keeps_the_id);
    RUN_TEST(children_sixteen_deep);
    RUN_TEST(all_of_them_together);
    folder_remove();
    return UNITY_END() != 0;
}
