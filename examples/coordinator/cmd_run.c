#include "coordinator.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "drive.h"
#include "shared/files.h"
#include "session.h"
#include "task.h"

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
static char *make_input(const char *text, const char *workspace, const char *mode,
                        const settings *with)
{
    json_t *input =
        json_pack("{s:s, s:s, s:s, s:I}", "task", text, "workspace", workspace, "executionMode",
                  mode ? mode : "implementation", "maxRounds", (json_int_t)with->max_rounds);
    char *made = input ? json_dumps(input, JSON_COMPACT) : NULL;

    json_decref(input);
    return made;
}

/* The first free name of task-1, task-2, …. Another process may take it first. */
static int start_numbered(session *self, const char *input, char id[ID_SIZE])
{
    int32_t status = WFSM_EXISTS;
    int number, code = END_FINE;

    self->id = id;
    for (number = 1; status == WFSM_EXISTS && number < MOST_TASKS; number++) {
        (void)snprintf(id, ID_SIZE, "task-%d", number);
        code = session_start(self, input, &status);
        if (code != END_FINE)
            return code;
    }
    return code;
}

static int start_named(session *self, const char *input, const char *id)
{
    int32_t status;
    int code = session_start(self, input, &status);

    if (code != END_FINE || status == WFSM_OK)
        return code;
    print_error("%s: there is such a task already; `coordinator resume %s` continues it", id,
                id);
    return END_USAGE;
}

static int run_in(const arguments *given, const settings *with, const char *input,
                  const char *workspace)
{
    session self;
    char id[ID_SIZE];
    int code = session_open(&self, with, given->id, workspace);

    if (code == END_FINE)
        code =
            given->id ? start_named(&self, input, given->id) : start_numbered(&self, input, id);
    if (code == END_FINE)
        code = drive(&self);
    session_close(&self);
    return code;
}

int cmd_run(const arguments *given, const settings *with)
{
    int code = check(given);
    char *text = code == END_FINE ? read_task(given) : NULL;
    char *workspace = code == END_FINE ? realpath(given->workspace, NULL) : NULL;
    char *input = NULL;

    if (code == END_FINE && (!text || !workspace))
        code = END_USAGE;
    if (code == END_FINE)
        input = make_input(text, workspace, given->mode, with);
    if (code == END_FINE && (!input || !*text))
        code = misused("the task: expected text in UTF-8 that is not empty");
    if (code == END_FINE)
        code = run_in(given, with, input, workspace);
    free(input);
    free(workspace);
    free(text);
    return code;
}
