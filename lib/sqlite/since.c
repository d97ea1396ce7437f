/* sqlite/since.c: what was committed since an earlier call. The keys of the journal rise with the commits. The
 * last ones may be given out again after a removal: so a place has a digest of its row, too. */
#include "database.h"

#include <stdlib.h>
#include <string.h>

static const char start[] = "0"; /* nothing was committed yet */

/* The place of the row with the key; 0: of the last one. "" if there is no such row. */
static int32_t read_place(wf_sqlite *db, int64_t key, char place[WFSM_PLACE], wfsm_error *error)
{
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_JOURNAL_PLACE);
    int32_t status = WFSM_OK;
    if (key > 0)
        wf_sql_bind_int(&select, key);
    else
        wf_sql_bind_text(&select, NULL);
    int code = wf_sql_step(&select);
    *place = '\0';
    if (code == SQLITE_ROW) {
        wf_sql_columns row = wf_sql_columns_of(db, WF_SQL_JOURNAL_PLACE);
        wf_sql_column_int(&row);
        const char *text = wf_sql_column_text(&row, NULL);
        strncat(place, text, WFSM_PLACE - 1);
        status = wf_sql_columns_end(&row, error);
    } else if (code != SQLITE_DONE) {
        status = wf_sqlite_fail(db, code, "cannot be read", error);
    }
    wf_sql_reset(&select);
    return status;
}

/* The key of the row that the place names; -1: it is not there as it was. */
static int32_t find_place(wf_sqlite *db, const char *place, int64_t *key, wfsm_error *error)
{
    char found[WFSM_PLACE];
    *key = 0;
    if (strcmp(place, start) == 0)
        return WFSM_OK;
    *key = strtoll(place, NULL, 10);
    int32_t status = *key > 0 ? read_place(db, *key, found, error) : WFSM_OK;
    if (*key <= 0 || strcmp(found, place) != 0)
        *key = -1;
    return status;
}

static int32_t list_since(wf_sqlite *db, int64_t key, wfsm_row_sink sink, void *user,
                          wfsm_error *error)
{
    wf_sql_binder select = wf_sql_bind(db, WF_SQL_LIST_SINCE);
    wf_sql_bind_int(&select, key);
    int32_t status = wf_sqlite_pass_heads(db, &select, WF_SQL_LIST_SINCE, sink, user, error);
    wf_sql_reset(&select);
    return status;
}

static int32_t look(wf_sqlite *db, wfsm_since *asked, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    char last[WFSM_PLACE];
    int64_t key = -1;
    int32_t status = *asked->place ? find_place(db, asked->place, &key, error) : WFSM_OK;
    if (!status)
        status = read_place(db, 0, last, error);
    if (!status && key >= 0)
        status = list_since(db, key, sink, user, error);
    if (status)
        return status;
    asked->lost = *asked->place && key < 0;
    memcpy(asked->place, *last ? last : start, (*last ? strlen(last) : strlen(start)) + 1);
    return WFSM_OK;
}

int32_t wf_sqlite_since(void *self, wfsm_since *asked, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    wf_sqlite *db = self;
    int32_t status = wf_sqlite_begin_reading(db, error);
    if (status)
        return status;
    status = look(db, asked, sink, user, error);
    wf_sqlite_end_reading(db);
    return status;
}
