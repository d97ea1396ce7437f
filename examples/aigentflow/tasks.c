#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shared/worktree.h"
#include "wfsm/shown.h"

/* INSTANCE/REVISION/ORDINAL-INCARNATION is an invocation's id. */
static void cut_parent(char *id)
{
    int parts;
    char *slash;

    for (parts = 0; parts < 2; parts++) {
        slash = strrchr(id, '/');
        if (slash)
            *slash = '\0';
    }
}

/* A feature's parent is the task: features have no features. */
static void find_root(task *read)
{
    const char *parent = read->stored.parent;

    (void)snprintf(read->root, sizeof read->root, "%s", *parent ? parent : read->id);
    if (*parent)
        cut_parent(read->root);
}

/* "working.developing" of a feature is its status "developing". */
void task_state(const char *path, char state[HOST_STATE_SIZE])
{
    host_top_state(strncmp(path, "working.", 8) == 0 ? path + 8 : path, state);
}

json_t *task_metadata(const task *one)
{
    return json_object_get(one->stored.context, "metadata");
}

json_t *task_place(const task *one)
{
    return json_object_get(task_metadata(one), "place");
}

static int32_t read_one(task *read, wfsm_store *store, const char *id, wfsm_error *error)
{
    int32_t status = host_stored_read(&read->stored, store, id, error);

    (void)snprintf(read->id, sizeof read->id, "%s", id);
    find_root(read);
    task_state(read->stored.state, read->state);
    return status;
}

static int is_ours(const task *read, const settings *with)
{
    return strcmp(host_stored_text(&read->stored, "projectId"), with->project_id) == 0;
}

int task_read(task *read, wfsm_store *store, const settings *with, const char *id)
{
    wfsm_error *error = wfsm_error_new(NULL);
    int code = END_FINE;

    memset(read, 0, sizeof *read);
    if (read_one(read, store, id, error) != WFSM_OK)
        code = library_failed(id, error);
    wfsm_error_free(error);
    if (code != END_FINE || is_ours(read, with))
        return code;
    print_error("%s: it belongs to the project %s", id,
                host_stored_text(&read->stored, "projectId"));
    return END_USAGE;
}

void task_clear(task *read)
{
    host_stored_clear(&read->stored);
}

int task_is_feature(const task *one)
{
    return *one->stored.parent != '\0';
}

const char *task_feature(const task *one)
{
    return task_is_feature(one) ? host_stored_text(&one->stored, "featureId") : "";
}

int task_awaits(const task *one)
{
    return one->stored.awaiting && !one->stored.ended;
}

int task_asks(const task *one)
{
    return strcmp(one->state, "AWAITING_APPROVAL") == 0 || strcmp(one->state, "asking") == 0;
}

/* The task's question does not say so, but what its agent has answered. */
int task_asks_input(const task *one)
{
    const json_t *context = one->stored.context;
    const json_t *hints =
        json_object_get(json_object_get(context, "lastOutput"), "routingHints");
    const json_t *question = json_object_get(context, "question");

    return task_asks(one) && (json_is_true(json_object_get(question, "input")) ||
                              json_is_true(json_object_get(hints, "needsUserInput")));
}

int task_is_unfinished(const task *one)
{
    return !one->stored.ended && (!one->stored.over || one->stored.awaiting);
}

int task_is_left(const task *one)
{
    const json_t *place = task_place(one);
    const json_t *landing = json_object_get(task_metadata(one), "landing");
    const char *status = json_string_value(json_object_get(landing, "status"));

    return strcmp(one->state, "COMPLETED") == 0 && json_is_object(place) &&
           !host_worktree_is_shared(place) && (!status || strcmp(status, "landed") != 0);
}

int task_is_in_project(const task *one)
{
    return strcmp(one->state, "COMPLETED") == 0 && !task_is_left(one);
}

/* ---- lists ---- */

typedef struct id_sink {
    char **ids;
    size_t count;
    int features;
} id_sink;

static int32_t take_id(void *user, const wfsm_row *row)
{
    id_sink *sink = user;
    char **list;

    if (!sink->features && strcmp(row->head->machine, "aigentflow") != 0)
        return WFSM_OK;
    list = realloc(sink->ids, (sink->count + 1) * sizeof *list);
    if (!list)
        return WFSM_NO_MEMORY;
    sink->ids = list;
    list[sink->count] = strdup(row->head->instance);
    return list[sink->count] ? (sink->count++, WFSM_OK) : WFSM_NO_MEMORY;
}

static int32_t read_ids(id_sink *sink, wfsm_store *store, const char *machine,
                        const char *prefix, wfsm_error *error)
{
    wfsm_query query = {.size = sizeof query, .machine = machine, .prefix = prefix};

    return wfsm_store_list(store, &query, take_id, sink, error);
}

static int read_all(task_list *list, wfsm_store *store, const settings *with,
                    const id_sink *sink, task_test test, wfsm_error *error)
{
    size_t index;

    list->all = calloc(sink->count + 1, sizeof *list->all);
    for (index = 0; list->all && index < sink->count; index++) {
        task *one = &list->all[list->count];
        if (read_one(one, store, sink->ids[index], error) != WFSM_OK)
            return library_failed(sink->ids[index], error);
        if (is_ours(one, with) && (!test || test(one)))
            list->count++;
        else
            task_clear(one);
    }
    return END_FINE;
}

static void clear_sink(id_sink *sink)
{
    while (sink->count > 0)
        free(sink->ids[--sink->count]);
    free(sink->ids);
}

int tasks_read(task_list *list, wfsm_store *store, const settings *with, int features,
               task_test test)
{
    wfsm_error *error = wfsm_error_new(NULL);
    id_sink sink = {.features = features};
    int code;

    memset(list, 0, sizeof *list);
    if (read_ids(&sink, store, "aigentflow", NULL, error) != WFSM_OK ||
        (features && read_ids(&sink, store, "feature", NULL, error) != WFSM_OK))
        code = library_failed(with->store, error);
    else
        code = read_all(list, store, with, &sink, test, error);
    clear_sink(&sink);
    wfsm_error_free(error);
    return code;
}

/* An instance's id is ROOT/DIGEST. */
int tasks_of(task_list *list, wfsm_store *store, const settings *with, const char *root)
{
    wfsm_error *error = wfsm_error_new(NULL);
    id_sink sink = {.features = 1};
    char prefix[HOST_STATE_SIZE];
    int code;

    memset(list, 0, sizeof *list);
    (void)snprintf(prefix, sizeof prefix, "%.250s/", root);
    if (read_ids(&sink, store, "feature", prefix, error) != WFSM_OK)
        code = library_failed(with->store, error);
    else
        code = read_all(list, store, with, &sink, NULL, error);
    clear_sink(&sink);
    wfsm_error_free(error);
    return code;
}

void tasks_clear(task_list *list)
{
    while (list->count > 0)
        task_clear(&list->all[--list->count]);
    free(list->all);
    list->all = NULL;
}

/* ---- the one that is meant ---- */

static int is_meant(const task *one, const arguments *given, task_test test)
{
    if (given->operand && strcmp(given->operand, one->root) != 0)
        return 0;
    if (given->feature)
        return strcmp(given->feature, task_feature(one)) == 0 && test(one);
    return test(one);
}

static int say_several(const task_list *list, const arguments *given, task_test test)
{
    size_t index;

    print_error("several are possible; name one");
    for (index = 0; index < list->count; index++) {
        const task *one = &list->all[index];
        if (is_meant(one, given, test))
            shown_fprintf(stderr, "  %s%s%s  %s\n", one->root,
                          task_is_feature(one) ? " --feature " : "", task_feature(one),
                          one->state);
    }
    return END_USAGE;
}

/* After a restore there may be several instances of a feature: the newest counts. */
static int is_newer(const task_list *list, size_t index, size_t last)
{
    return list->all[index].stored.created >= list->all[last].stored.created;
}

static int choose(task *found, task_list *list, const arguments *given, task_test test,
                  const char *nothing)
{
    size_t index, meant = 0, last = 0;

    for (index = 0; index < list->count; index++) {
        if (is_meant(&list->all[index], given, test)) {
            if (meant == 0 || is_newer(list, index, last))
                last = index;
            meant++;
        }
    }
    if (meant > 1 && !(given->feature && given->operand))
        return say_several(list, given, test);
    if (meant == 0) {
        print_error("%s", nothing);
        return END_OTHER;
    }
    *found = list->all[last];
    list->all[last] = list->all[--list->count];
    return END_FINE;
}

int task_find(task *found, wfsm_store *store, const settings *with, const arguments *given,
              task_test test, const char *nothing)
{
    task_list list;
    int code;

    memset(found, 0, sizeof *found);
    if (given->operand) { /* so that an unknown id is reported */
        code = task_read(found, store, with, given->operand);
        if (code != END_FINE || (!given->feature && test(found)))
            return code;
        task_clear(found);
    }
    code = tasks_read(&list, store, with, 1, NULL);
    if (code == END_FINE)
        code = choose(found, &list, given, test, nothing);
    tasks_clear(&list);
    return code;
}
