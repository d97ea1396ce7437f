#include "database.h"
#include "../base/invariant.h"

#include <string.h>

/* sqlite/journal.c: reading records. The journal has no index by instance, because an
 * index would cost every commit a second page. Instead, each row has the key of the row
 * before it, and the head has the key of the last row. The walk back keeps the texts of
 * the rows it meets first, so that a short journal is read only once. */
enum { KEPT_ROWS = 64, KEPT_BYTES = 1 << 16 };

typedef struct wf_kept_row {
    int64_t now;
    size_t id, text, length; /* offsets in texts; id KEPT_BYTES means NULL */
} wf_kept_row;

typedef struct wf_kept_rows {
    size_t count, bytes;
    bool full;
    wf_kept_row rows[KEPT_ROWS];
    char texts[KEPT_BYTES];
} wf_kept_rows;

typedef struct wf_trail {
    wf_sqlite *db;
    const wf_sqlite_found *found;
    int64_t *keys; /* newest first */
    size_t count, capacity;
    wf_kept_rows *kept; /* the newest rows; NULL if the texts are not needed */
} wf_trail;

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
    WF_INVARIANT(trail->count < trail->capacity);
    trail->keys[trail->count++] = key;
    return true;
}

static void begin_kept(wf_kept_rows *kept)
{
    kept->count = kept->bytes = 0;
    kept->full = false;
}

static bool is_wanted(const wf_trail *trail)
{
    return trail->kept && !trail->kept->full && trail->count == trail->kept->count + 1;
}

/* Reads the texts of a row whose links were read before. */
static void read_row(wf_sql_columns *columns, wfsm_row *row)
{
    *row = (wfsm_row){.size = sizeof *row, .revision = row->revision};
    row->now = wf_sql_column_int(columns);
    row->id = wf_sql_column_optional(columns);
    row->text = wf_sql_column_text(columns, &row->length);
}

static size_t keep_text(wf_kept_rows *kept, const char *text, size_t length)
{
    /* The rows kept are the first of the trail: is_wanted() says so. */
    WF_INVARIANT(kept->count <= KEPT_ROWS);
    size_t at = kept->bytes;
    if (!text)
        return KEPT_BYTES;
    memcpy(kept->texts + at, text, length);
    kept->texts[at + length] = '\0';
    kept->bytes += length + 1;
    WF_INVARIANT(kept->bytes <= KEPT_BYTES);
    return at;
}

/* Rows that are damaged or do not fit are not kept. They are read again, and reported,
 * when they are passed on. */
static void keep_row(wf_kept_rows *kept, wf_sql_columns columns)
{
    wfsm_row row = {.size = sizeof row};
    read_row(&columns, &row);
    size_t id = row.id ? strlen(row.id) : 0;
    kept->full = columns.bad || columns.no_memory || kept->count == KEPT_ROWS ||
                 id + row.length + 2 > KEPT_BYTES - kept->bytes;
    if (kept->full)
        return;
    wf_kept_row *one = &kept->rows[kept->count++];
    one->now = row.now;
    one->length = row.length;
    one->id = keep_text(kept, row.id, id);
    one->text = keep_text(kept, row.text, row.length);
}

/* Checks the row of `revision` and replaces *key with the key of the row before it (0:
 * none). */
static int32_t step_back(wf_trail *trail, uint64_t revision, int64_t *key, wfsm_error *error)
{
    bool wanted = is_wanted(trail);
    enum wf_sql which = wanted ? WF_SQL_JOURNAL_RECORD : WF_SQL_JOURNAL_STEP;
    wf_sql_binder step = wf_sql_bind(trail->db, which);
    wf_sql_bind_int(&step, *key);
    int code = wf_sql_step(&step);
    int32_t status = WFSM_OK;
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(trail->db, which);
        bool right = wf_sql_column_int(&row) == trail->found->key;
        right = wf_sql_column_count(&row) == revision && right;
        *key = wf_sql_column_link(&row);
        right = (*key != 0) == (revision > trail->found->head.first) && right;
        status = wf_sql_columns_end(&row, error);
        if (!status && !right)
            status = wf_sqlite_misplaced(trail->db, trail->found->key, revision, error);
        if (!status && wanted)
            keep_row(trail->kept, row);
    } else if (code == SQLITE_DONE) {
        status = wf_sqlite_misplaced(trail->db, trail->found->key, revision, error);
    } else {
        status = wf_sqlite_fail(trail->db, code, "cannot be read", error);
    }
    wf_sql_reset(&step);
    return status;
}

/* Walks from the row of revision `at` back to revision `from`, keeping those up to
 * `to`. */
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
            wf_sqlite_mark(trail->db, trail->found->key, at, here);
    }
    return status;
}

/* Starts from the nearest mark, if that leads to the row, or else from the last row. */
static int32_t find_rows(wf_trail *trail, uint64_t from, uint64_t to, wfsm_error *error)
{
    const wf_sqlite_found *found = trail->found;
    uint64_t at = to;
    int64_t key = wf_sqlite_marked(trail->db, found->key, &at, found->head.revision);
    if (from > to || (key && !walk(trail, at, key, from, to, NULL)))
        return WFSM_OK;
    trail->count = 0;
    if (trail->kept)
        begin_kept(trail->kept);
    return walk(trail, found->head.revision, found->last, from, to, error);
}

int32_t wf_sqlite_row_of(wf_sqlite *db, const wf_sqlite_found *found, uint64_t revision,
                         int64_t *key, wfsm_error *error)
{
    wf_trail trail = {.db = db, .found = found};
    int32_t status = find_rows(&trail, revision, revision, error);
    if (!status && trail.count == 1)
        *key = trail.keys[0];
    else if (!status)
        status = wf_sqlite_misplaced(db, found->key, revision, error);
    wf_sqlite_give(db, trail.keys);
    return status;
}

static int32_t hand_out_kept(const wf_kept_rows *kept, size_t index, uint64_t revision,
                             wfsm_row_sink sink, void *user)
{
    const wf_kept_row *one = &kept->rows[index];
    wfsm_row row = {.size = sizeof row,
                    .revision = revision,
                    .now = one->now,
                    .id = one->id == KEPT_BYTES ? NULL : kept->texts + one->id,
                    .text = kept->texts + one->text,
                    .length = one->length};
    return sink(user, &row);
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
        wfsm_row row;
        wf_sql_column_int(&columns);
        row.revision = wf_sql_column_count(&columns);
        wf_sql_column_link(&columns);
        read_row(&columns, &row);
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

/* Oldest first. */
static int32_t hand_out_all(wf_trail *trail, uint64_t from, wfsm_row_sink sink, void *user,
                            wfsm_error *error)
{
    int32_t status = WFSM_OK;
    for (; !status && trail->count; from++) {
        size_t index = --trail->count;
        status = index < trail->kept->count
                     ? hand_out_kept(trail->kept, index, from, sink, user)
                     : hand_out(trail->db, trail->keys[index], sink, user, error);
    }
    return status;
}

static int32_t read_records(wf_sqlite *db, const char *instance, uint64_t from, uint64_t to,
                            wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (status)
        return status;
    wf_trail trail = {.db = db, .found = &found};
    trail.kept = wf_sqlite_take(db, sizeof *trail.kept);
    if (!trail.kept)
        return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be read", error);
    begin_kept(trail.kept);
    if (from < found.head.first)
        from = found.head.first;
    status = find_rows(&trail, from, to, error);
    if (!status)
        status = hand_out_all(&trail, from, sink, user, error);
    wf_sqlite_give(db, trail.kept);
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
