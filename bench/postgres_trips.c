/* Wraps the call of libpq that ends a pipeline in order to count round trips. */
#include <dlfcn.h>
#include <libpq-fe.h>
#include "postgres_server.h"

static int64_t trips;

int PQpipelineSync(PGconn *connection)
{
    static int (*inner)(PGconn *);

    if (!inner)
        *(void **)&inner = dlsym(RTLD_NEXT, "PQpipelineSync");
    trips++;
    return inner(connection);
}

int64_t pg_trips(void)
{
    return trips;
}
