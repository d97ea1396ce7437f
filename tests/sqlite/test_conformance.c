#include "store/conformance.h"
#include "sqlite/folder.h"

#include <unity.h>

void setUp(void)
{
    conformance_set_up();
}

void tearDown(void)
{
    conformance_tear_down();
}

static wfsm_store *open_file(void *user, int which)
{
    (void)user;
    return folder_open(which ? "one.db" : "zero.db");
}

static void wipe(void *user)
{
    (void)user;
    folder_wipe();
}

int main(void)
{
    UNITY_BEGIN();
    conformance_run(
        &(conformance_store){.open = open_file, .wipe = wipe, .durable = true});
    folder_remove();
    return UNITY_END() != 0;
}
