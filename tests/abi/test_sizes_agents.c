/* Structs of ready-made agents and of their progress. */
#include <wfsm/agents.h>
#include "sizes.h"

static int32_t take_process_options(const void *given)
{
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_add_process(agents, "a", given, NULL);
    wfsm_agents_free(agents);
    return status;
}

static int32_t take_http_options(const void *given)
{
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_add_http(agents, "a", given, NULL);
    wfsm_agents_free(agents);
    return status;
}

static int32_t take_commands_options(const void *given)
{
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_add_commands(agents, "a", given, NULL);
    wfsm_agents_free(agents);
    return status;
}

static int32_t take_agents_options(const void *given)
{
    wfsm_engine *engine = an_engine();
    wfsm_agents *agents = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, NULL));
    int32_t status = wfsm_agents_register(agents, engine, given, NULL);
    wfsm_engine_free(engine);
    wfsm_agents_free(agents);
    return status;
}

static void write_nothing(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)bytes;
    (void)length;
}

static int32_t take_progress_options(const void *given)
{
    wfsm_progress *progress = NULL;
    int32_t status = wfsm_progress_new(&progress, given, NULL);
    wfsm_progress_free(progress);
    return status;
}

static void count_bytes(void *user, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)user += length;
}

/* It shows nothing where it does not take the struct. */
static int32_t take_progress_change(const void *given)
{
    size_t shown = 0;
    wfsm_progress_options options = {
        .size = sizeof options, .descriptor = -1, .write = count_bytes, .user = &shown};
    wfsm_progress *progress = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_progress_new(&progress, &options, NULL));
    wfsm_progress_transition(progress, 0, given);
    wfsm_progress_free(progress);
    return shown > 0 ? WFSM_OK : WFSM_INVALID;
}

static void structs_that_are_handed_in(void)
{
    static const char *const command[] = {"true", NULL};
    TAKES(wfsm_process_options, take_process_options, UP_TO(wfsm_process_options, command),
          .command = command, .kind = "claude", .model = "m");
    TAKES(wfsm_http_options, take_http_options, UP_TO(wfsm_http_options, model),
          .api = "openai", .model = "m", .max_reply_bytes = 1);
    TAKES(wfsm_commands_options, take_commands_options, NO_MORE, .all = 1);
    TAKES(wfsm_agents_options, take_agents_options, NO_MORE, .folder = "f");
    TAKES(wfsm_progress_options, take_progress_options, NO_MORE, .write = write_nothing);
    TAKES(wfsm_progress_change, take_progress_change, UP_TO(wfsm_progress_change, to),
          .to = "there", .tone = WFSM_TONE_GOOD);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    return UNITY_END() != 0;
}
