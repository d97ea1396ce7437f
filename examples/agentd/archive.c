#include "archive.h"

#include <stdlib.h>

#include "archive_work.h"

/* ---- moving ---- */

static int place_spec(const archive_work *at, const char *name)
{
    int there = archive_has(at, ARCHIVE_SPECS, name);

    if (there < 0 ||
        (there == 1 && archive_move(at, ARCHIVE_SPECS, ARCHIVE_STAGE_OLD, name) != 0))
        return -1;
    return archive_move(at, ARCHIVE_STAGE_SPECS, ARCHIVE_SPECS, name);
}

/* Only renames. The archive is complete with the last one. */
static int move_all(const archive_work *at)
{
    const json_t *spec;
    size_t index;

    json_array_foreach(at->specs, index,
                       spec) if (place_spec(at, archive_spec_name(spec)) != 0) return -1;
    return archive_move(at, ARCHIVE_CHANGE, ARCHIVE_TARGET, NULL);
}

/* A folder without files is not kept. */
static int has_replaced(const archive_work *at)
{
    const json_t *spec;
    size_t index;
    int has = 0;

    json_array_foreach(at->specs, index, spec) if (has == 0) has =
        archive_has(at, ARCHIVE_STAGE_OLD, archive_spec_name(spec));
    return has;
}

/* After the last rename. Nothing is undone from here on. */
static int finish(const archive_work *at)
{
    int replaced = has_replaced(at);

    if (replaced < 0 ||
        (replaced && archive_move(at, ARCHIVE_STAGE_OLD, ARCHIVE_KEPT, NULL) != 0))
        return -1;
    return archive_clean(at);
}

/* 1: the change's folder has moved, 0: it has not. */
static int is_decided(const archive_work *at)
{
    int change = archive_has(at, ARCHIVE_CHANGE, NULL);

    return change != 0 ? -(change < 0) : archive_has(at, ARCHIVE_TARGET, NULL);
}

/* Undoes what this call or an earlier one has left or, after the last rename, finishes it. 1:
 * the change is archived; 0: nothing has happened. */
static int settle(archive_work *at)
{
    int intent = archive_read_intent(at);
    int decided = intent < 0 ? -1 : is_decided(at);

    if (decided < 0)
        return -1;
    if (!intent)
        return archive_clean(at) != 0 ? -1 : decided;
    if (!decided)
        return archive_undo(at);
    return finish(at) != 0 ? -1 : decided;
}

static int refuse(const archive_work *at, int there, archive_folder folder, const char *name)
{
    char *path = there == 1 ? archive_path(at, folder, name) : NULL;

    if (path)
        (void)host_fail(at->error, "%s: exists already", path);
    free(path);
    return there == 0 ? 0 : -1;
}

static int check_places(const archive_work *at)
{
    int there = archive_has(at, ARCHIVE_CHANGE, NULL);

    if (there < 0)
        return -1;
    if (there == 0)
        return host_fail(at->error, "agentd/changes/%s: no such change", at->order->id);
    there = archive_has(at, ARCHIVE_TARGET, NULL);
    if (refuse(at, there, ARCHIVE_TARGET, NULL) != 0)
        return -1;
    /* The place where replaced specs would be kept. */
    there = archive_has(at, ARCHIVE_CHANGE, "replaced-specs");
    return refuse(at, there, ARCHIVE_CHANGE, "replaced-specs");
}

/* ---- the call ---- */

/* The first error is reported. */
static int give_up(archive_work *at)
{
    host_error first = *at->error, *told = at->error, second;
    int settled;

    at->error = &second;
    settled = settle(at);
    at->error = told;
    if (settled > 0)
        return 0;
    if (settled == 0)
        return host_fail(told, "%s", first.message);
    return host_fail(
        told, "%.600s; the archive of %s is half done: run the same command again to continue",
        first.message, at->order->id);
}

static int archive_now(archive_work *at, json_t **conflicts)
{
    if (check_places(at) != 0 || archive_compare(at, conflicts) != 0)
        return -1;
    if (*conflicts)
        return 0;
    if (archive_stage(at) != 0 || move_all(at) != 0 || finish(at) != 0)
        return give_up(at);
    return 0;
}

int archive_change(const archive_order *order, json_t **conflicts, host_error *error)
{
    host_error unheard;
    archive_work at = {
        .order = order, .specs = json_array(), .error = error ? error : &unheard};
    int done;

    *conflicts = NULL;
    done = change_id_check(order->id, at.error);
    if (done == 0)
        done = settle(&at);
    if (done == 0 && json_array_clear(at.specs) != 0)
        done = host_fail(at.error, "out of memory");
    if (done == 0)
        done = archive_now(&at, conflicts);
    json_decref(at.specs);
    return done < 0 ? -1 : 0;
}

/* One that was interrupted continues. */
static int has_begun(const archive_work *at)
{
    int decided = is_decided(at);

    return decided != 0 ? decided : archive_has(at, ARCHIVE_STAGE, "intent.json");
}

int archive_look(const archive_order *order, json_t **conflicts, host_error *error)
{
    host_error unheard;
    archive_work at = {
        .order = order, .specs = json_array(), .error = error ? error : &unheard};
    int done = change_id_check(order->id, at.error), begun = done == 0 ? has_begun(&at) : -1;

    *conflicts = NULL;
    if (begun == 0 && check_places(&at) == 0 && archive_compare(&at, conflicts) == 0)
        begun = 1;
    else if (begun == 0)
        begun = -1;
    json_decref(at.specs);
    return begun < 0 ? -1 : 0;
}

int archive_is_open(const project *in, const char *id)
{
    archive_order order = {.in = in, .id = id};
    host_error unheard;
    archive_work at = {.order = &order, .error = &unheard};

    return change_id_check(id, NULL) == 0 &&
           archive_has(&at, ARCHIVE_STAGE, "intent.json") == 1;
}
