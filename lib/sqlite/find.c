#include "database.h"

#include <string.h>

enum { NAME_BYTES = 255 }; /* no name is longer */

bool wf_sqlite_fits(const wf_sqlite_place *place)
{
    return place->first && place->first <= place->revision &&
           place->snapshot_revision <= place->revision &&
           !place->snapshot_revision == !place->snapshot &&
           strlen(place->owner) <= NAME_BYTES && strlen(place->machine) <= NAME_BYTES;
}

int32_t wf_sqlite_astray(const wf_sqlite *db, int64_t instance, uint64_t revision,
                         wfsm_error *error)
{
    return wf_sqlite_refuse(db, WFSM_CORRUPT, error,
                            "row of revision %llu of the instance with key %lld is not "
                            "where table journal should have it",
                            (unsigned long long)revision, (long long)instance);
}

static int32_t read_place(wf_sqlite *db, wf_sqlite_place *place, wfsm_error *error)
{
    wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_FIND);
    place->key = wf_sql_column_int(&row);
    place->revision = wf_sql_column_count(&row);
    place->owner = wf_sql_column_text(&row, NULL);
    place->machine = wf_sql_column_text(&row, NULL);
    place->document = wf_sql_column_int(&row);
    place->last = wf_sql_column_int(&row);
    place->status = wf_sql_column_int(&row);
    place->first = wf_sql_column_count(&row);
    if (!row.bad && (!place->first || place->first > place->revision))
        row.bad = row.next;
    bool sound = !row.bad;
    place->effects = wf_sql_column_count(&row);
    place->snapshot_revision = wf_sql_column_count(&row);
    place->snapshot = wf_sql_column_link(&row);
    if (place->snapshot_revision == place->revision)
        place->snapshot = place->last;
    if (!row.bad && !wf_sqlite_fits(place))
        row.bad = row.next;
    wf_sql_column_proof(&row);
    if (sound && row.bad)
        return wf_sqlite_astray(db, place->key, place->revision, error);
    return wf_sql_columns_end(&row, error);
}

/* Out of the file, and kept. */
static int32_t take(wf_sqlite *db, const char *instance, wf_sqlite_place *place,
                    wfsm_error *error)
{
    int32_t status = read_place(db, place, error);
    if (!status && !(wf_sqlite_keep_place(db, instance, place) &&
                     wf_sqlite_known_place(db, instance, place)))
        status = wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be read", error);
    return status;
}

int32_t wf_sqlite_look_for(wf_sqlite *db, const char *instance, wf_sqlite_place *place,
                           wfsm_error *error)
{
    int32_t status = WFSM_OK;
    if (wf_sqlite_known_place(db, instance, place))
        return WFSM_OK;
    *place = (wf_sqlite_place){.owner = "", .machine = ""};
    wf_sql_binder find = wf_sql_bind(db, WF_SQL_FIND);
    wf_sql_bind_text(&find, instance);
    int code = wf_sql_step(&find);
    if (code == SQLITE_ROW)
        status = take(db, instance, place, error);
    else if (code != SQLITE_DONE)
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    wf_sql_reset(&find);
    return status;
}

int32_t wf_sqlite_find(wf_sqlite *db, const char *instance, wf_sqlite_place *place,
                       wfsm_error *error)
{
    int32_t status = wf_sqlite_look_for(db, instance, place, error);
    if (status || place->key)
        return status;
    return wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "there is no instance '%s'", instance);
}
