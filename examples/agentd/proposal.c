#include "proposal.h"

#include <string.h>

#include "outline.h"
#include "proposal_repair.h"

/* Words below it, or below one of its own parts. */
static int has_words(const outline *of, size_t index)
{
    int words = of->list[index].has_words;

    for (index++; index < of->count; index++) {
        if (of->list[index].strict && of->list[index].level <= 2)
            break;
        words |= of->list[index].has_words;
    }
    return words;
}

static int judge_section(proposal_check *made, const outline *of, const char *name)
{
    size_t index, first = 0;
    int done = 0;

    for (index = 0; done == 0 && index < of->count; index++) {
        const heading *at = &of->list[index];
        if (!proposal_is_section(at->text, at->text_length, at->level, at->strict, name))
            continue;
        if (first)
            done = proposal_note(made->problems,
                                 "line %zu: a second '## %s'; the first is in line %zu",
                                 at->number, name, first);
        else if (!has_words(of, index))
            done = proposal_note(made->problems, "line %zu: there is nothing below '## %s'",
                                 at->number, name);
        if (!first)
            first = at->number;
    }
    if (done == 0 && !first)
        done = proposal_note(made->problems, "the section '## %s' is missing", name);
    return done;
}

static int judge(proposal_check *made, const char *const *sections)
{
    outline of;
    int done = outline_read(&of, made->text.data, made->text.length);

    for (; done == 0 && *sections; sections++)
        done = judge_section(made, &of, *sections);
    outline_free(&of);
    return done;
}

/* 1: it is UTF-8 without NUL; 0: it is not; -1: out of memory. */
static int is_text(const char *text, size_t length)
{
    host_text copy = {.data = NULL};
    int same;

    if (host_text_add(&copy, text, length) != 0)
        return -1;
    host_text_make_plain(copy.data, length);
    same = memcmp(copy.data, text, length) == 0;
    host_text_free(&copy);
    return same;
}

static int is_empty(const char *text, size_t length)
{
    size_t index;

    for (index = 0; index < length; index++)
        if (!strchr(" \t\r\n", text[index]))
            return 0;
    return 1;
}

/* Checks what makes a text unreadable; such a text is not repaired. 1: it is readable. */
static int look_at_bytes(proposal_check *made, const char *text, size_t length)
{
    int good = length > PROPOSAL_MOST_BYTES ? 1 : is_text(text, length);

    if (good < 0)
        return -1;
    if (good && length <= PROPOSAL_MOST_BYTES && !is_empty(text, length))
        return 1;
    if (length > PROPOSAL_MOST_BYTES)
        return proposal_note(made->problems, "%zu bytes are more than the %d allowed", length,
                             (int)PROPOSAL_MOST_BYTES);
    if (host_text_add(&made->text, text, length) != 0)
        return -1;
    return proposal_note(made->problems, good ? "it is empty" : "it is not UTF-8 text");
}

static int check(proposal_check *made, const char *id, const char *text, size_t length,
                 const char *const *sections)
{
    int good = made->repaired && made->problems ? look_at_bytes(made, text, length) : -1;

    if (good != 1)
        return good;
    if (proposal_repair(made, id, text, length, sections) != 0)
        return -1;
    return judge(made, sections);
}

int proposal_check_text(proposal_check *made, const char *id, const char *text, size_t length,
                        const char *const *sections, host_error *error)
{
    memset(made, 0, sizeof *made);
    made->repaired = json_array();
    made->problems = json_array();
    if (check(made, id, text, length, sections) != 0)
        return host_fail(error, "out of memory");
    return 0;
}

void proposal_check_clear(proposal_check *made)
{
    host_text_free(&made->text);
    json_decref(made->repaired);
    json_decref(made->problems);
    memset(made, 0, sizeof *made);
}
