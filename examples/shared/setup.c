#include "setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
