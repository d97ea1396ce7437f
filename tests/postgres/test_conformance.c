/* The PostgreSQL store passes the suite for stores; with "pool", through pgbouncer in transaction mode. */
#include "postgres/server.h"
#include "store/conformance.h"

#include <string.h>
#include <unity.h>

static const char *(*address)(void) = server_address;

void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t open_store(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .tenant = which ? "one" : "zero",
                                           .clock = WFSM_POSTGRES_HOST_CLOCK};

    (void)user;
    return wfsm_postgres_open(store, address(), &options, NULL, error);
}

static void wipe(void *user)
{
    (void)user;
    server_wipe();
}

int main(int count, char **arguments)
{
    const wfsm_testkit_store_options store = {
        .size = sizeof store, .open = open_store, .wipe = wipe, .durable = 1};

    if (!server_start())
        return 77;
    if (count > 1 && strcmp(arguments[1], "pool") == 0) {
        if (!pool_start())
            return 77;
        address = pool_address;
    }
    wfsm_store_free(server_open(address(), "zero"));
    return conformance_run(&store, 52);
}
