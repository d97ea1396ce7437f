#include "skills.h"

#include <stdlib.h>
#include <string.h>

#include "shared/text.h"
#include "shared/starters.h"

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

static int add(host_text *to, const char *text, size_t length)
{
    return host_text_add(to, text, length);
}

static int add_words(host_text *to, const char *text)
{
    return add(to, text, strlen(text));
}

/* The description in the front matter. */
static int add_description(host_text *to, const char *text)
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

/* The text after the front matter. */
static const char *body_of(const char *text)
{
    const char *end = strstr(text + 1, "\n---\n");

    return end ? end + 5 : text;
}

/* Gemini has another word for the arguments. */
static int add_body(host_text *to, const char *body)
{
    static const char mark[] = "$ARGUMENTS";
    const char *at;

    for (; (at = strstr(body, mark)); body = at + sizeof mark - 1)
        if (add(to, body, (size_t)(at - body)) != 0 || add_words(to, "{{args}}") != 0)
            return -1;
    return add_words(to, body);
}

/* The same skill for the Gemini command line. */
static char *make_toml(const char *text)
{
    host_text made = {.data = NULL};

    if (add_description(&made, text) != 0 || add_words(&made, "prompt = '''\n") != 0 ||
        add_body(&made, body_of(text)) != 0 || add_words(&made, "'''\n") != 0)
        host_text_free(&made);
    return made.data;
}

static char *text_of(const file *which, host_error *error)
{
    const char *text = starter(which->name);
    char *made = which->toml ? make_toml(text) : strdup(text);

    if (!made)
        (void)host_fail(error, "%s: out of memory", which->path);
    return made;
}

char *prompt_file_text(int number, host_error *error)
{
    return text_of(&prompts[number], error);
}

char *skill_file_text(int number, host_error *error)
{
    return text_of(&skills[number], error);
}
