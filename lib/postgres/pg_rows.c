/* postgres/pg_rows.c: rows of results. Their texts live as long as the result. */
#include "pg.h"

#include <stdlib.h>
#include <string.h>

bool wf_pg_is_null(const PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column) == 1;
}

int64_t wf_pg_int_of(const PGresult *result, int row, int column)
{
    return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

uint64_t wf_pg_count_of(const PGresult *result, int row, int column)
{
    int64_t number = wf_pg_int_of(result, row, column);

    return number > 0 ? (uint64_t)number : 0;
}

const char *wf_pg_text_of(const PGresult *result, int row, int column)
{
    return wf_pg_is_null(result, row, column) ? NULL : PQgetvalue(result, row, column);
}

size_t wf_pg_length_of(const PGresult *result, int row, int column)
{
    return (size_t)PQgetlength(result, row, column);
}

wfsm_head wf_pg_head_of(wf_pg *db, const PGresult *result, int row, int column)
{
    wfsm_head head = {.size = sizeof head,
                      .instance = PQgetvalue(result, row, column),
                      .machine = PQgetvalue(result, row, column + 1),
                      .fingerprint = PQgetvalue(result, row, column + 2),
                      .owner = PQgetvalue(result, row, column + 3),
                      .token = PQgetvalue(result, row, column + 4),
                      .tags = PQgetvalue(result, row, column + 5),
                      .revision = wf_pg_count_of(result, row, column + 6),
                      .snapshot_revision = wf_pg_count_of(result, row, column + 7),
                      .effects = wf_pg_count_of(result, row, column + 8),
                      .acknowledged = wf_pg_count_of(result, row, column + 9),
                      .status = (int32_t)wf_pg_int_of(result, row, column + 10),
                      .deadline = wf_pg_is_null(result, row, column + 11)
                                      ? WFSM_NEVER
                                      : wf_pg_int_of(result, row, column + 11),
                      .created = wf_pg_int_of(result, row, column + 12),
                      .updated = wf_pg_int_of(result, row, column + 13),
                      .first = wf_pg_count_of(result, row, column + 14),
                      .attributes = PQgetvalue(result, row, column + 16)};

    wf_pg_epoch_learn(db, head.instance, wf_pg_int_of(result, row, column + 15));
    return head;
}

wfsm_row wf_pg_post_of(const PGresult *result, int row)
{
    return (wfsm_row){.size = sizeof(wfsm_row),
                      .number = wf_pg_count_of(result, row, 1),
                      .instance = PQgetvalue(result, row, 2),
                      .id = wf_pg_text_of(result, row, 3),
                      .name = PQgetvalue(result, row, 4),
                      .text = PQgetvalue(result, row, 5),
                      .length = wf_pg_length_of(result, row, 5),
                      .now = wf_pg_int_of(result, row, 6),
                      .kind = (int32_t)wf_pg_int_of(result, row, 7),
                      .interface = (int32_t)wf_pg_int_of(result, row, 8),
                      .sender = wf_pg_text_of(result, row, 9)};
}

int32_t wf_pg_no_instance(const wf_pg *db, const char *instance, wfsm_error *error)
{
    return wf_pg_refuse(db, WFSM_NOT_FOUND, error, "there is no instance '%s'", instance);
}

uint64_t wf_pg_bounded(uint64_t number)
{
    return number < INT64_MAX ? number : INT64_MAX;
}
