/* The memory store passes what every store must. */
#include "store/conformance.h"

#include <unity.h>

/* The suite needs no Unity; what else this folder's tests share does. */
void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t open_memory(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    (void)user;
    (void)which;
    return wfsm_memory_open(store, NULL, error);
}

int main(void)
{
    const wfsm_testkit_store_options memory = {.size = sizeof memory, .open = open_memory};
    return conformance_run(&memory, 90);
}
