#include "postgres/lossy.h"

#include <unity.h>
#include <wfsm/postgres.h>
#include "postgres/server.h"

wfsm_store *store, *plain;
wfsm_error *error;
relay *between;

/* The relay's connection that the store has. */
static void open_store(void)
{
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .tenant = "test",
                                           .clock = WFSM_POSTGRES_HOST_CLOCK,
                                           .answer_ms = 60000};

    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_postgres_open(&store, relay_address(), &options, NULL, error),
        wfsm_error_message(error));
}

void setUp(void)
{
    server_wipe();
    between->hold = between->mute = between->seen = between->pass = 0;
    error = wfsm_error_new(NULL);
    plain = server_open(server_address(), "test");
    open_store();
}

void tearDown(void)
{
    between->hold = between->mute = 0;
    wfsm_store_free(store);
    wfsm_store_free(plain);
    wfsm_error_free(error);
}

bool lossy_start(void)
{
    if (!server_start())
        return false;
    between = relay_start();
    wfsm_store_free(server_open(server_address(), "test"));
    return true;
}
