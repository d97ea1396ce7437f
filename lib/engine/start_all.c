/* engine/start_all.c: many instances are started, with one exchange for each thousand of them. */
#include "base/sized.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/instances.h"
#include "engine/round.h"

/* Instances that one round starts at most, so that its transaction is of bounded size. */
enum { STARTS = 1000 };

typedef struct wf_starts {
    const wfsm_start *const *list;
    size_t count;
    int32_t *answers;
    size_t first; /* the first one that is known to have failed; count: none */
    wfsm_error *error; /* describes it */
} wf_starts;

static void note_failure(wf_starts *self, size_t at, const char *message)
{
    const wfsm_start *what = self->list[at];
    bool whole = wf_struct_fits(what, sizeof *what, WF_SIZE_UP_TO(wfsm_start, length));
    const char *id = whole ? what->id : NULL;

    if (at >= self->first)
        return;
    self->first = at;
    wf_fail(self->error, self->answers[at], "start %zu, \"%s\": %s", at,
            wf_id_valid(id) ? id : "", message);
}

static int32_t add(wfsm_engine *engine, const wfsm_start *given, int32_t *answer)
{
    wfsm_start room;
    const wfsm_start *what =
        wf_struct_view(&room, sizeof room, given, WF_SIZE_UP_TO(wfsm_start, length));
    int32_t status;

    if (!what)
        return wf_fail(engine->failed, WFSM_INVALID, "the struct, or its size, is not set");
    status = wf_start_check(what, engine->failed);
    return status == WFSM_OK ? wf_round_start(engine, what, answer, engine->failed) : status;
}

/* The store's error may be about another instance of the round, but says the same of all if the
 * round has failed as a whole. */
static const char *explain(const wfsm_engine *engine, int32_t status)
{
    if (status == WFSM_EXISTS)
        return "there is such an instance already";
    return wfsm_error_status(engine->failed) == status ? wfsm_error_message(engine->failed)
                                                       : wfsm_status_name(status);
}

static void refuse(const wfsm_engine *engine, wf_starts *self, size_t from, size_t to,
                   int32_t status)
{
    for (size_t i = from; i < to; i++)
        self->answers[i] = status;
    note_failure(self, from, explain(engine, status));
}

static void start_some(wfsm_engine *engine, wf_starts *self, size_t from, size_t to)
{
    int32_t status = wf_round_open(engine, engine->failed);

    if (status != WFSM_OK) {
        refuse(engine, self, from, to, status);
        return;
    }
    for (size_t i = from; i < to; i++) {
        self->answers[i] = add(engine, self->list[i], &self->answers[i]);
        if (self->answers[i] != WFSM_OK)
            note_failure(self, i, wfsm_error_message(engine->failed));
    }
    wf_round_of_one(engine, WFSM_OK, NULL, engine->failed);
    for (size_t i = from; i < to && i < self->first; i++)
        if (self->answers[i] != WFSM_OK)
            note_failure(self, i, explain(engine, self->answers[i]));
}

static int32_t check(const wfsm_start *const *starts, size_t count, int64_t now,
                     const int32_t *answers, wfsm_error *error)
{
    if (count > 0 && (!starts || !answers))
        return wf_fail(error, WFSM_INVALID, "there are no starts, or no answers");
    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "the time is negative");
    return WFSM_OK;
}

int32_t wfsm_engine_start_all(wfsm_engine *engine, const wfsm_start *const *starts,
                              size_t count, int64_t now, int32_t *answers, wfsm_error *error)
{
    wf_starts self = {starts, count, answers, count, error};
    int32_t status = check(starts, count, now, answers, error);

    if (status == WFSM_OK)
        status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK) {
        for (size_t i = 0; answers && i < count; i++)
            answers[i] = status;
        return status;
    }
    if (count > STARTS)
        engine->next = NULL;
    for (size_t from = 0, to; from < count; from = to) {
        to = count - from > STARTS ? from + STARTS : count;
        start_some(engine, &self, from, to);
    }
    wf_engine_leave(engine);
    return self.first < count ? answers[self.first] : WFSM_OK;
}
