#include "database.h"

#include <string.h>

int32_t wf_sqlite_head(void *self, const char *instance, wfsm_head *head, wfsm_error *error)
{
    wf_sqlite *db = self;
    wf_sqlite_found found;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = wf_sqlite_find(db, instance, &found, error);
    if (!status)
        *head = found.head;
    wf_sqlite_end_reading(db);
    return status;
}

/* Ids with a prefix lie between the prefix and this text, which is greater than all of
 * them. Without a prefix it is a byte that is greater than any UTF-8 text. */
static void end_of_prefix(char end[256], const char *prefix)
{
    size_t length = strlen(prefix);
    memcpy(end, length ? prefix : "\xFF", (length ? length : 1) + 1);
    if (length)
        end[length - 1]++;
}

static void bind_query(wf_sql_binder *select, const wfsm_query *query, char end[256])
{
    const char *prefix = query->prefix ? query->prefix : "";
    end_of_prefix(end, prefix);
    wf_sql_bind_text(select, query->after ? query->after : "");
    wf_sql_bind_text(select, query->machine);
    wf_sql_bind_text(select, query->tag);
    wf_sql_bind_text(select, query->owner);
    wf_sql_bind_int(select, query->status);
    wf_sql_bind_int(select, query->due);
    wf_sql_bind_int(select,
                    query->limit && query->limit < INT64_MAX ? (int64_t)query->limit : -1);
    wf_sql_bind_text(select, prefix);
    wf_sql_bind_text(select, end);
    wf_sqlite_where_bind(select, query);
}

/* A damaged row does not hide the others. It is reported after all of them were passed on. */
static int32_t list_one(wf_sqlite *db, enum wf_sql which, wfsm_row_sink sink, void *user,
                        wfsm_error *error, int32_t *damage)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_read_found(db, which, &found, error);
    if (!status)
        return sink(user, &(wfsm_row){.size = sizeof(wfsm_row), .head = &found.head});
    if (status != WFSM_CORRUPT)
        return status;
    *damage = status;
    return WFSM_OK;
}

static enum wf_sql list_of(const wfsm_query *query)
{
    bool running = query->status == WFSM_RUNNING;
    if (query->undelivered)
        return WF_SQL_LIST_OWING;
    if (query->owner && (*query->owner || running))
        return WF_SQL_LIST_OWNED;
    return running ? WF_SQL_LIST_RUNNING : WF_SQL_LIST;
}

int32_t wf_sqlite_pass_heads(wf_sqlite *db, wf_sql_binder *select, enum wf_sql which,
                             wfsm_row_sink sink, void *user, wfsm_error *error)
{
    int32_t status = WFSM_OK, damage = WFSM_OK;
    int code = SQLITE_DONE;
    while (!status && (code = wf_sql_step(select)) == SQLITE_ROW)
        status = list_one(db, which, sink, user, damage ? NULL : error, &damage);
    if (!status && code != SQLITE_DONE)
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    return status ? status : damage;
}

static int32_t list_all(wf_sqlite *db, enum wf_sql which, const wfsm_query *query,
                        wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_sql_binder select = wf_sql_bind(db, which);
    char end[256];
    bind_query(&select, query, end);
    int32_t status = wf_sqlite_pass_heads(db, &select, which, sink, user, error);
    wf_sql_reset(&select);
    return status;
}

static int32_t list_where(wf_sqlite *db, const wfsm_query *query, wfsm_row_sink sink,
                          void *user, wfsm_error *error)
{
    int32_t status = wf_sqlite_where(db, query, error);
    if (!status)
        status = list_all(db, WF_SQL_LIST_WHERE, query, sink, user, error);
    wf_sqlite_where_end(db);
    return status;
}

int32_t wf_sqlite_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                       wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = query->where_count > 0 ? list_where(db, query, sink, user, error)
                                    : list_all(db, list_of(query), query, sink, user, error);
    wf_sqlite_end_reading(db);
    return status;
}

static int32_t pass_owner(wf_sqlite *db, wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_sql_columns columns = wf_sql_columns_of(db, WF_SQL_OWNERS_LAPSED);
    wfsm_row row = {.size = sizeof row, .id = wf_sql_column_text(&columns, NULL)};
    int32_t status = wf_sql_columns_end(&columns, error);
    return status ? status : sink(user, &row);
}

int32_t wf_sqlite_lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                         wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_OWNERS_LAPSED);
    wf_sql_bind_int(&select, now);
    int code = SQLITE_DONE;
    while (!status && (code = wf_sql_step(&select)) == SQLITE_ROW)
        status = pass_owner(db, sink, user, error);
    if (!status && code != SQLITE_DONE)
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(&select);
    wf_sqlite_end_reading(db);
    return status;
}
