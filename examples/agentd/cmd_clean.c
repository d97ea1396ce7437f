/* agentd clean: removes the logs of changes that were archived long enough ago, or of one that is at rest. */
#include <stdio.h>

#include "agentd.h"
#include "change.h"
#include "texts.h"
#include "place.h"
#include "workspace.h"
#include "shared/run_logs.h"
#include "wfsm/shown.h"

enum { DAY = 24 * 60 * 60 * 1000 };

typedef struct cleaning {
    const arguments *given;
    place at;
    wfsm_store *store; /* NULL: there is none yet */
    wfsm_error *error;
    int has_told; /* else the command says that nothing was due */
} cleaning;

static void tell(cleaning *self, const char *id, size_t count)
{
    json_t *made;

    self->has_told = 1;
    if (!self->given->json) {
        shown_printf("%s: %zu log files are removed\n", id, count);
        return;
    }
    made = json_pack("{s:s, s:I}", "change", id, "removed", (json_int_t)count);
    shown_json(made, stdout, JSON_COMPACT);
    shown_puts("");
    json_decref(made);
}

/* A change that is named is cleaned at once. */
static int is_due(const cleaning *self, const change *now)
{
    int64_t age = wfsm_agents_now() - now->stored.updated;

    return self->given->id || (now->has_phase && now->phase == PHASE_ARCHIVED &&
                               age >= self->at.config.keep_days * DAY);
}

/* Of a change that was archived when its process was killed. */
static int remove_workspace(cleaning *self, const change *now)
{
    host_error why;
    int done = 0;

    if (now->has_phase && now->phase == PHASE_ARCHIVED)
        done = workspace_read(&self->at, now->id, &why);
    if (done == 0 && self->at.work)
        done = workspace_remove(&self->at, now->id, &why);
    json_decref(self->at.work);
    self->at.work = NULL;
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

static int clean_read(cleaning *self, const change *now)
{
    size_t count;
    int code;

    if (!now->resting && self->given->id) {
        print_error("%s: it is at work", now->id);
        return END_REFUSED;
    }
    if (!now->resting || !is_due(self, now))
        return END_DONE;
    count = host_run_logs_delete(self->at.runs, now->id, 1);
    texts_clear(&self->at, now->id);
    code = remove_workspace(self, now);
    if (count > 0 || self->given->id)
        tell(self, now->id, count);
    return code;
}

static int clean_one(cleaning *self, const char *id)
{
    change now;
    int32_t status = change_read(&now, self->store, id, self->error);
    int code = status == WFSM_OK ? clean_read(self, &now) : END_REFUSED;

    if (status == WFSM_NOT_FOUND)
        print_error("%s: there is no such change", id);
    else if (status != WFSM_OK)
        code = library_failed(id, self->error);
    change_clear(&now);
    return code;
}

static int clean_all(cleaning *self)
{
    json_t *ids = change_ids(self->store, self->error), *id;
    size_t index;
    int code = ids ? END_DONE : library_failed("the store", self->error);

    json_array_foreach(ids, index, id) if (clean_one(self, json_string_value(id)) != END_DONE)
        code = END_STORE;
    json_decref(ids);
    return code;
}

static int clean(cleaning *self)
{
    if (self->store)
        return self->given->id ? clean_one(self, self->given->id) : clean_all(self);
    if (!self->given->id)
        return END_DONE;
    print_error("%s: there is no such change", self->given->id);
    return END_REFUSED;
}

int cmd_clean(const arguments *given)
{
    cleaning self = {.given = given, .error = wfsm_error_new(NULL)};
    host_error why;
    int code = END_DONE;

    if (given->id && change_id_check(given->id, &why) != 0)
        code = host_failed(&why, END_USAGE);
    if (code == END_DONE)
        code = place_find(&self.at);
    if (code == END_DONE)
        code = place_configure(&self.at);
    if (code == END_DONE)
        code = place_open_store(&self.at, 1, &self.store, self.error);
    if (code == END_DONE)
        code = clean(&self);
    if (code == END_DONE && !self.has_told && !given->json)
        shown_puts("nothing to remove: no change was archived long enough ago");
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    place_clear(&self.at);
    return code;
}
