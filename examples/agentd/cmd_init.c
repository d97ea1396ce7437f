/* agentd init: the folder agentd, with what a person may want to change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"
#include "config.h"
#include "hostkit/durable.h"
#include "ids.h"

static const char ignored[] = "# What agentd keeps for itself: its store, and logs of agents.\n"
                              "/.state/\n/.archiving/\n";

static int make_folder(const project *in, const char *below)
{
    hk_error why;
    char *path = project_path(in, below, &why);
    int done = path ? hk_durable_folder(path, &why) : -1;

    free(path);
    return done == 0 ? END_DONE : complain_hostkit(&why, END_STORE);
}

/* What is there stays. */
static int make_file(const project *in, const char *below, const char *text)
{
    hk_error why;
    char *path = project_path(in, below, &why);
    int done = path ? 0 : -1;

    if (path && access(path, F_OK) == 0) {
        printf("%s: is there already\n", below);
    } else if (path) {
        done = hk_durable_write(path, text, strlen(text), &why);
        if (done == 0)
            printf("%s: written\n", below);
    }
    free(path);
    return done == 0 ? END_DONE : complain_hostkit(&why, END_STORE);
}

static int make_all(const project *in)
{
    static const char *const folders[] = {"agentd/changes", "agentd/specs", "agentd/archive"};
    size_t index;
    int code = END_DONE;

    for (index = 0; code == END_DONE && index < sizeof folders / sizeof *folders; index++)
        code = make_folder(in, folders[index]);
    if (code == END_DONE)
        code = make_file(in, "agentd/config.toml", agentd_config_text);
    return code == END_DONE ? make_file(in, "agentd/.gitignore", ignored) : code;
}

int cmd_init(const arguments *given)
{
    project in;
    hk_error why;
    int code = END_DONE;

    (void)given;
    if (project_at(&in, ".", &why) != 0)
        code = complain_hostkit(&why, END_STORE);
    if (code == END_DONE)
        code = make_all(&in);
    if (code == END_DONE)
        printf("Next: name the agents in agentd/config.toml, then: agentd plan ID \"…\"\n");
    project_clear(&in);
    return code;
}
