/* sqlite/conditions.c: the conditions of a query on attributes, as SQL. lib/store/where.c says what they mean. */
#include "database.h"

static const char *const comparisons[] = {[WFSM_LESS] = "<",
                                          [WFSM_LESS_OR_EQUAL] = "<=",
                                          [WFSM_GREATER] = ">",
                                          [WFSM_GREATER_OR_EQUAL] = ">="};

/* The parameters of a condition: its name, its value as a text, and, if it is one, as a number. */
static int parameters_of(const wfsm_condition *condition)
{
    return condition->is_number ? 3 : 2;
}

static void write_one(sqlite3_str *out, const wfsm_condition *condition, int name)
{
    int text = name + 1, number = name + parameters_of(condition) - 1;

    sqlite3_str_appendf(
        out, " AND i.key IN (SELECT a.instance FROM attribute AS a WHERE a.name = ?%d", name);
    if (condition->comparison == WFSM_EQUAL)
        sqlite3_str_appendf(out, " AND a.value IN (?%d, ?%d))", text, number);
    else if (condition->comparison == WFSM_NOT_EQUAL)
        sqlite3_str_appendf(out, " AND a.value NOT IN (?%d, ?%d))", text, number);
    else
        sqlite3_str_appendf(out, " AND a.value %s ?%d AND (typeof(a.value) = 'text') = %d)",
                            comparisons[condition->comparison], number, !condition->is_number);
}

int32_t wf_sqlite_where(wf_sqlite *db, const wfsm_query *query, wfsm_error *error)
{
    sqlite3_str *out = sqlite3_str_new(db->connection);
    int next = WF_SQLITE_WHERE;
    char *text;
    int32_t status;

    sqlite3_str_appendall(out, query->undelivered ? "i.key IN (SELECT key FROM owing)" : "1");
    for (size_t i = 0; i < query->where_count; i++) {
        write_one(out, query->where[i], next);
        next += parameters_of(query->where[i]);
    }
    text = sqlite3_str_finish(out);
    status = text ? wf_sqlite_prepare_list(db, text, error)
                  : wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be read", error);
    sqlite3_free(text);
    return status;
}

void wf_sqlite_where_bind(wf_sql_binder *select, const wfsm_query *query)
{
    for (size_t i = 0; i < query->where_count; i++) {
        const wfsm_condition *condition = query->where[i];

        wf_sql_bind_text(select, condition->name);
        wf_sql_bind_text(select, condition->value);
        if (condition->is_number)
            wf_sql_bind_double(select, condition->number);
    }
}

void wf_sqlite_where_end(wf_sqlite *db)
{
    sqlite3_finalize(db->statements[WF_SQL_LIST_WHERE]);
    db->statements[WF_SQL_LIST_WHERE] = NULL;
}
