/* postgres/pg_where.c: the conditions of a query on attributes, as SQL. lib/store/where.c says what they mean. */
#include "pg.h"

#include <stdio.h>
#include <string.h>

/* The parameters: names, texts and numbers of all conditions, each an array. */
#define NAME_OF(i) "($15::text[])[" i "]"
#define TEXT_OF(i) "($16::text[])[" i "]"
#define NUMBER_OF(i) "(($17::text[])[" i "])::double precision"

/* What a condition says of a, a row of the table attribute. ~ is the index of the condition. */
static const char *const numbers[] = {
    [WFSM_EQUAL] =
        "(a.number = " NUMBER_OF("~") " OR a.number IS NULL AND a.text = " TEXT_OF("~") ")",
    [WFSM_NOT_EQUAL] =
        "(a.number <> " NUMBER_OF("~") " OR a.number IS NULL AND a.text <> " TEXT_OF("~") ")",
    [WFSM_LESS] = "a.number < " NUMBER_OF("~"),
    [WFSM_LESS_OR_EQUAL] = "a.number <= " NUMBER_OF("~"),
    [WFSM_GREATER] = "a.number > " NUMBER_OF("~"),
    [WFSM_GREATER_OR_EQUAL] = "a.number >= " NUMBER_OF("~"),
};
static const char *const texts[] = {
    [WFSM_EQUAL] = "a.number IS NULL AND a.text = " TEXT_OF("~"),
    [WFSM_NOT_EQUAL] = "(a.number IS NOT NULL OR a.text <> " TEXT_OF("~") ")",
    [WFSM_LESS] = "a.number IS NULL AND a.text < " TEXT_OF("~"),
    [WFSM_LESS_OR_EQUAL] = "a.number IS NULL AND a.text <= " TEXT_OF("~"),
    [WFSM_GREATER] = "a.number IS NULL AND a.text > " TEXT_OF("~"),
    [WFSM_GREATER_OR_EQUAL] = "a.number IS NULL AND a.text >= " TEXT_OF("~"),
};

/* @ is the schema. */
static const char begins[] = " AND h.instance IN (SELECT a.instance FROM @attribute AS a"
                             " WHERE a.namespace = $1 AND a.name = " NAME_OF("~") " AND ";

static size_t put(char *out, const char *text, const char *schema, size_t index)
{
    size_t used = 0;

    for (; *text; text++)
        if (*text == '@')
            used += (size_t)sprintf(out + used, "%s.", schema);
        else if (*text == '~')
            used += (size_t)sprintf(out + used, "%zu", index);
        else
            out[used++] = *text;
    out[used] = '\0';
    return used;
}

enum { MOST_BYTES = 512 };

char *wf_pg_where_text(const wf_pg *db, const wfsm_query *query)
{
    const char *list = db->sql[WF_PG_LIST];
    size_t used = strlen(list) - (sizeof WF_PG_LIST_END - 1);
    char quoted[WF_PG_QUOTED];
    char *text = wf_pg_take(db, strlen(list) + 1 + query->where_count * MOST_BYTES);

    if (!text || !wf_pg_quote(db->schema, quoted))
        return text;
    memcpy(text, list, used);
    for (size_t i = 0; i < query->where_count; i++) {
        const wfsm_condition *condition = query->where[i];

        used += put(text + used, begins, quoted, i + 1);
        used +=
            put(text + used, (condition->is_number ? numbers : texts)[condition->comparison],
                quoted, i + 1);
        used += put(text + used, ")", quoted, i + 1);
    }
    memcpy(text + used, WF_PG_LIST_END, sizeof WF_PG_LIST_END);
    return text;
}

void wf_pg_where_put(wf_pg_values *values, const wfsm_query *query)
{
    wf_pg_columns(values, "ttt");
    for (size_t i = 0; i < query->where_count; i++) {
        char number[32];

        snprintf(number, sizeof number, "%.17g", query->where[i]->number);
        wf_pg_put_text(values, query->where[i]->name);
        wf_pg_put_text(values, query->where[i]->value);
        wf_pg_put_text(values, number);
    }
    wf_pg_columns_end(values);
}
