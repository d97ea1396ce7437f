#include "page.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "wfsm/shown.h"

enum { MOST_WORDS = 32 };

static const char *find_pager(void)
{
    const char *pager = getenv("PAGER");
    char file[4096];

    if (pager && *pager)
        return strcmp(pager, "cat") == 0 ? NULL : pager;
    return program_find("less", file, sizeof file) ? "less" : NULL;
}

void page_open(page *to)
{
    const char *pager = isatty(STDOUT_FILENO) ? find_pager() : NULL;
    const char *plain = getenv("NO_COLOR");

    (void)fflush(stdout);
    /* As git does: colours, and no paging of what fits. */
    if (pager)
        (void)setenv("LESS", "FRX", 0);
    *to = (page){.out = pager ? popen(pager, "w") : NULL,
                 .colour = isatty(STDOUT_FILENO) && !(plain && *plain)};
    to->pager = to->out != NULL;
    if (to->pager)
        (void)signal(SIGPIPE, SIG_IGN); /* left before the end */
    else
        to->out = stdout;
}

int page_open_memory(page *to, char **text, size_t *length)
{
    *to = (page){.out = open_memstream(text, length), .memory = 1};
    return to->out ? 0 : -1;
}

void page_close(page *to)
{
    if (to->pager)
        (void)pclose(to->out);
    else if (to->memory)
        (void)fclose(to->out);
    else
        (void)fflush(to->out);
    to->out = NULL;
}

/* The codes are of this file; what comes between them is escaped. */
static void colour(page *to, const char *code)
{
    if (to->colour)
        (void)fputs(code, to->out);
}

void page_heading(page *to, const char *text)
{
    colour(to, "\033[1m");
    shown_fprintf(to->out, "\n== %s\n", text);
    colour(to, "\033[0m");
    shown_fputs("\n", to->out);
}

void page_text(page *to, const char *text, size_t length)
{
    shown_text(to->out, text, length);
    if (length > 0 && text[length - 1] != '\n')
        shown_fputs("\n", to->out);
}

static const char *colour_of(const char *line, size_t length)
{
    static const struct {
        const char *begins, *code;
    } kinds[] = {{"+++", "\033[1m"}, {"---", "\033[1m"}, {"diff ", "\033[1m"},
                 {"@@", "\033[36m"}, {"+", "\033[32m"},  {"-", "\033[31m"}};
    size_t index;

    for (index = 0; index < sizeof kinds / sizeof *kinds; index++)
        if (length >= strlen(kinds[index].begins) &&
            memcmp(line, kinds[index].begins, strlen(kinds[index].begins)) == 0)
            return kinds[index].code;
    return NULL;
}

void page_diff_line(page *to, const char *line, size_t length)
{
    const char *code = colour_of(line, length);

    if (code)
        colour(to, code);
    if (to->memory)
        (void)fwrite(line, 1, length, to->out);
    else
        shown_text(to->out, line, length);
    if (code)
        colour(to, "\033[0m");
}

/* 0 and 1 are the exit statuses of a diff. */
static int show_diff(page *to, const char *const *words, host_error *error)
{
    program run;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int status;

    if (program_start(&run, words, 1, error) != 0)
        return -1;
    while ((length = getline(&line, &room, run.out)) >= 0)
        page_diff_line(to, line, (size_t)length);
    free(line);
    status = program_end(&run);
    return status == 0 || status == 1 ? 0 : host_fail(error, "%s: has failed", words[0]);
}

/* Git must run no program that an agent may have configured. */
int page_git_diff(page *to, const char *root, host_error *error, ...)
{
    const char *words[MOST_WORDS] = {
        "git",  "-c",         "core.fsmonitor=false", "-C",           root,
        "diff", "--no-color", "--no-ext-diff",        "--no-textconv"};
    const char *word;
    size_t count = 9;
    va_list list;

    va_start(list, error);
    while ((word = va_arg(list, const char *)) && count < MOST_WORDS - 1)
        words[count++] = word;
    va_end(list);
    return show_diff(to, words, error);
}
