#include "json_answer.h"

#include <ctype.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../base/invariant.h"

/* How often a text may be read over again in search of an object, on hostile input. */
enum { READ_OVER = 16, READ_AT_LEAST = 1 << 20 };

typedef struct {
    const char *text;
    size_t length;
    const char *name; /* for messages */
} span;

typedef enum { OBJECT, PROSE, BROKEN, CUT_OFF, NO_MEMORY } verdict;

typedef struct {
    verdict what;
    size_t end;          /* OBJECT: where it ends; else how far it was read */
    json_error_t why;
} reading;

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static size_t skip_blanks(span all, size_t at)
{
    while (at < all.length && is_blank(all.text[at]))
        at++;
    return at;
}

static unsigned long line_of(span all, size_t at)
{
    unsigned long line = 1;
    size_t index;

    for (index = 0; index < at && index < all.length; index++)
        line += all.text[index] == '\n';
    return line;
}

/* Where the brackets opened at `at` are closed, blind to everything but strings;
 * 0 if they are not. *deepest is how many were open at once. */
static size_t closing_end(span all, size_t at, unsigned *deepest)
{
    unsigned open = 0;
    int in_string = 0;

    *deepest = 0;
    for (; at < all.length; at++) {
        char byte = all.text[at];
        if (in_string && byte == '\\')
            at++;
        else if (byte == '"')
            in_string = !in_string;
        else if (!in_string && (byte == '{' || byte == '['))
            open++;
        else if (!in_string && (byte == '}' || byte == ']') && --open == 0)
            return at + 1;
        if (open > *deepest)
            *deepest = open;
    }
    return 0;
}

/* "{" that is followed by a key, or by "}", is meant as an object. */
static int looks_like_object(span all, size_t at)
{
    at = skip_blanks(all, at + 1);
    return at >= all.length || all.text[at] == '"' || all.text[at] == '}';
}

static void judge_failure(span all, size_t at, reading *seen)
{
    /* Not every failed allocation has a code; whatever is wrong with a text has words. */
    if (!seen->why.text[0] || json_error_code(&seen->why) == json_error_out_of_memory)
        seen->what = NO_MEMORY;
    else if (json_error_code(&seen->why) == json_error_premature_end_of_input)
        seen->what = CUT_OFF;
    else
        seen->what = looks_like_object(all, at) ? BROKEN : PROSE;
    seen->end = at + 1;
    if (seen->why.position > 0)
        seen->end = at + (size_t)seen->why.position;
}

/* Reads one object, beginning at the '{' at `at`. */
static reading read_object(span all, size_t at)
{
    reading seen = {.what = OBJECT, .end = at};
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK;
    json_t *value;

    WF_INVARIANT(all.text[at] == '{');
    memset(&seen.why, 0, sizeof seen.why);
    value = json_loadb(all.text + at, all.length - at, flags, &seen.why);
    if (!value) {
        judge_failure(all, at, &seen);
        return seen;
    }
    json_decref(value);
    seen.end = at + (size_t)seen.why.position;
    WF_INVARIANT(seen.end <= all.length && all.text[seen.end - 1] == '}');
    return seen;
}

/* The depth is looked at first: the parser's own limit is far above ours. */
static reading read_bounded(span all, size_t at)
{
    reading seen = read_object(all, at);
    unsigned deepest;

    if (seen.what != OBJECT)
        return seen;
    (void)closing_end(all, at, &deepest);
    if (deepest > WFA_ANSWER_DEPTH) {
        seen.what = BROKEN;
        (void)snprintf(seen.why.text, sizeof seen.why.text,
                       "more than %d objects and arrays in one another", WFA_ANSWER_DEPTH);
    }
    return seen;
}

static int fail_broken(span all, size_t at, const reading *seen, wfa_error *error)
{
    unsigned long line = line_of(all, at);

    if (seen->what == NO_MEMORY)
        return wfa_fail(error, "%s, line %lu: out of memory", all.name, line);
    if (seen->what == CUT_OFF)
        return wfa_fail(error,
                        "%s, line %lu: the JSON object that begins here is cut "
                        "off: %s",
                        all.name, line, seen->why.text);
    return wfa_fail(error,
                    "%s, line %lu: expected one JSON object, found a broken one: "
                    "%s",
                    all.name, line, seen->why.text);
}

static int fail_other(span all, size_t at, wfa_error *error)
{
    char found[24];
    size_t length = 0;

    for (; at + length < all.length && length < sizeof found - 1; length++) {
        unsigned char byte = (unsigned char)all.text[at + length];
        if (byte == '\n')
            break;
        found[length] = (char)(byte < 0x80 && isprint(byte) ? byte : '?');
    }
    found[length] = '\0';
    return wfa_fail(error, "%s, line %lu: expected one JSON object, found '%s'", all.name,
                    line_of(all, at), found);
}

static int find_whole(span all, const char **answer, size_t *length, wfa_error *error)
{
    size_t at = skip_blanks(all, 0), behind;
    reading seen;

    if (at == all.length)
        return wfa_fail(error, "%s: expected one JSON object, found nothing", all.name);
    if (all.text[at] != '{')
        return fail_other(all, at, error);
    seen = read_bounded(all, at);
    if (seen.what != OBJECT)
        return fail_broken(all, at, &seen, error);
    behind = skip_blanks(all, seen.end);
    if (behind < all.length && all.text[behind] == '{')
        return wfa_fail(error,
                        "%s, line %lu: expected one JSON object, found a second "
                        "one",
                        all.name, line_of(all, behind));
    if (behind < all.length)
        return wfa_fail(error,
                        "%s, line %lu: expected nothing behind the JSON object, "
                        "found %zu more bytes",
                        all.name, line_of(all, behind), all.length - behind);
    *answer = all.text + at;
    *length = seen.end - at;
    return 0;
}

typedef struct {
    size_t good, good_end; /* the last object so far; good_end 0 if none */
    size_t bad;            /* the last broken one behind it */
    reading why;           /* .what is PROSE if there is none */
    size_t effort;
} search;

/* Where to look on behind an object that is broken: behind its closing brace, so that its
 * parts do not pass for answers; if it has none, behind its first. */
static size_t after_broken(search *so_far, span all, size_t at)
{
    unsigned deepest;
    size_t end = closing_end(all, at, &deepest);

    so_far->effort += (end > 0 ? end : all.length) - at;
    return end > 0 ? end : at + 1;
}

static size_t take(search *so_far, span all, size_t at, const reading *seen)
{
    so_far->effort += seen->end - at;
    if (seen->what == OBJECT) {
        so_far->good = at;
        so_far->good_end = seen->end;
        so_far->why.what = PROSE;
        return seen->end;
    }
    if (seen->what == PROSE)
        return at + 1;
    so_far->bad = at;
    so_far->why = *seen;
    if (seen->what == CUT_OFF || seen->what == NO_MEMORY)
        return all.length;
    return after_broken(so_far, all, at);
}

static int find_last(span all, const char **answer, size_t *length, wfa_error *error)
{
    search so_far = {.why = {.what = PROSE}};
    size_t limit = all.length * READ_OVER + READ_AT_LEAST, at = 0;
    const char *brace;

    while ((brace = memchr(all.text + at, '{', all.length - at))) {
        reading seen = read_bounded(all, (size_t)(brace - all.text));
        at = take(&so_far, all, (size_t)(brace - all.text), &seen);
        WF_INVARIANT(at > (size_t)(brace - all.text) && at <= all.length);
        if (so_far.effort > limit)
            return wfa_fail(error, "%s: too many braces that do not begin a JSON object",
                            all.name);
    }
    if (so_far.why.what != PROSE)
        return fail_broken(all, so_far.bad, &so_far.why, error);
    if (so_far.good_end == 0)
        return wfa_fail(error,
                        "%s: expected a JSON object in the text, found none in "
                        "%zu bytes",
                        all.name, all.length);
    WF_INVARIANT(so_far.good < so_far.good_end && so_far.good_end <= all.length);
    *answer = all.text + so_far.good;
    *length = so_far.good_end - so_far.good;
    return 0;
}

int wfa_answer_find_in(const char *name, const char *text, size_t length, wfa_answer_mode mode,
                       const char **answer, size_t *answer_length, wfa_error *error)
{
    span all = {.text = text, .length = length, .name = name};

    if (mode == WFA_ANSWER_JSON)
        return find_whole(all, answer, answer_length, error);
    return find_last(all, answer, answer_length, error);
}

int wfa_answer_find(const char *text, size_t length, wfa_answer_mode mode, const char **answer,
                    size_t *answer_length, wfa_error *error)
{
    return wfa_answer_find_in("stdout", text, length, mode, answer, answer_length, error);
}
