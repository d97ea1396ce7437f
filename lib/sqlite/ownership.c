#include "database.h"

#include <string.h>

static int32_t done(const wf_sqlite *db, int code, wfsm_error *error)
{
    return code ? wf_sqlite_fail(db, code, "cannot be written", error) : WFSM_OK;
}

static int owe_nothing(const wf_sqlite *db, int64_t key)
{
    wf_sql_binder drop = wf_sql_bind(db, WF_SQL_OWING_DELETE);
    wf_sql_bind_int(&drop, key);
    return wf_sql_run(&drop);
}

static int32_t raise_mark(wf_sqlite *db, const char *instance, uint64_t effect,
                          wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (status)
        return status;
    if (effect > found.head.effects)
        return wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "instance '%s' has no effect %llu",
                                instance, (unsigned long long)effect);
    if (effect <= found.head.acknowledged)
        return WFSM_OK;
    wf_sql_binder update = wf_sql_bind(db, WF_SQL_ACKNOWLEDGE);
    wf_sql_bind_count(&update, effect);
    wf_sql_bind_int(&update, found.key);
    int code = wf_sql_run(&update);
    if (!code && found.head.status == WFSM_DONE && effect == found.head.effects)
        code = owe_nothing(db, found.key);
    found.head.acknowledged = effect;
    if (!code && !wf_sqlite_cache_keep(db, &found))
        code = SQLITE_NOMEM;
    return done(db, code, error);
}

int32_t wf_sqlite_acknowledge(void *self, const char *instance, uint64_t effect,
                              wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin(db, error);
    return status ? status : wf_sqlite_end(db, raise_mark(db, instance, effect, error), error);
}

static int32_t sign_of_life(wf_sqlite *db, const char *owner, int64_t until, wfsm_error *error)
{
    int32_t status = wf_sqlite_generation_next(db, error);
    if (status)
        return status;
    wf_sql_binder write = wf_sql_bind(db, until ? WF_SQL_OWNER_PUT : WF_SQL_OWNER_DELETE);
    wf_sql_bind_text(&write, owner);
    if (until)
        wf_sql_bind_int(&write, until);
    return done(db, wf_sql_run(&write), error);
}

int32_t wf_sqlite_owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin(db, error);
    return status ? status : wf_sqlite_end(db, sign_of_life(db, owner, until, error), error);
}

int32_t wf_sqlite_alive_until(wf_sqlite *db, const char *session, int64_t *found,
                              wfsm_error *error)
{
    int32_t status = WFSM_OK;
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_OWNER_UNTIL);
    wf_sql_bind_text(&read, session);
    int code = wf_sql_step(&read);
    *found = 0;
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_OWNER_UNTIL);
        *found = wf_sql_column_int(&row);
        wf_sql_column_proof(&row);
        status = wf_sql_columns_end(&row, error);
    } else if (code != SQLITE_DONE) {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&read);
    return status;
}

static int32_t claim(wf_sqlite *db, const char *session, int64_t mine, int64_t now,
                     int64_t until, wfsm_error *error)
{
    int64_t found;
    int32_t status = wf_sqlite_alive_until(db, session, &found, error);
    if (status)
        return status;
    if (found > now && found != mine)
        return wf_sqlite_refuse(db, WFSM_DENIED, error,
                                "another process has the session '%s'; it is alive until %lld",
                                session, (long long)found);
    return sign_of_life(db, session, until, error);
}

/* The transaction holds the lock for writing from its beginning, so this is one compare-and-set. */
int32_t wf_sqlite_claim(void *self, const char *session, int64_t mine, int64_t now,
                        int64_t until, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin(db, error);
    if (status)
        return status;
    return wf_sqlite_end(db, claim(db, session, mine, now, until, error), error);
}

/* A damaged name makes the row of a live owner look missing. Its instance must not be
 * taken over then. */
static int32_t check_owners(wf_sqlite *db, const char *owner, int64_t key, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    wf_sql_binder check = wf_sql_bind(db, WF_SQL_OWNER_CHECK);
    wf_sql_bind_text(&check, owner);
    wf_sql_bind_int(&check, key);
    int code = wf_sql_step(&check);
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_OWNER_CHECK);
        wf_sql_column_proof(&row);
        status = wf_sql_columns_end(&row, error);
    } else if (code != SQLITE_DONE) {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&check);
    return status;
}

/* Says who owns the instance, and until when. */
static int32_t refuse_other(wf_sqlite *db, const char *instance, int64_t key, wfsm_error *error)
{
    int32_t status;
    wf_sql_binder read = wf_sql_bind(db, WF_SQL_OWNER_OF);
    wf_sql_bind_int(&read, key);
    int code = wf_sql_step(&read);
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_OWNER_OF);
        const char *owner = wf_sql_column_text(&row, NULL);
        status = wf_sqlite_refuse(db, WFSM_DENIED, error,
                                  "instance '%s' is owned by '%s', which is alive until %lld",
                                  instance, owner, (long long)wf_sql_column_int(&row));
    } else {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&read);
    return status;
}

int wf_sqlite_tell_owner(const wf_sqlite *db, const char *owner)
{
    wf_sql_binder tell = wf_sql_bind(db, WF_SQL_OWNER_CHANGED);
    wf_sql_bind_text(&tell, owner);
    return *owner ? wf_sql_run(&tell) : SQLITE_OK;
}

static int own_posts(const wf_sqlite *db, int64_t key, const char *owner)
{
    int code = wf_sqlite_any_post(db, key);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? SQLITE_OK : code;
    wf_sql_binder own = wf_sql_bind(db, WF_SQL_INBOX_OWN);
    wf_sql_bind_text(&own, owner);
    wf_sql_bind_int(&own, key);
    return wf_sql_run(&own);
}

static int32_t take(wf_sqlite *db, const char *instance, const char *owner, int64_t now,
                    wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (!status)
        status = check_owners(db, owner, found.key, error);
    if (status)
        return status;
    wf_sqlite_cache_forget(db, instance);
    wf_sql_binder own = wf_sql_bind(db, WF_SQL_OWN);
    wf_sql_bind_text(&own, owner);
    wf_sql_bind_int(&own, found.key);
    wf_sql_bind_int(&own, now);
    int code = wf_sql_run(&own);
    if (!code && !sqlite3_changes(db->connection))
        return refuse_other(db, instance, found.key, error);
    if (!code && strcmp(found.head.owner, owner) != 0)
        code = wf_sqlite_tell_owner(db, found.head.owner);
    return done(db, code ? code : own_posts(db, found.key, owner), error);
}

int32_t wf_sqlite_own(void *self, const char *instance, const char *owner, int64_t now,
                      wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin(db, error);
    return status ? status : wf_sqlite_end(db, take(db, instance, owner, now, error), error);
}

static int32_t give_up(wf_sqlite *db, const char *instance, const char *owner,
                       wfsm_error *error)
{
    wf_sqlite_found found;
    int32_t status = wf_sqlite_find(db, instance, &found, error);
    if (status)
        return status;
    wf_sqlite_cache_forget(db, instance);
    wf_sql_binder disown = wf_sql_bind(db, WF_SQL_DISOWN);
    wf_sql_bind_text(&disown, owner);
    wf_sql_bind_int(&disown, found.key);
    int code = wf_sql_run(&disown);
    if (code || sqlite3_changes(db->connection))
        return done(db, code ? code : own_posts(db, found.key, ""), error);
    return wf_sqlite_refuse(db, WFSM_DENIED, error, "instance '%s' has another owner",
                            instance);
}

int32_t wf_sqlite_disown(void *self, const char *instance, const char *owner, wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin(db, error);
    return status ? status : wf_sqlite_end(db, give_up(db, instance, owner, error), error);
}

static int32_t drop_rows(wf_sqlite *db, const wf_sqlite_found *found, wfsm_error *error)
{
    const enum wf_sql parts[] = {WF_SQL_REMOVE_JOURNAL,     WF_SQL_REMOVE_HEAD,
                                 WF_SQL_REMOVE_CHECKPOINTS, WF_SQL_REMOVE_POSTS,
                                 WF_SQL_OWING_DELETE,       WF_SQL_ATTRIBUTES_DELETE,
                                 WF_SQL_REMOVE_INSTANCE};
    int32_t status = done(db, wf_sqlite_tell_owner(db, found->head.owner), error);
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++) {
        wf_sql_binder remove = wf_sql_bind(db, parts[i]);
        wf_sql_bind_int(&remove, found->key);
        status = done(db, wf_sql_run(&remove), error);
    }
    return status;
}

int32_t wf_sqlite_remove(void *self, const char *instance, wfsm_error *error)
{
    wf_sqlite *db = self;
    wf_sqlite_found found;
    int32_t status = wf_sqlite_begin(db, error);
    if (status)
        return status;
    status = wf_sqlite_find(db, instance, &found, NULL);
    if (status == WFSM_NOT_FOUND) {
        wf_sqlite_rollback(db);
        return WFSM_OK;
    }
    wf_sqlite_cache_forget(db, instance);
    if (!status)
        status = drop_rows(db, &found, error);
    return wf_sqlite_end(db, status, error);
}
