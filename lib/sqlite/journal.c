#include "database.h"

/* The journal has no index by instance, because one would cost every commit a second
 * page; each row knows the row before it instead, and the head knows the last. */
typedef struct wf_trail {
    wf_sqlite *db;
    const wf_sqlite_place *place;
    int64_t *keys; /* newest first */
    size_t count, capacity;
} wf_trail;

static int32_t broken_chain(const wf_trail *trail, uint64_t revision, wfsm_error *error)
{
    return wf_sqlite_refuse(trail->db, WFSM_CORRUPT, error,
                            "row of revision %llu of the instance with key %lld is not "
                            "where table journal should have it",
                            (unsigned long long)revision, (long long)trail->place->key);
}

static bool keep(wf_trail *trail, int64_t key)
{
    if (trail->count == trail->capacity) {
        size_t capacity = trail->capacity ? trail->capacity * 2 : 64;
        int64_t *keys = wf_sqlite_take(trail->db, capacity * sizeof *keys);
        if (!keys)
            return false;
        for (size_t i = 0; i < trail->count; i++)
            keys[i] = trail->keys[i];
        wf_sqlite_give(trail->db, trail->keys);
        trail->keys = keys;
        trail->capacity = capacity;
    }
    trail->keys[trail->count++] = key;
    return true;
}

/* Checks the row of `revision` and gives the key of the one before (0: none). */
static int32_t step_back(wf_trail *trail, uint64_t revision, int64_t *key,
                         wfsm_error *error)
{
    wf_sql_binder step = wf_sql_bind(trail->db, WF_SQL_JOURNAL_STEP);
    wf_sql_bind_int(&step, *key);
    int code = wf_sql_step(&step);
    int32_t status = WFSM_OK;
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(trail->db, WF_SQL_JOURNAL_STEP);
        bool right = wf_sql_column_int(&row) == trail->place->key;
        right = wf_sql_column_count(&row) == revision && right;
        *key = wf_sql_column_link(&row);
        right = (*key != 0) == (revision > trail->place->first) && right;
        status = wf_sql_columns_end(&row, error);
        if (!status && !right)
            status = broken_chain(trail, revision, error);
    } else if (code == SQLITE_DONE) {
        status = broken_chain(trail, revision, error);
    } else {
        status = wf_sqlite_fail(trail->db, code, "cannot be read", error);
    }
    wf_sql_reset(&step);
    return status;
}

/* Walks from the row of revision `at` back to revision `from`, keeping those up to `to`. */
static int32_t walk(wf_trail *trail, uint64_t at, int64_t key, uint64_t from, uint64_t to,
                    wfsm_error *error)
{
    int32_t status = WFSM_OK;
    for (; !status && at >= from; at--) {
        int64_t here = key;
        if (at <= to && !keep(trail, key))
            return wf_sqlite_fail(trail->db, SQLITE_NOMEM, "cannot be read", error);
        status = step_back(trail, at, &key, error);
        if (!status)
            wf_sqlite_mark(trail->db, trail->place->key, at, here);
    }
    return status;
}

/* From the nearest mark, if it leads there, else from the last row. */
static int32_t find_rows(wf_trail *trail, uint64_t from, uint64_t to, wfsm_error *error)
{
    const wf_sqlite_place *place = trail->place;
    uint64_t at = to;
    int64_t key = wf_sqlite_marked(trail->db, place->key, &at, place->revision);
    if (from > to || (key && !walk(trail, at, key, from, to, NULL)))
        return WFSM_OK;
    trail->count = 0;
    return walk(trail, place->revision, place->last, from, to, error);
}

int32_t wf_sqlite_row_of(wf_sqlite *db, const wf_sqlite_place *place, uint64_t revision,
                         int64_t *key, wfsm_error *error)
{
    wf_trail trail = {.db = db, .place = place};
    int32_t status = find_rows(&trail, revision, revision, error);
    if (!status && trail.count == 1)
        *key = trail.keys[0];
    else if (!status)
        status = broken_chain(&trail, revision, error);
    wf_sqlite_give(db, trail.keys);
    return status;
}

static int32_t hand_out(wf_sqlite *db, int64_t key, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_JOURNAL_RECORD);
    wf_sql_bind_int(&select, key);
    int code = wf_sql_step(&select);
    int32_t status;
    if (code == SQLITE_ROW) {
        wf_sql_columns columns = wf_sql_columns_of(db, WF_SQL_JOURNAL_RECORD);
        wfsm_row row = {.size = sizeof row};
        row.revision = wf_sql_column_count(&columns);
        row.now = wf_sql_column_int(&columns);
        row.id = wf_sql_column_optional(&columns);
        row.text = wf_sql_column_text(&columns, &row.length);
        status = wf_sql_columns_end(&columns, error);
        if (!status)
            status = sink(user, &row);
    } else {
        status = wf_sqlite_fail(db, code == SQLITE_DONE ? SQLITE_CORRUPT : code,
                                "cannot be read", error);
    }
    wf_sql_reset(&select);
    return status;
}

static int32_t read_records(wf_sqlite *db, const char *instance, uint64_t from,
                            uint64_t to, wfsm_row_sink sink, void *user,
                            wfsm_error *error)
{
    wf_sqlite_place place;
    wf_trail trail = {.db = db, .place = &place};
    int32_t status = wf_sqlite_find(db, instance, &place, error);
    if (!from)
        from = 1;
    if (!status)
        status = find_rows(&trail, from > place.first ? from : place.first, to, error);
    while (!status && trail.count)
        status = hand_out(db, trail.keys[--trail.count], sink, user, error);
    wf_sqlite_give(db, trail.keys);
    return status;
}

int32_t wf_sqlite_records(void *self, const char *instance, uint64_t from, uint64_t to,
                          wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = read_records(db, instance, from, to, sink, user, error);
    wf_sqlite_end_reading(db);
    return status;
}
