#include "coordinator.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alone.h"
#include "drive.h"
#include "shared/files.h"
#include "shared/worktree.h"
#include "session.h"
#include "task.h"
#include "wfsm/address.h"

enum { MOST_TASK = 1 << 20, ID_SIZE = 32, MOST_TASKS = 1000000 };

static int misused(const char *what)
{
    print_error("%s; see --help", what);
    return END_USAGE;
}

/* malloc'ed; NULL after printing an error. */
static char *read_task(const arguments *given)
{
    char *text = NULL;
    size_t length;
    host_error why;

    if (given->task)
        return strdup(given->task);
    if (host_file_read(given->task_file, MOST_TASK, &text, &length, &why) != 0)
        print_error("%s", why.message);
    return text;
}

static int is_folder(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int check(const arguments *given)
{
    if (!given->task == !given->task_file)
        return misused("expected either --task or --task-file");
    if (!given->workspace)
        return misused("expected --workspace, the folder of the project");
    if (is_folder(given->workspace))
        return END_FINE;
    print_error("%s: expected the folder of a project", given->workspace);
    return END_USAGE;
}

/* The instance's input, malloc'ed; NULL if the task is empty or not UTF-8. */
static char *make_input(const char *text, const json_t *place, const char *mode,
                        const settings *with)
{
    json_t *input =
        json_pack("{s:s, s:s, s:O, s:s, s:I}", "task", text, "workspace",
                  host_worktree_folder(place), "place", place, "executionMode",
                  mode ? mode : "implementation", "maxRounds", (json_int_t)with->max_rounds);
    char *made = input ? json_dumps(input, JSON_COMPACT) : NULL;

    json_decref(input);
    return made;
}

static json_t *make_place(const settings *with, const char *project, const char *id)
{
    const char *const hidden[] = {with->store, with->logs, with->worktrees, NULL};
    host_error why = {"out of memory"};
    json_t *place = with->is_shared
                        ? host_worktree_shared(project)
                        : host_worktree_plan(project, with->worktrees, id, hidden, &why);

    if (!place)
        print_error("%s", why.message);
    return place;
}

typedef struct wanted {
    const arguments *given;
    const settings *with;
    const char *text, *project;
} wanted;

/* *status is WFSM_EXISTS if the id is taken; nothing is printed then. */
static int start_and_drive(const wanted *one, const char *id, const json_t *place,
                           int32_t *status)
{
    session self;
    char *input = make_input(one->text, place, one->given->mode, one->with);
    int code = session_open(&self, one->with, id, place);

    if (code == END_FINE && !input)
        code = misused("the task: expected text in UTF-8 that is not empty");
    if (code == END_FINE)
        code = alone_check(place, NULL, self.store, self.error);
    if (code == END_FINE)
        code = session_start(&self, input, status);
    if (code == END_FINE && *status == WFSM_OK)
        code = drive_in(&self, place);
    session_close(&self);
    free(input);
    return code;
}

static int run_as(const wanted *one, const char *id, int32_t *status)
{
    json_t *place = make_place(one->with, one->project, id);
    int held = -1, code = place ? alone_hold(place, &held) : END_USAGE;

    *status = WFSM_INVALID;
    if (code == END_FINE)
        code = start_and_drive(one, id, place, status);
    alone_release(held);
    json_decref(place);
    return code;
}

static int is_taken(const wanted *one, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    wfsm_store *store = NULL;
    int taken = address_open(&store, one->with->store, ADDRESS_READ, NULL) == WFSM_OK &&
                wfsm_store_head(store, id, &head, NULL) == WFSM_OK;

    wfsm_store_free(store);
    return taken;
}

/* The first free name of task-1, task-2, …. Another process may take it first. */
static int run_numbered(const wanted *one)
{
    char id[ID_SIZE];
    int32_t status = WFSM_EXISTS;
    int number, code = END_FINE;

    for (number = 1; status == WFSM_EXISTS && number < MOST_TASKS; number++) {
        (void)snprintf(id, sizeof id, "task-%d", number);
        if (!is_taken(one, id))
            code = run_as(one, id, &status);
    }
    return code;
}

static int run_named(const wanted *one, const char *id)
{
    int32_t status;
    int code = run_as(one, id, &status);

    if (code != END_FINE || status != WFSM_EXISTS)
        return code;
    print_error("%s: there is such a task already; `coordinator status %s` shows it, and "
                "`coordinator resume %s` continues it unless it is over",
                id, id, id);
    return END_USAGE;
}

int cmd_run(const arguments *given, const settings *with)
{
    int code = check(given);
    char *text = code == END_FINE ? read_task(given) : NULL;
    char *project = code == END_FINE ? realpath(given->workspace, NULL) : NULL;
    const wanted one = {given, with, text, project};

    if (code == END_FINE && (!text || !project))
        code = END_USAGE;
    if (code == END_FINE && !*text)
        code = misused("the task: expected text in UTF-8 that is not empty");
    if (code == END_FINE)
        code = given->id ? run_named(&one, given->id) : run_numbered(&one);
    free(project);
    free(text);
    return code;
}
