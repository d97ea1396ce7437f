/* agentd diff: what a change's specs would change in agentd/specs, by diff(1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"
#include "folder.h"
#include "place.h"
#include "shared/program.h"
#include "wfsm/shown.h"

/* The lines are those of the specs, which agents write. */
static void show_lines(FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    while ((length = getline(&line, &room, in)) >= 0)
        shown_text(stdout, line, (size_t)length);
    free(line);
}

/* 0: the same; 1: different; any other value: an error. */
static int run_diff(const char *old, const char *new, const char *id, const char *spec,
                    host_error *error)
{
    char old_label[512], new_label[512];
    const char *words[] = {"diff",    "-u", "-L", old_label, "-L",
                           new_label, "--", old,  new,       NULL};
    char *shown = shown_line(spec, strlen(spec)); /* a line break in it would forge a line */
    program run;

    (void)snprintf(old_label, sizeof old_label, "agentd/%.200s", shown ? shown : "");
    (void)snprintf(new_label, sizeof new_label, "agentd/changes/%.110s/%.200s", id,
                   shown ? shown : "");
    free(shown);
    if (program_start(&run, words, 1, error) != 0)
        return -1;
    show_lines(run.out);
    return program_end(&run);
}

static int diff_spec(const place *at, const char *id, const char *spec, host_error *error)
{
    char below[512], *old, *new;
    int found = -1;

    (void)snprintf(below, sizeof below, "agentd/%s", spec);
    old = project_path(&at->in, below, error);
    new = old ? change_path(&at->in, id, spec, error) : NULL;
    if (new)
        found = run_diff(access(old, F_OK) == 0 ? old : "/dev/null", new, id, spec, error);
    free(new);
    free(old);
    return found;
}

static int diff_all(const place *at, const char *id)
{
    host_error why = {"diff failed"};
    json_t *paths = folder_paths(&at->in, id, &why), *path;
    size_t index;
    int code = paths ? END_DONE : host_failed(&why, END_STORE), found;

    json_array_foreach(paths, index, path)
    {
        if (!folder_is_spec(json_string_value(path)))
            continue;
        found = diff_spec(at, id, json_string_value(path), &why);
        if (found < 0 || found > 1)
            code = host_failed(&why, END_STORE);
    }
    json_decref(paths);
    return code;
}

static int check_there(const place *at, const char *id)
{
    host_error why;
    char *folder = change_path(&at->in, id, NULL, &why);
    int there = folder && access(folder, F_OK) == 0;

    if (!folder)
        return host_failed(&why, END_USAGE);
    free(folder);
    if (there)
        return END_DONE;
    print_error("agentd/changes/%s: there is no such change", id);
    return END_REFUSED;
}

int cmd_diff(const arguments *given)
{
    place at;
    int code = place_find(&at);

    if (code == END_DONE)
        code = check_there(&at, given->id);
    if (code == END_DONE)
        code = diff_all(&at, given->id);
    place_clear(&at);
    return code;
}
