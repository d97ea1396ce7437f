#include "crash/often.h"

#include <sqlite3.h>
#include <stddef.h>

static int prepare(sqlite3 *connection, char **message, const void *api)
{
    (void)message;
    (void)api;
    int code = sqlite3_exec(connection, "PRAGMA cache_size = 10", NULL, NULL, NULL);
    return code ? code : sqlite3_wal_autocheckpoint(connection, 25);
}

void checkpoint_often(void)
{
    sqlite3_auto_extension((void (*)(void))prepare);
}
