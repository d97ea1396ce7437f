#include "store/conformance.h"

#include <unity.h>

void setUp(void)
{
    conformance_set_up();
}

void tearDown(void)
{
    conformance_tear_down();
}

static wfsm_store *open_memory(void *user, int which)
{
    wfsm_store *opened = NULL;
    (void)user;
    (void)which;
    wfsm_memory_open(&opened, NULL, NULL);
    return opened;
}

static void forget(void *user)
{
    (void)user;
}

int main(void)
{
    UNITY_BEGIN();
    conformance_run(&(conformance_store){.open = open_memory, .wipe = forget});
    return UNITY_END() != 0;
}
