/* postgres/pg_resolve.c: lost answers. A commit whose answer was lost may still be on its way, in a pool or
 * in a session of the server that nobody hears any more. Before this handle reads or writes anything else,
 * it takes the locks of the heads concerned and raises their epochs. After that the commit is either stored,
 * or it can never be. A lost start has no head to lock: a row of revision 0 takes its place. What is no
 * commit, such as a post or a removal, has a random number, and looks behind its locks whether this number
 * was given up. */
#include "pg.h"

#include <string.h>

static bool is_noted(const wf_pg_doubts *doubts, const char *instance, int64_t base)
{
    for (size_t i = 0; i < doubts->count; i++)
        if (doubts->list[i].base == base && strcmp(doubts->list[i].instance, instance) == 0)
            return true;
    return false;
}

bool wf_pg_doubts_reserve(wf_pg *db, size_t count)
{
    wf_pg_doubts *doubts = &db->doubts;
    size_t room = doubts->count + count;
    wf_pg_doubt *list;

    if (room <= doubts->room)
        return true;
    list = wf_pg_grow(db, doubts->list, room * sizeof *list);
    if (!list)
        return false;
    doubts->list = list;
    doubts->room = room;
    return true;
}

void wf_pg_doubt_note_attempt(wf_pg *db, int64_t attempt)
{
    wf_pg_doubts *doubts = &db->doubts;

    if (attempt != 0 && doubts->attempt_count < sizeof doubts->attempts / sizeof attempt)
        doubts->attempts[doubts->attempt_count++] = attempt;
}

void wf_pg_doubt_note(wf_pg *db, const char *instance, int64_t base)
{
    wf_pg_doubts *doubts = &db->doubts;
    wf_pg_doubt *doubt;

    if (is_noted(doubts, instance, base) || doubts->count == doubts->room)
        return;
    doubt = &doubts->list[doubts->count++];
    memcpy(doubt->instance, instance, strnlen(instance, 255) + 1);
    doubt->instance[255] = '\0';
    doubt->base = base;
}

static void put_doubts(const wf_pg *db, wf_pg_values *values)
{
    wf_pg_text(values, db->tenant);
    wf_pg_columns(values, "ti");
    for (size_t i = 0; i < db->doubts.count; i++) {
        wf_pg_put_text(values, db->doubts.list[i].instance);
        wf_pg_put_number(values, db->doubts.list[i].base);
    }
    wf_pg_columns_end(values);
}

static void put_attempts(const wf_pg *db, wf_pg_values *values)
{
    wf_pg_text(values, db->tenant);
    wf_pg_columns(values, "i");
    for (size_t i = 0; i < db->doubts.attempt_count; i++)
        wf_pg_put_number(values, db->doubts.attempts[i]);
    wf_pg_columns_end(values);
}

static bool learn(wf_pg *db, const PGresult *result)
{
    bool fine = true;

    for (int i = 0; i < PQntuples(result); i++)
        fine &= wf_pg_epoch_learn(db, wf_pg_text_of(result, i, 0), wf_pg_int_of(result, i, 1));
    return fine;
}

static enum wf_pg_end ask(wf_pg *db, wf_pg_pipe *pipe, const wf_pg_values *values,
                          const wf_pg_values *attempts)
{
    wf_pg_pipe_begin(pipe, db);
    wf_pg_pipe_add(pipe, WF_PG_LOCK, values);
    wf_pg_pipe_add(pipe, WF_PG_RESOLVE, values);
    wf_pg_pipe_add(pipe, WF_PG_RESOLVE_STARTS, values);
    if (db->doubts.attempt_count > 0)
        wf_pg_pipe_add(pipe, WF_PG_FENCE, attempts);
    return wf_pg_pipe_end(pipe);
}

/* An epoch that could not be remembered makes the next commit conflict, no more. */
static int32_t settle(wf_pg *db, wf_pg_pipe *pipe, enum wf_pg_end end, int32_t failure,
                      wfsm_error *error)
{
    if (end == WF_PG_REFUSED)
        return wf_pg_fail(db, pipe->failed, failure, error);
    if (end != WF_PG_DONE)
        return wf_pg_refuse(db, failure, error,
                            "an answer was lost, and the server does not yet say "
                            "what became of it");
    if (!learn(db, pipe->results[1]) || !learn(db, pipe->results[2]))
        return wf_pg_no_memory(error);
    db->doubts.count = db->doubts.attempt_count = 0;
    return WFSM_OK;
}

enum { ATTEMPTS = 20 };

static int32_t resolve(wf_pg *db, const wf_pg_values *values, const wf_pg_values *attempts,
                       int32_t failure, wfsm_error *error)
{
    wf_pg_pipe pipe;
    enum wf_pg_end end;
    int32_t status;

    if (values->failed || attempts->failed)
        return wf_pg_no_memory(error);
    for (int i = 0; (end = ask(db, &pipe, values, attempts)) == WF_PG_REFUSED && i < ATTEMPTS &&
                    wf_pg_may_repeat(pipe.failed);
         i++) {
        wf_pg_pipe_free(&pipe);
        wf_pg_back_off(db, i);
    }
    status = settle(db, &pipe, end, failure, error);
    wf_pg_pipe_free(&pipe);
    return status;
}

int32_t wf_pg_resolve(wf_pg *db, int32_t failure, wfsm_error *error)
{
    wf_pg_values values, attempts;
    int32_t status;

    if (db->doubts.count == 0 && db->doubts.attempt_count == 0)
        return WFSM_OK;
    wf_pg_values_init(&values, db);
    wf_pg_values_init(&attempts, db);
    put_doubts(db, &values);
    put_attempts(db, &attempts);
    status = resolve(db, &values, &attempts, failure, error);
    wf_pg_values_fini(&attempts);
    wf_pg_values_fini(&values);
    return status;
}
