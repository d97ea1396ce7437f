/* postgres/pg_since.c: what was committed since an earlier call. A place names the oldest transaction that was
 * running, because transactions do not commit in the order of their numbers, and the server's start: another
 * server may have other transactions under these numbers. */
#include "pg.h"

#include <inttypes.h>
#include <stdio.h>

/* MOST: if there are more heads, it is better to list all, page by page. */
enum { MOST = 10000, SERVER = 17, SEEN = 18 };

typedef struct place {
    int64_t server, seen; /* of a text that is no place: 0 */
} place;

static place place_of(const char *text)
{
    place read = {0};

    if (sscanf(text, "%18" SCNd64 "-%18" SCNd64, &read.server, &read.seen) != 2)
        read = (place){0};
    return read;
}

static void put_place(wf_pg_values *values, wf_pg *db, place from)
{
    wf_pg_values_init(values, db);
    wf_pg_text(values, db->tenant);
    wf_pg_number(values, from.server);
    wf_pg_number(values, from.seen);
}

static bool is_none(const PGresult *result)
{
    return PQntuples(result) == 1 && wf_pg_is_null(result, 0, 0);
}

/* The same condition as that of the statement. */
static bool is_known(const PGresult *result, place from)
{
    int64_t now = wf_pg_int_of(result, 0, SEEN);

    return from.server == wf_pg_int_of(result, 0, SERVER) && from.seen <= now &&
           now - from.seen <= 1000000000;
}

static int32_t answer(wf_pg *db, const PGresult *result, wfsm_since *asked, wfsm_row_sink sink,
                      void *user)
{
    int32_t status = WFSM_OK;
    bool known = is_known(result, place_of(asked->place)) && PQntuples(result) <= MOST;

    for (int i = 0; known && !is_none(result) && i < PQntuples(result) && status == WFSM_OK;
         i++) {
        wfsm_head head = wf_pg_head_of(db, result, i, 0);

        status = sink(user, &(wfsm_row){.size = sizeof(wfsm_row), .head = &head});
    }
    if (status != WFSM_OK)
        return status;
    asked->lost = *asked->place != '\0' && !known;
    snprintf(asked->place, sizeof asked->place, "%s-%s", PQgetvalue(result, 0, SERVER),
             PQgetvalue(result, 0, SEEN));
    return WFSM_OK;
}

/* A server that is only compatible may not know its transactions. Then lists say whether the tables are right. */
int32_t wf_pg_since(void *self, wfsm_since *asked, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    put_place(&values, self, place_of(asked->place));
    status = wf_pg_read(self, WF_PG_SINCE, &values, &result, error);
    wf_pg_values_fini(&values);
    if (status == WFSM_CORRUPT)
        return wf_pg_refuse(self, WFSM_DENIED, error,
                            "this server cannot tell what was committed");
    if (status == WFSM_OK)
        status = answer(self, result, asked, sink, user);
    PQclear(result);
    return status;
}
