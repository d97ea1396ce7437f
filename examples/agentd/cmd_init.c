/* agentd init: makes the folder agentd with the files that people edit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"
#include "config.h"
#include "durable.h"
#include "ids.h"
#include "skills.h"
#include "wfsm/shown.h"

static const char ignored[] = "# What agentd keeps for itself: its store, and logs of agents.\n"
                              "/.state/\n/.archiving/\n";

static int make_folder(const project *in, const char *below)
{
    host_error why;
    char *path = project_path(in, below, &why);
    int done = path ? durable_folder(path, &why) : -1;

    free(path);
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

/* An existing file stays as it is. */
static int make_file(const project *in, const char *below, const char *text)
{
    host_error why;
    char *path = project_path(in, below, &why);
    int done = path ? 0 : -1;

    if (path && access(path, F_OK) == 0) {
        shown_printf("%s: exists already\n", below);
    } else if (path) {
        done = durable_write(path, text, strlen(text), &why);
        if (done == 0)
            shown_printf("%s: written\n", below);
    }
    free(path);
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

/* Writes a malloc'ed text, and makes the folders above it. */
static int make_given(const project *in, const char *below, char *text, const host_error *why)
{
    char *folder = text ? strndup(below, (size_t)(strrchr(below, '/') - below)) : NULL;
    int code = folder ? make_folder(in, folder) : host_failed(why, END_STORE);

    if (code == END_DONE)
        code = make_file(in, below, text);
    free(folder);
    free(text);
    return code;
}

static int make_prompts(const project *in)
{
    host_error why = {"out of memory"};
    int number, code = END_DONE;

    for (number = 0; code == END_DONE && number < PROMPT_FILES; number++)
        code = make_given(in, prompt_file_path(number), prompt_file_text(number, &why), &why);
    return code;
}

static int make_skills(const project *in)
{
    host_error why = {"out of memory"};
    int number, code = END_DONE;

    for (number = 0; code == END_DONE && number < SKILL_FILES; number++)
        code = make_given(in, skill_file_path(number), skill_file_text(number, &why), &why);
    return code;
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
    if (code == END_DONE)
        code = make_file(in, "agentd/.gitignore", ignored);
    return code == END_DONE ? make_prompts(in) : code;
}

int cmd_init(const arguments *given)
{
    project in;
    host_error why;
    int code = END_DONE;

    if (project_at(&in, ".", &why) != 0)
        code = host_failed(&why, END_STORE);
    if (code == END_DONE)
        code = make_all(&in);
    if (code == END_DONE && given->skills)
        code = make_skills(&in);
    if (code == END_DONE)
        shown_printf(
            "Next: name the agents in agentd/config.toml, then: agentd plan ID \"…\"\n");
    project_clear(&in);
    return code;
}
