#include "database.h"

int32_t wf_sqlite_find(wf_sqlite *db, const char *instance, wf_sqlite_place *place,
                       wfsm_error *error)
{
    wf_sql_binder find = wf_sql_bind(db, WF_SQL_FIND);
    wf_sql_bind_text(&find, instance);
    int code = wf_sql_step(&find);
    int32_t status;
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_FIND);
        place->key = wf_sql_column_int(&row);
        place->revision = wf_sql_column_count(&row);
        wf_sql_column_text(&row, NULL);
        place->last = wf_sql_column_int(&row);
        wf_sql_column_int(&row);
        place->effects = wf_sql_column_count(&row);
        place->first = wf_sql_column_count(&row);
        if (!place->first || place->first > place->revision)
            row.bad = row.next;
        place->snapshot_revision = wf_sql_column_count(&row);
        wf_sql_column_proof(&row);
        status = wf_sql_columns_end(&row, error);
    } else if (code == SQLITE_DONE) {
        status = wf_sqlite_refuse(db, WFSM_NOT_FOUND, error,
                                  "there is no instance '%s'", instance);
    } else {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&find);
    return status;
}
