#include "spec_date.h"

#include <string.h>

static const char key[] = "archived:";

typedef struct line {
    size_t from, to; /* `to` is behind its end */
} line;

/* 0 at the end of the text. */
static int next(const char *text, size_t length, line *at)
{
    const char *end;

    at->from = at->to;
    if (at->from >= length)
        return 0;
    end = memchr(text + at->from, '\n', length - at->from);
    at->to = end ? (size_t)(end - text) + 1 : length;
    return 1;
}

static int is_rule(const char *text, line at)
{
    size_t length = at.to - at.from;

    while (length > 3 && strchr(" \t\r\n", text[at.from + length - 1]))
        length--;
    return length == 3 && memcmp(text + at.from, "---", 3) == 0;
}

static int is_key(const char *text, line at)
{
    const size_t size = sizeof key - 1;

    return at.to - at.from >= size && memcmp(text + at.from, key, size) == 0;
}

/* True if the line continues the value of the key before: it is indented, or a list. */
static int is_more(const char *text, line at)
{
    char first = text[at.from];

    return first == ' ' || first == '\t' || (first == '-' && !is_rule(text, at));
}

/* The bytes that the key replaces, possibly none. 0: there is no front matter. */
static int find_place(const char *text, size_t length, size_t begin, line *place)
{
    line at = {begin, begin};
    int found = 0;

    if (!next(text, length, &at) || !is_rule(text, at))
        return 0;
    while (next(text, length, &at)) {
        if (is_rule(text, at)) {
            if (!found)
                *place = (line){at.from, at.from};
            return 1;
        }
        if (found == 1 && is_more(text, at))
            place->to = at.to;
        else if (found == 1)
            found = 2;
        if (!found && is_key(text, at)) {
            *place = at;
            found = 1;
        }
    }
    return 0;
}

static int add(host_text *to, const char *text)
{
    return host_text_add(to, text, strlen(text));
}

static int add_key(host_text *to, const char *date, const char *end)
{
    return add(to, key) != 0 || add(to, " ") != 0 || add(to, date) != 0 ? -1 : add(to, end);
}

static int add_front(host_text *to, const char *date, const char *end)
{
    if (add(to, "---") != 0 || add(to, end) != 0 || add_key(to, date, end) != 0 ||
        add(to, "---") != 0 || add(to, end) != 0)
        return -1;
    return add(to, end);
}

/* All lines end like the first one. */
static const char *line_end(const char *text, size_t length)
{
    const char *end = memchr(text, '\n', length);

    return end && end > text && end[-1] == '\r' ? "\r\n" : "\n";
}

int spec_date(host_text *to, const char *text, size_t length, const char *date)
{
    size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *end = line_end(text, length);
    line place = {mark, mark};
    int has_front = find_place(text, length, mark, &place);

    if (host_text_add(to, text, place.from) != 0 ||
        (has_front ? add_key(to, date, end) : add_front(to, date, end)) != 0)
        return -1;
    return host_text_add(to, text + place.to, length - place.to);
}
