/* postgres/pg_address.c: what the address says, and keeping its password out of messages. */
#include "pg.h"

#include <stdio.h>
#include <string.h>

/* libpq's own message would quote the address, with its password. */
static int32_t malformed(wfsm_error *error)
{
    if (error)
        wfsm_error_set(error, WFSM_INVALID,
                       "the address is none that libpq understands: expected "
                       "postgres://USER@HOST:PORT/DATABASE, or words KEY=VALUE");
    return WFSM_INVALID;
}

static const char *value_of(const PQconninfoOption *list, const char *keyword)
{
    for (; list->keyword; list++)
        if (strcmp(list->keyword, keyword) == 0)
            return list->val && *list->val ? list->val : NULL;
    return NULL;
}

/* Before there is a connection, and behind a pool, this is all that is known. */
static void name_place(wf_pg *db, const PQconninfoOption *list)
{
    const char *host = value_of(list, "host"), *port = value_of(list, "port");
    const char *name = value_of(list, "dbname");

    snprintf(db->place, sizeof db->place, "PostgreSQL %.60s%s%.16s%s%.40s", host ? host : "",
             port && host ? ":" : "", port ? port : "", name ? "/" : "", name ? name : "");
}

static size_t items_of(const char *list)
{
    size_t count = list != NULL;

    for (; list && *list; list++)
        count += *list == ',';
    return count;
}

size_t wf_pg_host_count(const wf_pg *db)
{
    size_t names = items_of(db->hosts[0]), numbers = items_of(db->hosts[1]);
    size_t most = names > numbers ? names : numbers;

    return most > 1 ? most : 1;
}

const char *wf_pg_item(const char *list, size_t index, char *room)
{
    size_t length;

    if (!list)
        return NULL;
    if (items_of(list) == 1)
        return list;
    for (; index > 0 && strchr(list, ','); index--)
        list = strchr(list, ',') + 1;
    length = strcspn(list, ",");
    if (length >= WF_PG_ITEM)
        length = WF_PG_ITEM - 1;
    memcpy(room, list, length);
    room[length] = '\0';
    return room;
}

/* libpq would try them itself, but could not be told how long to wait for each. */
static bool keep_hosts(wf_pg *db, const PQconninfoOption *list)
{
    static const char *const keywords[] = {"host", "hostaddr", "port"};
    bool fine = true;

    for (int i = 0; i < 3; i++) {
        const char *value = value_of(list, keywords[i]);

        db->hosts[i] = value ? wf_pg_copy(db, value) : NULL;
        fine = fine && (!value || db->hosts[i]);
    }
    return fine;
}

int32_t wf_pg_read_address(wf_pg *db, wfsm_error *error)
{
    PQconninfoOption *list = PQconninfoParse(db->address, NULL);
    const char *password;
    int32_t status = WFSM_OK;

    if (!list)
        return malformed(error);
    name_place(db, list);
    password = value_of(list, "password");
    if ((password && !(db->secret = wf_pg_copy(db, password))) || !keep_hosts(db, list))
        status = wf_pg_no_memory(error);
    PQconninfoFree(list);
    return status;
}

void wf_pg_hide_secret(const wf_pg *db, char *text)
{
    size_t length = db->secret ? strlen(db->secret) : 0;

    if (length == 0)
        return;
    for (char *at = text; (at = strstr(at, db->secret)); at += length)
        memset(at, '*', length);
}
