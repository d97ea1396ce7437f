#include "setup.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data.h"
#include "files.h"
#include "text.h"
#include "wfsm/shown.h"

enum { MOST_IGNORED = 1 << 20 };

int host_setup_write(const char *path, const char *text, size_t length, host_error *error)
{
    if (access(path, F_OK) == 0) {
        shown_printf("%s: exists already\n", path);
        return 0;
    }
    if (host_file_write(path, text, length, HOST_FILE_NEW, error) != 0)
        return -1;
    shown_printf("%s: written\n", path);
    return 0;
}

static int is_needed(const char *host, const char *name)
{
    char *installed = strstr(name, ".json") ? host_data_path(host, name) : NULL;
    int needed = installed == NULL;

    free(installed);
    return needed;
}

static char *path_in(const char *folder, const char *name)
{
    return strcmp(folder, ".") == 0 ? strdup(name) : host_path_join(folder, name);
}

static int write_starter(const char *folder, const starter_text *one, host_error *error)
{
    char *parent = strstr(one->name, ".md") ? path_in(folder, "prompts") : strdup(folder);
    char *path = parent ? path_in(parent, one->name) : NULL;
    int done = path ? host_folder_make(parent, error) : host_fail(error, "out of memory");

    if (done == 0)
        done = host_setup_write(path, one->text, strlen(one->text), error);
    free(path);
    free(parent);
    return done;
}

int host_setup_starters(const starter_text *all, const char *host, const char *config,
                        host_error *error)
{
    const char *slash = strrchr(config, '/');
    char *folder =
        slash ? strndup(config, (size_t)(slash - config + (slash == config))) : strdup(".");
    int done = folder ? 0 : host_fail(error, "out of memory");

    for (; all->name && done == 0; all++)
        if (is_needed(host, all->name))
            done = write_starter(folder, all, error);
    free(folder);
    return done;
}

static int has_line(const char *text, const char *line)
{
    size_t length = strlen(line);

    for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        if (strncmp(text, line, length) == 0 && strchr("\r\n", text[length]))
            return 1;
    return 0;
}

static void add_line(host_text *to, const char *line)
{
    (void)(host_text_add(to, line, strlen(line)) || host_text_add(to, "\n", 1));
}

int host_setup_ignore(const char *const *lines, host_error *error)
{
    host_text more = {.data = NULL};
    char *text = NULL;
    size_t length = 0;
    int done = 0;

    (void)host_file_read(".gitignore", MOST_IGNORED, &text, &length, NULL);
    if (length > 0 && text[length - 1] != '\n')
        (void)host_text_add(&more, "\n", 1);
    for (; *lines; lines++)
        if (!has_line(text, *lines))
            add_line(&more, *lines);
    if (more.length > 1)
        done = host_file_write(".gitignore", more.data, more.length, HOST_FILE_MORE, error);
    if (done == 0)
        shown_printf(".gitignore: %s\n", more.length > 1 ? "lines added" : "has all lines");
    host_text_free(&more);
    free(text);
    return done;
}

/* ---- for programs ---- */

int host_setup_aside(void)
{
    int aside;

    (void)fflush(stdout);
    aside = dup(STDOUT_FILENO);
    if (aside >= 0)
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    return aside;
}

void host_setup_tell(int aside, const char *config, int ready)
{
    json_t *made = json_pack("{s:s, s:b}", "config", config, "ready", ready);

    (void)fflush(stdout);
    if (aside >= 0) {
        (void)dup2(aside, STDOUT_FILENO);
        (void)close(aside);
    }
    shown_json(made, stdout, JSON_COMPACT);
    shown_puts("");
    json_decref(made);
}
