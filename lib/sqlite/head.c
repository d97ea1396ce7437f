#include "database.h"

#include <string.h>

static void read_head(wf_sql_columns *row, wfsm_head *head)
{
    head->size = sizeof *head;
    head->instance = wf_sql_column_text(row, NULL);
    head->machine = wf_sql_column_text(row, NULL);
    head->fingerprint = wf_sql_column_text(row, NULL);
    head->owner = wf_sql_column_text(row, NULL);
    head->revision = wf_sql_column_count(row);
    head->token = wf_sql_column_text(row, NULL);
    head->tags = wf_sql_column_text(row, NULL);
    head->snapshot_revision = wf_sql_column_count(row);
    head->effects = wf_sql_column_count(row);
    head->acknowledged = wf_sql_column_count(row);
    int64_t status = wf_sql_column_int(row);
    head->status = status == WFSM_DONE ? WFSM_DONE : WFSM_RUNNING;
    if (status != head->status && !row->bad)
        row->bad = row->next;
    head->deadline = wf_sql_column_deadline(row);
    head->created = wf_sql_column_int(row);
    head->updated = wf_sql_column_int(row);
    head->first = wf_sql_column_count(row);
    wf_sql_column_proof(row);
}

/* Copies the six texts to memory of the store, where they stay until the next head. */
static bool keep(wf_sqlite *db, wfsm_head *head)
{
    const char **texts[] = {&head->instance, &head->machine, &head->fingerprint,
                            &head->owner,    &head->token,   &head->tags};
    size_t bytes = 0;
    for (size_t i = 0; i < 6; i++)
        bytes += strlen(*texts[i]) + 1;
    char *text = bytes <= db->head_bytes ? db->head_text : wf_sqlite_take(db, bytes);
    if (!text)
        return false;
    if (text != db->head_text) {
        wf_sqlite_give(db, db->head_text);
        db->head_text = text;
        db->head_bytes = bytes;
    }
    for (size_t i = 0; i < 6; i++) {
        size_t length = strlen(*texts[i]) + 1;
        *texts[i] = memcpy(text, *texts[i], length);
        text += length;
    }
    return true;
}

/* Who asks for a head goes on to its snapshot and its records. */
static bool keep_place(wf_sqlite *db, wf_sql_columns *row, const wfsm_head *head)
{
    wf_sqlite_place place = {.status = head->status,
                             .revision = head->revision,
                             .effects = head->effects,
                             .first = head->first,
                             .snapshot_revision = head->snapshot_revision,
                             .owner = head->owner,
                             .machine = head->machine};
    place.key = wf_sql_column_int(row);
    place.last = wf_sql_column_int(row);
    place.document = wf_sql_column_int(row);
    place.snapshot = wf_sql_column_link(row);
    if (place.snapshot_revision == place.revision)
        place.snapshot = place.last;
    if (row->bad || !wf_sqlite_fits(&place)) /* find() tells of it */
        return true;
    wf_sqlite_check_places(db);
    return wf_sqlite_keep_place(db, head->instance, &place);
}

static int32_t take_head(wf_sqlite *db, wfsm_head *head, wfsm_error *error)
{
    wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_HEAD);
    wfsm_head read;
    read_head(&row, &read);
    int32_t status = wf_sql_columns_end(&row, error);
    if (!status && !(keep(db, &read) && keep_place(db, &row, &read)))
        status = wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be read", error);
    if (!status)
        *head = read;
    return status;
}

int32_t wf_sqlite_head(void *self, const char *instance, wfsm_head *head,
                       wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_ready(db, error);
    if (status)
        return status;
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_HEAD);
    wf_sql_bind_text(&select, instance);
    int code = wf_sql_step(&select);
    if (code == SQLITE_ROW)
        status = take_head(db, head, error);
    else if (code == SQLITE_DONE)
        status = wf_sqlite_refuse(db, WFSM_NOT_FOUND, error,
                                  "there is no instance '%s'", instance);
    else
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(&select);
    return status;
}

/* The ids of a prefix are those from itself to this one, which no id reaches: without a
 * prefix it is greater than any UTF-8. */
static void end_of_prefix(char end[256], const char *prefix)
{
    size_t length = strlen(prefix);
    memcpy(end, length ? prefix : "\xFF", (length ? length : 1) + 1);
    if (length)
        end[length - 1]++;
}

static void bind_query(wf_sql_binder *select, const wfsm_query *query,
                       char end[256])
{
    const char *prefix = query->prefix ? query->prefix : "";
    end_of_prefix(end, prefix);
    wf_sql_bind_text(select, query->after ? query->after : "");
    wf_sql_bind_text(select, query->machine);
    wf_sql_bind_text(select, query->tag);
    wf_sql_bind_text(select, query->owner);
    wf_sql_bind_int(select, query->status);
    wf_sql_bind_int(select, query->due);
    wf_sql_bind_int(
        select, query->limit && query->limit < INT64_MAX ? (int64_t)query->limit : -1);
    wf_sql_bind_text(select, prefix);
    wf_sql_bind_text(select, end);
}

/* A damaged row hides no other one: it is told of when all have been handed out. */
static int32_t list_one(wf_sqlite *db, enum wf_sql which, wfsm_row_sink sink, void *user,
                        wfsm_error *error, int32_t *damage)
{
    wf_sql_columns columns = wf_sql_columns_of(db, which);
    wfsm_head head;
    read_head(&columns, &head);
    int32_t status = wf_sql_columns_end(&columns, error);
    if (!status)
        return sink(user, &(wfsm_row){.size = sizeof(wfsm_row), .head = &head});
    if (status != WFSM_CORRUPT)
        return status;
    *damage = status;
    return WFSM_OK;
}

int32_t wf_sqlite_list(void *self, const wfsm_query *query, wfsm_row_sink sink,
                       void *user, wfsm_error *error)
{
    wf_sqlite *db = self;
    bool running = query->status == WFSM_RUNNING;
    enum wf_sql which = running ? WF_SQL_LIST_RUNNING : WF_SQL_LIST;
    int32_t status = wf_sqlite_ready(db, error);
    if (status)
        return status;
    wf_sql_binder select = wf_sql_bind(db, which);
    char end[256];
    bind_query(&select, query, end);
    int32_t damage = WFSM_OK;
    int code = SQLITE_DONE;
    while (!status && (code = wf_sql_step(&select)) == SQLITE_ROW)
        status = list_one(db, which, sink, user, damage ? NULL : error, &damage);
    if (!status && code != SQLITE_DONE)
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(&select);
    return status ? status : damage;
}
