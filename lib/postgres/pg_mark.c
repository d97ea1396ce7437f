/* postgres/pg_mark.c: a server that was set back to an older state, from a backup or by a failover that lost
 * what was acknowledged. A handle remembers its last commit and its last lease, and checks on each new
 * connection that the server has both. A pool hides that the server was restarted, so behind a pool the handle
 * also checks whenever it writes a lease. */
#include "pg.h"

#include <string.h>

static void copy_name(char *to, const char *name)
{
    memcpy(to, name, strnlen(name, 255) + 1);
    to[255] = '\0';
}

void wf_pg_mark_commit(wf_pg *db, const char *instance, int64_t created, uint64_t revision)
{
    copy_name(db->mark.instance, instance);
    db->mark.created = created;
    db->mark.revision = (int64_t)wf_pg_bounded(revision);
}

void wf_pg_mark_session(wf_pg *db, const char *session, int64_t written)
{
    copy_name(db->mark.session, written > 0 ? session : "");
    db->mark.written = written;
}

void wf_pg_mark_forget(wf_pg *db, const char *instance)
{
    if (strcmp(db->mark.instance, instance) == 0)
        db->mark.instance[0] = '\0';
}

static void put_mark(wf_pg_values *values, wf_pg *db)
{
    wf_pg_values_init(values, db);
    wf_pg_text(values, db->tenant);
    wf_pg_text(values, db->mark.instance);
    wf_pg_number(values, db->mark.created);
    wf_pg_number(values, db->mark.revision);
    wf_pg_text(values, db->mark.session);
    wf_pg_number(values, db->mark.written);
}

bool wf_pg_mark_add(wf_pg_pipe *pipe, int *step)
{
    wf_pg_values values;
    bool fine;

    put_mark(&values, pipe->db);
    fine = !values.failed;
    if (fine)
        *step = wf_pg_pipe_add(pipe, WF_PG_MARK, &values);
    wf_pg_values_fini(&values);
    return fine;
}

int32_t wf_pg_set_back(wf_pg *db, wfsm_error *error)
{
    db->set_back = true;
    return wf_pg_refuse(
        db, WFSM_CONFLICT, error,
        "the store was set back to an older state since it was opened: what was "
        "acknowledged is not there; close it everywhere before you open it "
        "again");
}

static int32_t look(wf_pg *db, int32_t failure, wfsm_error *error)
{
    wf_pg_pipe pipe;
    enum wf_pg_end end;
    int32_t status = WFSM_OK;
    int step;

    wf_pg_pipe_begin(&pipe, db);
    pipe.broken |= !wf_pg_mark_add(&pipe, &step);
    end = wf_pg_pipe_end(&pipe);
    if (end == WF_PG_REFUSED)
        status = wf_pg_has_state(pipe.failed, "22012")
                     ? wf_pg_set_back(db, error)
                     : wf_pg_fail(db, pipe.failed, failure, error);
    else if (end != WF_PG_DONE)
        status = wf_pg_refuse(db, failure, error, "the server does not answer");
    db->looked = status == WFSM_OK;
    wf_pg_pipe_free(&pipe);
    return status;
}

int32_t wf_pg_mark_look(wf_pg *db, int32_t failure, wfsm_error *error)
{
    if (db->set_back)
        return wf_pg_set_back(db, error);
    if (!db->looked && (*db->mark.instance || *db->mark.session))
        return look(db, failure, error);
    db->looked = true;
    return WFSM_OK;
}
