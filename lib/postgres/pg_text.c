/* postgres/pg_text.c: SQL as text, for statements without parameters. */
#include "pg.h"

#include <string.h>

enum { NAME_BYTES = 63 };

bool wf_pg_quote(const char *name, char *out)
{
    size_t length = strlen(name);

    if (length == 0 || length > NAME_BYTES)
        return false;
    *out++ = '"';
    for (; *name; name++) {
        if (*name == '"')
            *out++ = '"';
        *out++ = *name;
    }
    memcpy(out, "\"", 2);
    return true;
}

void wf_pg_text_put(wf_pg_writing *to, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, to->used++)
        if (to->used + 1 < to->room)
            to->out[to->used] = text[i];
}

void wf_pg_text_fill(wf_pg_writing *to, const char *text, const char *table)
{
    for (; *text; text++)
        if (*text == '@') {
            wf_pg_text_put(to, to->schema, strlen(to->schema));
            wf_pg_text_put(to, ".", 1);
        } else if (*text == '#') {
            wf_pg_text_put(to, table, strcspn(table, ","));
        } else {
            wf_pg_text_put(to, text, 1);
        }
}

size_t wf_pg_text_end(const wf_pg_writing *to)
{
    if (to->room > 0)
        to->out[to->used < to->room ? to->used : to->room - 1] = '\0';
    return to->used;
}

const char wf_pg_tables[] = WF_PG_TABLES;

const char *wf_pg_next_table(const char *table)
{
    table += strcspn(table, ",");
    return *table ? table + 1 : table;
}
