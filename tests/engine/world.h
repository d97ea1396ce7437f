/* Shared by the tests of the engine: a store, engines on it, and agents with a script. */
#ifndef TESTS_ENGINE_WORLD_H
#define TESTS_ENGINE_WORLD_H

#include <unity.h>
#include <wfsm/wfsm.h>

#include "engine/engine.h"
#include "ids/ids.h"

/*
 * An agent that answers from its script and remembers how it was called. A line of the
 * script is JSON for done, "!CLASS" for failed, "gone", "unsure", "status" for a callback
 * that fails, or NULL for no answer.
 */
typedef struct actor {
    const char *on_start, *on_poll, *on_probe;
    int starts, polls, cancels, probes;
    int working, most; /* at once */
    char id[WF_INVOCATION_ID_BYTES]; /* of the last call */
    char input[200], schema[200], state[100];
    int32_t attempt;
    int64_t claimed, timeout;
    char order[2000]; /* instances, in the order of their starts, "a b c " */
} actor;

extern wfsm_store *store;
/* The ids of work that a text names without its incarnation. */
#define IDS(text) ids_in(store, text)
extern wfsm_error *error;

void world_open(void);
void world_close(void);

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))
#define STATUS(expected, call)                                                                 \
    TEST_ASSERT_EQUAL_STRING(wfsm_status_name(expected), wfsm_status_name(call))

/* An engine of this owner, 10 s of lapse, that looks only when something is due. slots 0: the default. */
wfsm_engine *engine_of(const char *owner, uint32_t slots);
void add_machine(wfsm_engine *engine, const char *text);
/* All four callbacks; those without a line in the script are there all the same. */
void add_actor(wfsm_engine *engine, const char *name, actor *who);
/* Without poll, cancel and probe. */
void add_plain(wfsm_engine *engine, const char *name, actor *who);
void start(wfsm_engine *engine, const char *machine, const char *id, int64_t now);
/* Starts PREFIX-0 to PREFIX-(count - 1) of the machine "m" at 0. */
void start_several(wfsm_engine *engine, const char *prefix, int count);
/* Frees them all and sets them to NULL. */
void close_engines(wfsm_engine **engines, int count);
/* One round. */
void once(wfsm_engine *engine, int64_t now);
/* Rounds until nothing is due. */
void run(wfsm_engine *engine, int64_t now);
/* "" when the engine does not have it. */
const char *where(wfsm_engine *engine, const char *id);
/* Records of the instance, and how many hold this text. */
size_t records(const char *id, const char *text);
size_t posts(void);
void post(const char *instance, const char *name, const char *id);

/* One state with an agent, then `done` or `failed`; `stop` leaves it. `extra` goes into the
 * invoke, beginning with a comma. */
#define WORK(machine, agent, extra)                                                            \
    "{\"wfsm\":1,\"id\":\"" machine "\",\"initial\":\"work\",\"states\":{"                     \
    "\"work\":{\"invoke\":{\"src\":\"" agent "\",\"onDone\":\"done\","                         \
    "\"onError\":\"failed\"" extra "},\"on\":{\"stop\":\"stopped\"}},"                         \
    "\"stopped\":{\"on\":{\"again\":\"work\"}},"                                               \
    "\"done\":{\"type\":\"final\"},\"failed\":{\"type\":\"final\"}}}"
#endif
