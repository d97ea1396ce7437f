/*
 * postgres/pg_names.c: the statements of a round are prepared once on a connection, under a name: to plan them
 * takes longer than to carry them out. This needs a session of the server's own, because a pool gives every
 * transaction another one. The server says who it is when it is asked and when a connection begins; a
 * pool says something else at the beginning.
 */
#include "pg.h"

#include <stdio.h>
#include <string.h>

/* The server keeps a plan for each. It is made for the tables as they are then, so it is made again: first when
 * the connection has made twice as many rounds, because new tables grow fast. */
enum { MOST_NAMES = 100, FIRST_ROUNDS = 16, MOST_ROUNDS = 1024 };

_Static_assert((int)WF_PG_COUNT + (int)WF_PG_FORMS <= (int)WF_PG_NAMES, "each has a bit");

void wf_pg_names_begin(wf_pg *db, const char *server_process)
{
    char told[32];

    snprintf(told, sizeof told, "%d", PQbackendPID(db->connection));
    wf_pg_names_forget(db);
    db->rounds = 0;
    db->renewal = FIRST_ROUNDS;
    db->named = strcmp(told, server_process) == 0;
}

void wf_pg_names_forget(wf_pg *db)
{
    db->named = false;
    db->name_count = 0;
    memset(db->names, 0, sizeof db->names);
}

bool wf_pg_names_renew(wf_pg *db)
{
    if (!db->named || db->rounds++ < db->renewal)
        return false;
    wf_pg_names_forget(db);
    db->named = true;
    db->rounds = 0;
    if (db->renewal < MOST_ROUNDS)
        db->renewal *= 2;
    return true;
}

bool wf_pg_names_has(const wf_pg *db, int number)
{
    return db->names[number / 64] >> (number % 64) & 1;
}

void wf_pg_names_learn(wf_pg *db, int number)
{
    if (wf_pg_names_has(db, number))
        return;
    db->names[number / 64] |= UINT64_C(1) << (number % 64);
    db->name_count++;
}

bool wf_pg_names_may(const wf_pg *db, int number)
{
    return wf_pg_names_has(db, number) || db->name_count < MOST_NAMES;
}

/* 26000: there is no such name, 42P05: there is one already, 0A000: it has other columns since. */
bool wf_pg_names_refused(wf_pg *db, const PGresult *failed)
{
    if (!db->named || !(wf_pg_has_state(failed, "26000") || wf_pg_has_state(failed, "42P05") ||
                        wf_pg_has_state(failed, "0A000")))
        return false;
    wf_pg_names_forget(db);
    return true;
}
