/* bench/postgres_engine.c: see postgres_engine.h. */
#include "postgres_engine.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"

#define ASSIGN(from) "{\"type\":\"assign\",\"params\":{\"text\":{\"var\":\"" from "\"}}}"
#define WORK(name, next)                                                                       \
    "\"" name "\":{\"invoke\":{\"src\":\"worker\",\"onDone\":{\"target\":\"" next              \
    "\",\"actions\":" ASSIGN("event.data.text") "}}}"

static const char loop[] = "{\"id\":\"loop\",\"initial\":\"build\",\"context\":{\"text\":null},"
                           "\"states\":{" WORK("build", "test") "," WORK("test", "build") "}}";

static const char inbox[] =
    "{\"id\":\"loop\",\"initial\":\"wait\",\"context\":{\"text\":null},\"states\":{"
    "\"wait\":{\"on\":{\"go\":{\"target\":\"wait\",\"actions\":" ASSIGN(
        "event.data.text") "}}}}}";

static const char output[] =
    "{\"text\":\"The change compiles, and all of its 214 tests pass. Two of them are new: they show that "
    "a lost answer is found again, and that it is not made twice. The reviewer asked for shorter names.\"}";

static wfsm_error *error;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int32_t answer(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_done(call, output, sizeof output - 1);
}

static int32_t count_commit(void *user, wfsm_call *call)
{
    (void)call;
    ((pg_engine *)user)->commits++;
    return WFSM_OK;
}

static wfsm_store *open_store(const char *address, const char *tenant)
{
    const wfsm_postgres_options options = {
        .size = sizeof options, .tenant = tenant, .allow_unsafe = 1};
    wfsm_store *store = NULL;

    check(wfsm_postgres_open(&store, address, &options, NULL, error));
    return store;
}

static void start_all(pg_engine *self)
{
    char id[32];

    for (int i = 0; i < self->instances; i++) {
        snprintf(id, sizeof id, "%s-%d", self->name, i);
        check(wfsm_engine_start(self->engine, "loop", id, NULL, 0, now(), error));
    }
}

void pg_engine_open(pg_engine *self, const char *address, const char *tenant, const char *name,
                    int instances, bool posts)
{
    const char *document = posts ? inbox : loop;
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = name,
                                         .slots = (uint32_t)instances,
                                         .lapse_ms = 1000000000,
                                         .look_ms = posts ? 1 : 1000,
                                         .now = now()};
    wfsm_machine *machine = NULL;

    if (!error)
        error = wfsm_error_new(NULL);
    *self =
        (pg_engine){.name = name, .instances = instances, .store = open_store(address, tenant)};
    if (posts)
        self->sender = open_store(address, tenant);
    check(wfsm_engine_new(&self->engine, self->store, &options, error));
    check(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    check(wfsm_engine_add_machine(self->engine, machine, error));
    wfsm_machine_unref(machine);
    check(wfsm_engine_add_agent(self->engine, "worker", answer, NULL, error));
    check(wfsm_engine_observe(self->engine, count_commit, self, error));
    start_all(self);
}

void pg_engine_close(pg_engine *self)
{
    check(wfsm_engine_free(self->engine));
    wfsm_store_free(self->store);
    wfsm_store_free(self->sender);
}

enum { MOST_POSTS = 1000 };

void pg_engine_post(pg_engine *self)
{
    static char names[MOST_POSTS][2][32];
    static wfsm_post posts[MOST_POSTS];
    static const wfsm_post *list[MOST_POSTS];
    static int32_t answers[MOST_POSTS];
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .posts = list,
                              .post_count = (size_t)self->instances,
                              .post_answers = answers};

    for (int i = 0; i < self->instances && i < MOST_POSTS; i++) {
        snprintf(names[i][0], sizeof names[i][0], "%s-%d", self->name, i);
        snprintf(names[i][1], sizeof names[i][1], "post-%lld", (long long)self->posted);
        posts[i] = (wfsm_post){.size = sizeof posts[i],
                               .instance = names[i][0],
                               .id = names[i][1],
                               .name = "go",
                               .data = output,
                               .length = sizeof output - 1,
                               .interface = WFSM_INTERFACE_POST,
                               .now = now()};
        list[i] = &posts[i];
    }
    self->posted++;
    check(wfsm_store_exchange(self->sender, &exchange, error));
    for (int i = 0; i < self->instances; i++)
        check(answers[i]);
}

void pg_engine_round(pg_engine *self)
{
    check(wfsm_engine_run(self->engine, now(), error));
}
