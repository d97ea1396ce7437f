/*
 * A small workflow that uses every feature, two agents, and the work that exists outside the
 * engine and survives its crash.
 */
#ifndef TESTS_ENGINE_SCENARIO_H
#define TESTS_ENGINE_SCENARIO_H

#include "world.h"

/* Waits a second, asks agent a (whose first attempt fails), has a child ask agent b (who is
 * slow) beside one that idles, and ends; counts the events `add` all the while. Says hello and bye. */
#define SCENARIO                                                                               \
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"wait\",\"context\":{\"n\":0,\"got\":null}"         \
    ","                                                                                        \
    "\"on\":{\"add\":{\"actions\":{\"type\":\"assign\",\"params\":{\"n\":"                     \
    "{\"+\":[{\"var\":\"context.n\"},1]}}}}},"                                                 \
    "\"states\":{"                                                                             \
    "\"wait\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hello\"}},"                \
    "\"after\":{\"1000\":\"work\"}},"                                                          \
    "\"work\":{\"invoke\":{\"src\":\"a\",\"retry\":[{\"errors\":[\"network\"],"                \
    "\"maxAttempts\":3,\"intervalMs\":500}],\"onDone\":{\"target\":\"slow\","                  \
    "\"actions\":{\"type\":\"assign\",\"params\":{\"got\":"                                    \
    "{\"var\":\"event.data\"}}}}}},"                                                           \
    "\"slow\":{\"invoke\":[{\"id\":\"kid\",\"src\":\"machine:kid\",\"onDone\":\"end\"},"       \
    "{\"id\":\"idler\",\"src\":\"machine:idler\"}]},"                                          \
    "\"end\":{\"type\":\"final\","                                                             \
    "\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"bye\"}}}}}"

enum { STARTS = 200, EFFECTS = 100, KEY_BYTES = WF_INVOCATION_ID_BYTES + 20 };
/* Children of it: one has agent b at work, the other waits for nothing until it is stopped. */
#define KID                                                                                    \
    "{\"wfsm\":1,\"id\":\"kid\",\"initial\":\"ask\",\"states\":{\"ask\":{\"invoke\":{"         \
    "\"src\":\"b\",\"onUnknown\":\"reattach\",\"onDone\":\"told\"}},"                          \
    "\"told\":{\"type\":\"final\"}}}"
#define IDLER "{\"wfsm\":1,\"id\":\"idler\",\"initial\":\"a\",\"states\":{\"a\":{}}}"

typedef struct outside {
    char started[STARTS][KEY_BYTES]; /* "id#attempt" */
    bool over[STARTS];               /* answered, or told to stop */
    int starts;
    char effects[EFFECTS][KEY_BYTES]; /* distinct ones, "id event" */
    int effect_count;
} outside;

extern outside world;

void world_forget(void);
/* Attempts that were begun and are not over. */
int world_running(void);
/* Instances of the store that have not ended. */
size_t still_running(void);
/* Both agents, the machines of the children and the ear for effects; repeated as long as memory is short. Starting an
 * attempt twice fails the test. */
void add_scenario(wfsm_engine *engine);
/* Is it WFSM_OK? Fails the test for a status that no passing trouble explains. */
bool passed(int32_t status);
#endif
