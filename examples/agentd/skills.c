#include "skills.h"

#include <stdlib.h>
#include <string.h>

#include "agents/fill.h"
#include "agents/text_buffer.h"
#include "starters.h"

typedef struct file {
    const char *path, *name; /* of the text in the folder starter */
    int toml;
} file;

static const file prompts[PROMPT_FILES] = {
    {"agentd/prompts/proposer.md", "proposer.md", 0},
    {"agentd/prompts/challenger.md", "challenger.md", 0},
    {"agentd/prompts/implementer.md", "implementer.md", 0},
    {"agentd/prompts/reviewer.md", "reviewer.md", 0},
};

static const file skills[SKILL_FILES] = {
    {".claude/commands/agentd/plan.md", "plan.md", 0},
    {".claude/commands/agentd/impl.md", "impl.md", 0},
    {".claude/commands/agentd/archive.md", "archive.md", 0},
    {".gemini/commands/agentd/plan.toml", "plan.md", 1},
    {".gemini/commands/agentd/impl.toml", "impl.md", 1},
    {".gemini/commands/agentd/archive.toml", "archive.md", 1},
};

const char *prompt_file_path(int number)
{
    return prompts[number].path;
}

const char *skill_file_path(int number)
{
    return skills[number].path;
}

static const char *starter(const char *name)
{
    const starter_text *at = starter_texts;

    while (at->name && strcmp(at->name, name) != 0)
        at++;
    return at->name ? at->text : "";
}

static int add(wfa_text *to, const char *text, size_t length)
{
    return wfa_text_add(to, text, length);
}

static int add_words(wfa_text *to, const char *text)
{
    return add(to, text, strlen(text));
}

/* The words of the front matter's description. */
static int add_description(wfa_text *to, const char *text)
{
    static const char key[] = "description: ";
    const char *from = strstr(text, key);

    if (!from)
        return -1;
    from += sizeof key - 1;
    return add_words(to, "description = \"") != 0 || add(to, from, strcspn(from, "\n")) != 0
               ? -1
               : add_words(to, "\"\n");
}

/* What stands behind the front matter. */
static const char *body_of(const char *text)
{
    const char *end = strstr(text + 1, "\n---\n");

    return end ? end + 5 : text;
}

/* The same skill for the Gemini command line. */
static char *make_toml(const char *text)
{
    static const wfa_mark marks[] = {{"$ARGUMENTS", "{{args}}"}, {NULL, NULL}};
    char *body = wfa_fill(body_of(text), marks);
    wfa_text made = {.data = NULL};

    if (!body || add_description(&made, text) != 0 || add_words(&made, "prompt = '''\n") != 0 ||
        add_words(&made, body) != 0 || add_words(&made, "'''\n") != 0)
        wfa_text_free(&made);
    free(body);
    return made.data;
}

static char *text_of(const file *which, wfa_error *error)
{
    const char *text = starter(which->name);
    char *made = which->toml ? make_toml(text) : strdup(text);

    if (!made)
        (void)wfa_fail(error, "%s: out of memory", which->path);
    return made;
}

char *prompt_file_text(int number, wfa_error *error)
{
    return text_of(&prompts[number], error);
}

char *skill_file_text(int number, wfa_error *error)
{
    return text_of(&skills[number], error);
}
