/* The schedules of an engine (wfsm/schedule.h). What a schedule does is decided between rounds, when the
 * engine and its store are free; so it takes no slot, and a round is not held up. */
#include <wfsm/schedule.h>

#include <stdlib.h>
#include <string.h>

#include "agent_error.h"
#include "schedule_decide.h"
#include "schedule_document.h"
#include "schedule_machine.h"

/* How often the store is asked, and how many schedules are decided at once. What is left is decided in the
 * next call. */
enum { LOOK_MS = 1000, MOST_OPEN = 256, MOST_DOCUMENT = 1024 * 1024 };

struct wfsm_schedules {
    wfsm_engine *engine;
    wfsm_store *store;
    int64_t now; /* of this run */
    int64_t looked; /* when the store was asked; -1: not yet */
    int64_t due; /* of all that this has decided, the next time, or at once */
};

/* The ids that a listing gives. */
typedef struct wfa_schedule_ids {
    char *list[MOST_OPEN];
    size_t count;
} wfa_schedule_ids;

/* ---- documents ---- */

static int32_t invalid(wfsm_error *error, const char *message)
{
    return wfsm_error_set(error, WFSM_INVALID, message);
}

/* NULL, and the status in why. */
static json_t *parse(const char *json, size_t length, wfa_error *why)
{
    json_error_t where;
    json_t *document;

    if (length > MOST_DOCUMENT) {
        (void)wfa_fail_as(why, WFSM_LIMIT, "a schedule document has at most 1 MiB");
        return NULL;
    }
    document = json_loadb(json, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (!document)
        (void)wfa_fail_as(why, WFSM_SYNTAX, "line %d, column %d: %s", where.line, where.column,
                          where.text);
    return document;
}

static int32_t next_of(const char *json, size_t length, int64_t after, int64_t *next,
                       wfsm_error *error)
{
    wfa_schedule schedule;
    wfa_error why = {.status = WFSM_OK};
    json_t *document = parse(json, length, &why);
    int answer = -1;

    if (document) {
        answer = wfa_schedule_read(&schedule, document, &why);
        if (answer == 0)
            answer = wfa_schedule_next_time(&schedule, after, next, &why);
        wfa_schedule_free(&schedule);
    }
    json_decref(document);
    return answer == 0 ? WFSM_OK : wfa_report(&why, error);
}

int32_t wfsm_schedule_next(const char *json, size_t length, int64_t after, int64_t *next,
                           wfsm_error *error)
{
    if (!json || !next || after < 0)
        return invalid(error,
                       "expected a schedule document, a time from 0 and room for the next");
    *next = WFSM_NEVER;
    return next_of(json, length, after, next, error);
}

static int32_t load_machine(wfsm_machine **machine, wfsm_error *error)
{
    return wfsm_machine_load(machine, wfa_schedule_machine, strlen(wfa_schedule_machine), NULL,
                             NULL, error);
}

static char *input_of(const char *json, size_t length, int64_t now)
{
    wfa_error why;
    json_t *input =
        json_pack("{s:o, s:I}", "schedule", parse(json, length, &why), "last", (json_int_t)now);
    char *text = input ? json_dumps(input, JSON_COMPACT) : NULL;

    json_decref(input);
    return text;
}

static int32_t start_schedule(wfsm_store *store, const char *id, const char *input, int64_t now,
                              wfsm_error *error)
{
    const wfsm_start_options options = {.size = sizeof options,
                                        .id = id,
                                        .store = store,
                                        .input = input,
                                        .length = strlen(input)};
    wfsm_machine *machine = NULL;
    wfsm_instance *instance = NULL;
    int32_t status = load_machine(&machine, error);

    if (status == WFSM_OK)
        status = wfsm_instance_start(&instance, machine, &options, now, error);
    wfsm_instance_free(instance);
    wfsm_machine_unref(machine);
    return status;
}

int32_t wfsm_schedule_create(wfsm_store *store, const char *id, const char *json, size_t length,
                             int64_t now, wfsm_error *error)
{
    int64_t next;
    char *input;
    int32_t status;

    if (!store || !id || !*id || !json || now < 0)
        return invalid(error, "expected a store, an id, a schedule document and a time from 0");
    if (strlen(id) > WFSM_SCHEDULE_ID_BYTES)
        return invalid(error, "the id of a schedule has at most 180 bytes");
    if ((status = next_of(json, length, now, &next, error)))
        return status;
    input = input_of(json, length, now);
    if (!input)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    status = start_schedule(store, id, input, now, error);
    free(input);
    return status;
}

/* ---- what a decision does ---- */

static int host_failed(wfsm_error *error, int32_t status, wfa_error *why)
{
    (void)wfa_fail_as(why, status, "%s", wfsm_error_message(error));
    wfsm_error_free(error);
    return -1;
}

/* Errors that come again whenever the same is tried. */
static int is_final(int32_t status)
{
    return status == WFSM_SEMANTIC || status == WFSM_SYNTAX || status == WFSM_INVALID ||
           status == WFSM_LIMIT;
}

static int host_start(void *user, const char *machine, const char *id, const json_t *input,
                      wfa_error *why)
{
    wfsm_schedules *self = user;
    wfsm_error *error = wfsm_error_new(NULL);
    char *text = input ? json_dumps(input, JSON_COMPACT) : NULL;
    int32_t status = WFSM_NO_MEMORY;

    if (error && (text || !input))
        status = wfsm_engine_start(self->engine, machine, id, text, text ? strlen(text) : 0,
                                   self->now, error);
    free(text);
    if (status != WFSM_OK && status != WFSM_EXISTS)
        return host_failed(error, is_final(status) ? WFSM_DENIED : status, why);
    wfsm_error_free(error);
    return 0;
}

static int host_stop(void *user, const char *id, const char *for_id, wfa_error *why)
{
    wfsm_schedules *self = user;
    wfsm_error *error = wfsm_error_new(NULL);
    const wfsm_post post = {.size = sizeof post,
                            .kind = WFSM_POST_STOP,
                            .instance = id,
                            .name = "stop",
                            .id = for_id,
                            .data = "null",
                            .length = strlen("null"),
                            .now = self->now,
                            .interface = WFSM_INTERFACE_ENGINE};
    int32_t status = wfsm_store_submit(self->store, &post, error);

    if (status != WFSM_OK && status != WFSM_EXISTS && status != WFSM_NOT_FOUND)
        return host_failed(error, status, why);
    wfsm_error_free(error);
    return 0;
}

static int host_is_running(void *user, const char *id, int *running, wfa_error *why)
{
    wfsm_schedules *self = user;
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(self->store, id, &head, error);

    *running = status == WFSM_OK && head.status == WFSM_RUNNING;
    if (status != WFSM_OK && status != WFSM_NOT_FOUND)
        return host_failed(error, status, why);
    wfsm_error_free(error);
    return 0;
}

static wfa_schedule_host host_of(wfsm_schedules *self)
{
    return (wfa_schedule_host){
        .user = self, .start = host_start, .stop = host_stop, .is_running = host_is_running};
}

/* ---- one schedule ---- */

static int32_t tell(wfsm_schedules *self, const char *id, const char *event, const json_t *data,
                    wfsm_error *error)
{
    char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
    int32_t status, outcome;

    if (data && !text)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    status = wfsm_engine_send(self->engine, id, event, NULL, text, text ? strlen(text) : 0,
                              self->now, &outcome, error);
    free(text);
    return status;
}

static void note_next(wfsm_schedules *self, const json_t *decided)
{
    const json_t *next = json_object_get(decided, "next");
    int64_t time = json_is_integer(next) ? json_integer_value(next) : WFSM_NEVER;

    if (json_is_true(json_object_get(decided, "more")))
        time = self->now;
    if (time < self->due)
        self->due = time;
}

static int32_t decide(wfsm_schedules *self, const char *id, const json_t *context,
                      wfsm_error *error)
{
    const wfa_schedule_host host = host_of(self);
    wfa_error why = {.status = WFSM_OK};
    json_t *decided = wfa_schedule_decide(id, context, self->now, &host, &why);
    int32_t status =
        decided ? tell(self, id, "decided", decided, error) : wfa_report(&why, error);

    if (status == WFSM_OK)
        note_next(self, decided);
    json_decref(decided);
    return status;
}

static int32_t free_buffered(wfsm_schedules *self, const char *id, const json_t *context,
                             wfsm_error *error)
{
    const wfa_schedule_host host = host_of(self);
    wfa_error why = {.status = WFSM_OK};
    int is_free = 0;
    int32_t status;

    if (wfa_schedule_is_free(context, &host, &is_free, &why) != 0)
        return wfa_report(&why, error);
    if (!is_free)
        return WFSM_OK;
    status = tell(self, id, "free", NULL, error);
    return status == WFSM_OK ? decide(self, id, context, error) : status;
}

static int32_t name_schedule(const char *id, int32_t status, wfsm_error *error)
{
    wfa_error why;

    (void)wfa_fail_as(&why, status, "schedule %s: %s", id, wfsm_error_message(error));
    return wfa_report(&why, error);
}

/* Those of other engines are left to them. */
static int32_t serve(wfsm_schedules *self, const char *id, wfsm_error *error)
{
    wfsm_instance *instance = wfsm_engine_instance(self->engine, id);
    int is_deciding = wfsm_instance_in(instance, "deciding");
    int32_t status = WFSM_OK;
    const char *text;
    size_t length;
    json_t *context;

    if (!is_deciding && !wfsm_instance_in(instance, "buffered"))
        return WFSM_OK;
    text = wfsm_instance_context(instance, &length);
    context = text ? json_loadb(text, length, 0, NULL) : NULL;
    if (!context)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    status = is_deciding ? decide(self, id, context, error)
                         : free_buffered(self, id, context, error);
    json_decref(context);
    return status == WFSM_OK ? status : name_schedule(id, status, error);
}

/* ---- all of them ---- */

static int32_t note_id(void *user, const wfsm_row *row)
{
    wfa_schedule_ids *ids = user;

    if (ids->count < MOST_OPEN && (ids->list[ids->count] = strdup(row->head->instance)))
        ids->count++;
    return WFSM_OK;
}

/* A store that does not search attributes is asked by tag. */
static int32_t list_open(wfsm_schedules *self, const char *after, wfa_schedule_ids *ids,
                         wfsm_error *error)
{
    const wfsm_condition open = {
        .size = sizeof open, .name = "schedule", .comparison = WFSM_EQUAL, .value = "open"};
    const wfsm_condition *const where[] = {&open};
    wfsm_query query = {.size = sizeof query,
                        .after = after,
                        .machine = WFSM_SCHEDULE_MACHINE,
                        .status = WFSM_RUNNING,
                        .limit = MOST_OPEN,
                        .where = where,
                        .where_count = 1};
    int32_t status = wfsm_store_list(self->store, &query, note_id, ids, error);

    if (status != WFSM_DENIED)
        return status;
    query.where_count = 0;
    query.tag = "open";
    return wfsm_store_list(self->store, &query, note_id, ids, error);
}

/* The first failure is the one that is returned. */
static int32_t serve_ids(wfsm_schedules *self, const wfa_schedule_ids *ids, wfsm_error *error)
{
    int32_t first = WFSM_OK, status;
    size_t index;

    for (index = 0; index < ids->count; index++) {
        status = serve(self, ids->list[index], first == WFSM_OK ? error : NULL);
        first = first == WFSM_OK ? status : first;
    }
    return first;
}

static int32_t serve_all(wfsm_schedules *self, wfsm_error *error)
{
    wfa_schedule_ids ids;
    char after[256] = "";
    int32_t first = WFSM_OK, status;

    do {
        ids.count = 0;
        status = list_open(self, *after ? after : NULL, &ids, error);
        if (status == WFSM_OK)
            status = serve_ids(self, &ids, first == WFSM_OK ? error : NULL);
        first = first == WFSM_OK ? status : first;
        if (ids.count > 0)
            (void)strncpy(after, ids.list[ids.count - 1], sizeof after - 1);
        for (size_t index = 0; index < ids.count; index++)
            free(ids.list[index]);
    } while (ids.count == MOST_OPEN && first == WFSM_OK);
    return first;
}

int32_t wfsm_schedules_new(wfsm_schedules **schedules, wfsm_engine *engine, wfsm_store *store,
                           wfsm_error *error)
{
    wfsm_machine *machine = NULL;
    int32_t status;

    if (!schedules || !engine || !store)
        return invalid(error, "expected an engine and its store");
    *schedules = NULL;
    status = load_machine(&machine, error);
    if (status == WFSM_OK)
        status = wfsm_engine_add_machine(engine, machine, error);
    wfsm_machine_unref(machine);
    if (status != WFSM_OK)
        return status;
    *schedules = calloc(1, sizeof **schedules);
    if (!*schedules)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    **schedules = (struct wfsm_schedules){
        .engine = engine, .store = store, .looked = -1, .due = WFSM_NEVER};
    return WFSM_OK;
}

void wfsm_schedules_free(wfsm_schedules *schedules)
{
    free(schedules);
}

static int is_time(const wfsm_schedules *self)
{
    return self->looked < 0 || self->now < self->looked ||
           self->now - self->looked >= LOOK_MS || self->now >= self->due;
}

int32_t wfsm_schedules_run(wfsm_schedules *schedules, int64_t now, wfsm_error *error)
{
    if (!schedules || now < 0)
        return invalid(error, "expected schedules and a time from 0");
    schedules->now = now;
    if (!is_time(schedules))
        return WFSM_OK;
    schedules->looked = now;
    if (now >= schedules->due)
        schedules->due = WFSM_NEVER;
    return serve_all(schedules, error);
}
