#include "database.h"

/* Looks for a row with this event id: SQLITE_ROW, SQLITE_DONE or an error code. */
static int known(wf_sqlite *db, enum wf_sql which, int64_t key, const char *event_id)
{
    wf_sql_binder seen = wf_sql_bind(db, which);
    wf_sql_bind_int(&seen, key);
    wf_sql_bind_text(&seen, event_id);
    int code = wf_sql_step(&seen);
    wf_sql_reset(&seen);
    return code;
}

static int known_anywhere(wf_sqlite *db, int64_t key, const char *event_id)
{
    int code = known(db, WF_SQL_SEEN_RECORD, key, event_id);
    return code == SQLITE_DONE ? known(db, WF_SQL_SEEN_POST, key, event_id) : code;
}

static int32_t ask(wf_sqlite *db, const char *instance, const char *event_id, int32_t *seen,
                   wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (status)
        return status;
    int code = known_anywhere(db, found.key, event_id);
    *seen = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return WFSM_OK;
    return wf_sqlite_fail(db, code, "cannot be read", error);
}

int32_t wf_sqlite_seen(void *self, const char *instance, const char *event_id, int32_t *seen,
                       wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = ask(db, instance, event_id, seen, error);
    wf_sqlite_end_reading(db);
    return status;
}

static int32_t put(wf_sqlite *db, const wfsm_post *post, wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, post->instance, &found, error);
    if (status)
        return status;
    int code = post->id ? known_anywhere(db, found.key, post->id) : SQLITE_DONE;
    if (code == SQLITE_ROW)
        return wf_sqlite_refuse(db, WFSM_EXISTS, error, "instance '%s' has event '%s' already",
                                post->instance, post->id);
    if (code != SQLITE_DONE)
        return wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_binder insert = wf_sql_bind(db, WF_SQL_POST_PUT);
    wf_sql_bind_int(&insert, found.key);
    wf_sql_bind_text(&insert, post->id);
    wf_sql_bind_text(&insert, post->name);
    wf_sql_bind_blob(&insert, post->data, post->length);
    wf_sql_bind_int(&insert, post->now);
    wf_sql_bind_int(&insert, post->kind);
    wf_sql_bind_int(&insert, post->interface);
    wf_sql_bind_text(&insert, post->sender);
    wf_sql_bind_text(&insert, found.head.owner);
    code = wf_sql_run(&insert);
    return code ? wf_sqlite_fail(db, code, "a post cannot be written", error) : WFSM_OK;
}

int32_t wf_sqlite_post(void *self, const wfsm_post *post, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin(db, error);
    return status ? status : wf_sqlite_end(db, put(db, post, error), error);
}

static int32_t hand_out(wf_sqlite *db, enum wf_sql which, wfsm_row_sink sink, void *user,
                        wfsm_error *error, int32_t *damage)
{
    wf_sql_columns columns = wf_sql_columns_of(db, which);
    wfsm_row row = {.size = sizeof row};
    row.number = wf_sql_column_count(&columns);
    row.instance = wf_sql_column_text(&columns, NULL);
    row.id = wf_sql_column_optional(&columns);
    row.name = wf_sql_column_text(&columns, NULL);
    row.text = wf_sql_column_text(&columns, &row.length);
    row.now = wf_sql_column_int(&columns);
    row.kind = (int32_t)wf_sql_column_int(&columns);
    row.interface = (int32_t)wf_sql_column_int(&columns);
    row.sender = wf_sql_column_optional(&columns);
    wf_sql_column_proof(&columns);
    int32_t status = wf_sql_columns_end(&columns, error);
    if (!status)
        return sink(user, &row);
    if (status != WFSM_CORRUPT)
        return status;
    *damage = status; /* the other posts are still passed on */
    return WFSM_OK;
}

static int32_t hand_out_all(wf_sqlite *db, enum wf_sql which, wf_sql_binder *select,
                            wfsm_row_sink sink, void *user, wfsm_error *error)
{
    int32_t status = WFSM_OK, damage = WFSM_OK;
    int code = SQLITE_DONE;
    while (!status && (code = wf_sql_step(select)) == SQLITE_ROW)
        status = hand_out(db, which, sink, user, damage ? NULL : error, &damage);
    if (!status && code != SQLITE_DONE)
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(select);
    return status ? status : damage;
}

int wf_sqlite_any_post(const wf_sqlite *db, int64_t key)
{
    wf_sql_binder any = wf_sql_bind(db, WF_SQL_POST_ANY);
    wf_sql_bind_int(&any, key);
    int code = wf_sql_step(&any);
    wf_sql_reset(&any);
    return code;
}

static int32_t select_posts(wf_sqlite *db, enum wf_sql which, int64_t key, uint64_t limit,
                            wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_sql_binder select = wf_sql_bind(db, which);
    wf_sql_bind_int(&select, limit && limit < INT64_MAX ? (int64_t)limit : -1);
    if (which == WF_SQL_INBOX_OF)
        wf_sql_bind_int(&select, key);
    return hand_out_all(db, which, &select, sink, user, error);
}

/* Sorting none takes longer than to see that there are none. A failed look ends the reading: it may
 * have ended the transaction, too. */
static int32_t read_posts_of(wf_sqlite *db, const char *instance, uint64_t limit,
                             wfsm_row_sink sink, void *user, wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (status)
        return status;
    int code = wf_sqlite_any_post(db, found.key);
    if (code == SQLITE_ROW)
        return select_posts(db, WF_SQL_INBOX_OF, found.key, limit, sink, user, error);
    return code == SQLITE_DONE ? WFSM_OK : wf_sqlite_fail(db, code, "cannot be read", error);
}

int32_t wf_sqlite_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                        void *user, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = instance ? read_posts_of(db, instance, limit, sink, user, error)
                      : select_posts(db, WF_SQL_INBOX, 0, limit, sink, user, error);
    wf_sqlite_end_reading(db);
    return status;
}

/* 0 if the session has no row. */
static int32_t read_changes(wf_sqlite *db, const char *session, uint64_t *changes,
                            wfsm_error *error)
{
    int32_t status = WFSM_OK;
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_OWNER_CHANGES);
    wf_sql_bind_text(&read, session);
    int code = wf_sql_step(&read);
    *changes = 0;
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_OWNER_CHANGES);
        *changes = wf_sql_column_count(&row);
        status = wf_sql_columns_end(&row, error);
    } else if (code != SQLITE_DONE) {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&read);
    return status;
}

/* Within one generation, nothing else tells of a backup that was put in the store's place. */
static int32_t look_for_written(wf_sqlite *db, wfsm_error *error)
{
    wf_sqlite_written *written = &db->written;
    if (!written->key)
        return WFSM_OK;
    wf_sql_binder find = wf_sql_bind(db, WF_SQL_JOURNAL_TOKEN);
    wf_sql_bind_int(&find, written->key);
    wf_sql_bind_text(&find, written->token);
    int code = wf_sql_step(&find);
    wf_sql_reset(&find);
    if (code == SQLITE_ROW)
        return WFSM_OK;
    if (code != SQLITE_DONE)
        return wf_sqlite_fail(db, code, "cannot be read", error);
    written->losses++;
    written->key = 0;
    return WFSM_OK;
}

static int32_t read_owned(wf_sqlite *db, const char *owner, uint64_t after, wfsm_row_sink sink,
                          void *user, wfsm_error *error)
{
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_INBOX_OWNED);
    wf_sql_bind_text(&select, owner);
    wf_sql_bind_count(&select, after);
    return hand_out_all(db, WF_SQL_INBOX_OWNED, &select, sink, user, error);
}

int32_t wf_sqlite_changes(void *self, wfsm_changes *asked, wfsm_row_sink sink, void *user,
                          wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t damage, status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = read_changes(db, asked->session, &asked->changes, error);
    if (!status)
        status = look_for_written(db, error);
    asked->changes += db->written.losses;
    if (!status)
        status = read_owned(db, asked->session, 0, sink, user, error);
    damage = status;
    if (!status || status == WFSM_CORRUPT)
        status = read_owned(db, "", asked->after, sink, user, status ? NULL : error);
    wf_sqlite_end_reading(db);
    return status ? status : damage;
}
