/* The SQLite store passes the suite for stores. */
#include "sqlite/folder.h"
#include "store/conformance.h"

#include <wfsm/sqlite.h>
#include <unity.h>

/* The suite needs no Unity; what else this folder's tests share does. */
void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t open_file(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    (void)user;
    return wfsm_sqlite_open(store, folder_file(which ? "one.db" : "zero.db"), NULL, NULL,
                            error);
}

static void wipe(void *user)
{
    (void)user;
    folder_wipe();
}

int main(void)
{
    const wfsm_testkit_store_options file = {
        .size = sizeof file, .open = open_file, .wipe = wipe, .durable = 1};
    int code = conformance_run(&file, 96);
    folder_remove();
    return code;
}
