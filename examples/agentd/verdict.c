#include "verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shared/files.h"
#include "markdown.h"

static const char *const names[VERDICTS] = {"",         "APPROVED",      "NEEDS_REVISION",
                                            "REJECTED", "NEEDS_CHANGES", "MAJOR_ISSUES"};

static const struct {
    verdict words[3];
    const char *expected;
} kinds[] = {
    [VERDICT_OF_CHALLENGE] = {{VERDICT_APPROVED, VERDICT_NEEDS_REVISION, VERDICT_REJECTED},
                              "APPROVED, NEEDS_REVISION or REJECTED"},
    [VERDICT_OF_REVIEW] = {{VERDICT_APPROVED, VERDICT_NEEDS_CHANGES, VERDICT_MAJOR_ISSUES},
                           "APPROVED, NEEDS_CHANGES or MAJOR_ISSUES"},
};

const char *verdict_name(verdict which)
{
    return names[which];
}

int verdict_named(const char *name, verdict *which)
{
    int index;

    for (index = 0; index < VERDICTS; index++)
        if (strcmp(names[index], name) == 0) {
            *which = (verdict)index;
            return 0;
        }
    return -1;
}

typedef struct search {
    const char *name;
    verdict_of of;
    host_error *error;
    verdict found;
    size_t line;    /* of the verdict that was found; 0: none yet */
    size_t heading; /* the line of a heading whose verdict has not come yet; 0: none */
} search;

/* Markdown and punctuation around words. */
static void undress(const char **text, size_t *length, const char *dress)
{
    while (*length > 0 && **text && strchr(dress, **text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && (*text)[*length - 1] && strchr("*_` \t", (*text)[*length - 1]))
        (*length)--;
}

static int fail_word(const search *in, size_t line, const char *text, size_t length)
{
    char found[48];
    size_t index;

    (void)snprintf(found, sizeof found, "%.*s", length < 40 ? (int)length : 40, text);
    for (index = 0; found[index]; index++)
        if ((unsigned char)found[index] < ' ' || (unsigned char)found[index] > '~')
            found[index] = '?';
    return host_fail(in->error, "%s:%zu: expected %s, found '%s'", in->name, line,
                     kinds[in->of].expected, found);
}

static int take(search *in, size_t line, const char *text, size_t length)
{
    int index;

    if (in->line)
        return host_fail(in->error, "%s:%zu: a second verdict; the first is in line %zu",
                         in->name, line, in->line);
    for (index = 0; index < 3; index++) {
        verdict word = kinds[in->of].words[index];
        if (strlen(names[word]) == length && memcmp(names[word], text, length) == 0) {
            in->found = word;
            in->line = line;
            return 0;
        }
    }
    return fail_word(in, line, text, length);
}

/* True if the line begins with the word "verdict". *text is then what follows the colon. */
static int is_verdict_line(const char **text, size_t *length)
{
    static const char word[] = "verdict";
    const size_t size = sizeof word - 1;

    undress(text, length, " \t#>*_-+`");
    if (*length < size || strncasecmp(*text, word, size) != 0)
        return 0;
    *text += size;
    *length -= size;
    undress(text, length, " \t*_`");
    if (*length == 0)
        return 1;
    if (**text != ':')
        return 0;
    undress(text, length, " \t:*_`");
    return 1;
}

static int look_at(search *in, const markdown_line *line)
{
    const char *text = line->text;
    size_t length = line->length;

    markdown_trim(&text, &length);
    if (line->fenced || length == 0)
        return 0;
    if (is_verdict_line(&text, &length)) {
        if (in->heading)
            return fail_word(in, line->number, line->text, line->length);
        if (length > 0)
            return take(in, line->number, text, length);
        in->heading = line->number;
        return 0;
    }
    if (!in->heading)
        return 0;
    in->heading = 0;
    undress(&text, &length, " \t>*_-+`");
    return take(in, line->number, text, length);
}

int verdict_find(const char *name, const char *text, size_t length, verdict_of of,
                 verdict *found, host_error *error)
{
    search in = {.name = name, .of = of, .error = error};
    markdown lines = {.text = text, .length = length};
    markdown_line line;

    *found = VERDICT_NONE;
    while (markdown_next(&lines, &line))
        if (look_at(&in, &line) != 0)
            return -1;
    if (in.heading)
        return host_fail(error,
                         "%s:%zu: a heading for a verdict, and none below it; expected %s",
                         name, in.heading, kinds[of].expected);
    if (!in.line)
        return host_fail(error, "%s: no verdict: expected a line \"Verdict: \" and %s", name,
                         kinds[of].expected);
    *found = in.found;
    return 0;
}

int verdict_read(const char *path, verdict_of of, verdict *found, host_error *error)
{
    char *text;
    size_t length;
    int status;

    *found = VERDICT_NONE;
    if (host_file_read(path, VERDICT_MOST_BYTES, &text, &length, error) != 0)
        return -1;
    status = verdict_find(path, text, length, of, found, error);
    free(text);
    return status;
}
