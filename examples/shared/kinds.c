#include "kinds.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "wfsm/shown.h"

static const char *const kinds[] = {"claude", "codex", "gemini", "command", NULL};

const char *host_kind_named(const char *word)
{
    size_t index;

    for (index = 0; kinds[index]; index++)
        if (strcmp(kinds[index], word) == 0)
            return kinds[index];
    return NULL;
}

const char *host_kind_installed(void)
{
    char path[PATH_MAX];
    size_t index = 0;

    while (strcmp(kinds[index], "command") != 0 &&
           !program_find(kinds[index], path, sizeof path))
        index++;
    return kinds[index];
}

const char *host_kind_ask(const char *role, const char *usual)
{
    char line[64];
    const char *found = NULL;

    while (!found) {
        shown_printf("Which program is the %s: claude, codex, gemini, or command (one of your "
                     "own)? [%s] ",
                     role, usual);
        (void)fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return NULL;
        line[strcspn(line, "\r\n")] = '\0';
        found = *line ? host_kind_named(line) : usual;
    }
    return found;
}

const char *host_kind_model(const char *kind)
{
    return strcmp(kind, "gemini") == 0
               ? "# Without a model, gemini asks again and again when a quota is used up.\n"
                 "model = \"gemini-2.5-pro\"\n"
               : "";
}

void host_kind_unused(const char *kind, const char *config)
{
    if (kind)
        shown_printf(
            "%s: --agent %s changes nothing in it; edit its agents, or remove the file\n",
            config, kind);
}
