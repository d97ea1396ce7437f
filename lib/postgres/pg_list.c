/* postgres/pg_list.c: lists of instances and of posts, page by page. */
#include "pg.h"

#include <string.h>

enum { PAGE = 256 };

/* Ids with the prefix are less than this. Without it only the lower bound is used: a prefix that ends in
 * another character is rare. */
static const char *end_of_prefix(char end[256], const char *prefix)
{
    size_t length = strlen(prefix);
    unsigned char last = length > 0 ? (unsigned char)prefix[length - 1] : 0;

    if (last == 0 || last >= 0x7F || length > 255)
        return NULL;
    memcpy(end, prefix, length + 1);
    end[length - 1]++;
    return end;
}

static uint64_t page_of(uint64_t left)
{
    return left < PAGE ? left : PAGE;
}

/* Whether they filter, and their numbers. */
static void put_shards(wf_pg_values *values, const uint8_t *shards)
{
    wf_pg_number(values, shards != NULL);
    wf_pg_columns(values, "i");
    for (int i = 0; shards && i < WFSM_SHARDS; i++)
        if (shards[i / 8] >> i % 8 & 1)
            wf_pg_put_number(values, i);
    wf_pg_columns_end(values);
}

static void put_query(wf_pg *db, wf_pg_values *values, const wfsm_query *query,
                      const char *after, uint64_t left)
{
    const char *prefix = query->prefix ? query->prefix : "";
    char end[256];

    wf_pg_values_init(values, db);
    wf_pg_text(values, db->tenant);
    wf_pg_text(values, after);
    wf_pg_text(values, query->machine);
    wf_pg_text(values, query->tag);
    wf_pg_text(values, query->owner);
    wf_pg_number(values, query->status);
    wf_pg_number(values, query->due);
    wf_pg_text(values, prefix);
    wf_pg_text(values, end_of_prefix(end, prefix));
    wf_pg_number(values, (int64_t)page_of(left));
    wf_pg_number(values, query->undelivered);
    wf_pg_text(values, query->fingerprint);
    put_shards(values, query->shards);
    if (query->where_count > 0)
        wf_pg_where_put(values, query);
}

static int32_t pass_heads(wf_pg *db, const PGresult *result, wfsm_row_sink sink, void *user)
{
    int32_t status = WFSM_OK;

    for (int i = 0; i < PQntuples(result) && status == WFSM_OK; i++) {
        wfsm_head head = wf_pg_head_of(db, result, i, 0);

        status = sink(user, &(wfsm_row){.size = sizeof(wfsm_row), .head = &head});
    }
    return status;
}

/* The last id of the page is the first one of the next. */
static void note_last(const PGresult *result, char last[256])
{
    const char *id = PQgetvalue(result, PQntuples(result) - 1, 0);

    memcpy(last, id, strnlen(id, 255) + 1);
    last[255] = '\0';
}

static int32_t list_all(wf_pg *db, const char *sql, const wfsm_query *query, wfsm_row_sink sink,
                        void *user, wfsm_error *error)
{
    uint64_t left = query->limit > 0 ? query->limit : UINT64_MAX;
    char after[256] = "";
    int32_t status;
    uint64_t rows = 0, asked;

    if (query->after)
        memcpy(after, query->after, strlen(query->after) + 1);
    do {
        wf_pg_values values;
        PGresult *result = NULL;

        asked = page_of(left);
        put_query(db, &values, query, after, left);
        status = wf_pg_read_after(db, query->where_count == 0 ? WF_PG_ORDER : WF_PG_COUNT, sql,
                                  &values, &result, error);
        wf_pg_values_fini(&values);
        rows = status == WFSM_OK ? (uint64_t)PQntuples(result) : 0;
        if (rows > 0) {
            note_last(result, after);
            status = pass_heads(db, result, sink, user);
        }
        PQclear(result);
        left -= rows;
    } while (status == WFSM_OK && rows == asked && left > 0);
    return status;
}

int32_t wf_pg_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                   wfsm_error *error)
{
    wf_pg *db = self;
    char *sql;
    int32_t status;

    if (query->where_count == 0)
        return list_all(db, db->sql[WF_PG_LIST], query, sink, user, error);
    sql = wf_pg_where_text(db, query);
    status = sql ? list_all(db, sql, query, sink, user, error) : wf_pg_no_memory(error);
    wf_pg_give(db, sql);
    return status;
}

/* ---- owners that are gone ---- */

static int32_t pass_names(const PGresult *result, wfsm_row_sink sink, void *user)
{
    int32_t status = WFSM_OK;

    for (int i = 0; i < PQntuples(result) && status == WFSM_OK; i++)
        status =
            sink(user, &(wfsm_row){.size = sizeof(wfsm_row), .id = PQgetvalue(result, i, 0)});
    return status;
}

int32_t wf_pg_lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_pg *db = self;
    wf_pg_values values;
    PGresult *result = NULL;
    int32_t status;

    wf_pg_values_init(&values, db);
    wf_pg_text(&values, db->tenant);
    if (now == WFSM_NEVER) /* later than every clock */
        wf_pg_number(&values, now);
    else
        wf_pg_put_now(&values, now);
    status = wf_pg_read(db, WF_PG_LAPSED, &values, &result, error);
    wf_pg_values_fini(&values);
    if (status == WFSM_OK)
        status = pass_names(result, sink, user);
    PQclear(result);
    return status;
}

/* ---- posts ---- */

static void put_inbox(wf_pg *db, wf_pg_values *values, const char *instance, uint64_t after,
                      uint64_t left)
{
    wf_pg_values_init(values, db);
    wf_pg_text(values, db->tenant);
    if (instance)
        wf_pg_text(values, instance);
    wf_pg_number(values, (int64_t)after);
    wf_pg_number(values, (int64_t)page_of(left));
}

/* The only row is one of nulls if the instance has no post. */
static int32_t pass_posts(const PGresult *result, uint64_t *after, wfsm_row_sink sink,
                          void *user)
{
    int32_t status = WFSM_OK;

    for (int i = 0; i < PQntuples(result) && status == WFSM_OK; i++)
        if (!wf_pg_is_null(result, i, 1)) {
            wfsm_row row = wf_pg_post_of(result, i);

            *after = row.number;
            status = sink(user, &row);
        }
    return status;
}

int32_t wf_pg_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                    void *user, wfsm_error *error)
{
    wf_pg *db = self;
    uint64_t left = limit > 0 ? limit : UINT64_MAX, after = 0, rows, asked;
    int32_t status;

    do {
        wf_pg_values values;
        PGresult *result = NULL;

        asked = page_of(left);
        put_inbox(db, &values, instance, after, left);
        status =
            wf_pg_read(db, instance ? WF_PG_INBOX_OF : WF_PG_INBOX, &values, &result, error);
        wf_pg_values_fini(&values);
        rows = status == WFSM_OK ? (uint64_t)PQntuples(result) : 0;
        if (status == WFSM_OK && rows == 0 && instance)
            status = wf_pg_no_instance(db, instance, error);
        else if (status == WFSM_OK)
            status = pass_posts(result, &after, sink, user);
        PQclear(result);
        left -= rows;
    } while (status == WFSM_OK && rows == asked && left > 0);
    return status;
}
