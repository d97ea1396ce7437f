#include "proposal_repair.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "outline.h"

int proposal_note(json_t *list, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    host_text_make_plain(text, strlen(text));
    return json_array_append_new(list, json_string(text));
}

/* ---- bytes ---- */

static int is_end_to_repair(const char *text, size_t length, size_t index)
{
    return text[index] == '\r' && (index + 1 == length || text[index + 1] == '\n');
}

static int copy_lines(host_text *to, const char *text, size_t length, int *ends)
{
    size_t from = 0, index;

    for (index = 0; index < length; index++) {
        if (!is_end_to_repair(text, length, index))
            continue;
        *ends = 1;
        if (host_text_add(to, text + from, index - from) != 0)
            return -1;
        from = index + 1;
    }
    return host_text_add(to, text + from, length - from);
}

static int repair_bytes(proposal_check *made, const char *text, size_t length)
{
    int mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0, ends = 0;
    host_text *to = &made->text;

    if (copy_lines(to, text + 3 * mark, length - 3 * (size_t)mark, &ends) != 0 ||
        (mark && proposal_note(made->repaired, "the byte order mark is gone") != 0) ||
        (ends && proposal_note(made->repaired, "lines end with a newline only") != 0))
        return -1;
    if (to->length == 0 || to->data[to->length - 1] == '\n')
        return 0;
    if (host_text_add(to, "\n", 1) != 0)
        return -1;
    return proposal_note(made->repaired, "the last line ends with a newline");
}

/* ---- a fence around everything ---- */

static int is_blank(const markdown_line *line)
{
    const char *text = line->text;
    size_t length = line->length;

    markdown_trim(&text, &length);
    return length == 0;
}

/* Where the text inside begins and ends; 0 when there is no fence around all of it. */
static int find_wrapping(const host_text *in, size_t *from, size_t *to)
{
    markdown lines = {.text = in->data, .length = in->length};
    markdown_line line;
    int opened = 0, closed = 0;

    while (markdown_next(&lines, &line)) {
        if (is_blank(&line))
            continue;
        if (closed || !line.fenced)
            return 0;
        if (!opened)
            *from = lines.at;
        opened = 1;
        closed = lines.fence == 0;
        *to = line.offset;
    }
    return closed && *to > *from;
}

static int repair_wrapping(proposal_check *made)
{
    size_t from = 0, to = 0;
    host_text *in = &made->text;

    if (!find_wrapping(in, &from, &to))
        return 0;
    memmove(in->data, in->data + from, to - from);
    in->length = to - from;
    in->data[in->length] = '\0';
    return proposal_note(made->repaired, "the code fence around the whole text is gone");
}

/* ---- headings ---- */

int proposal_is_section(const char *words, size_t length, int level, int strict,
                        const char *name)
{
    return strict && level == 2 && strlen(name) == length && memcmp(words, name, length) == 0;
}

static int is_exactly(const heading *at, const char *name)
{
    return proposal_is_section(at->text, at->text_length, at->level, at->strict, name);
}

static int is_dress(char byte)
{
    return byte == '*' || byte == '_' || byte == ':' || byte == ' ' || byte == '#';
}

static int could_be(const heading *at, const char *name)
{
    const char *text = at->text;
    size_t length = at->text_length;

    while (length > 0 && is_dress(*text)) {
        text++;
        length--;
    }
    while (length > 0 && is_dress(text[length - 1]))
        length--;
    return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

/* The only heading that can mean this section; NULL if the section exists, or there are
 * several. */
static const heading *find_candidate(const outline *of, const char *name)
{
    const heading *found = NULL;
    size_t index;

    for (index = 0; index < of->count; index++) {
        if (is_exactly(&of->list[index], name) || (found && could_be(&of->list[index], name)))
            return NULL;
        if (could_be(&of->list[index], name))
            found = &of->list[index];
    }
    return found;
}

static const char *find_name(const outline *of, const heading *at, const char *const *sections)
{
    for (; *sections; sections++)
        if (find_candidate(of, *sections) == at)
            return *sections;
    return NULL;
}

static int copy_heading(proposal_check *made, host_text *to, const host_text *from,
                        const heading *at, const char *name)
{
    if (host_text_add(to, "## ", 3) != 0 || host_text_add(to, name, strlen(name)) != 0)
        return -1;
    return proposal_note(made->repaired, "line %zu: '%.*s' is '## %s'", at->number,
                         at->length < 100 ? (int)at->length : 100, from->data + at->offset,
                         name);
}

/* Copies the text to `to` with its headings corrected. -1: out of memory. */
static int copy_headings(proposal_check *made, host_text *to, const outline *of,
                         const char *const *sections)
{
    const host_text *from = &made->text;
    size_t index, copied = 0;

    for (index = 0; index < of->count; index++) {
        const heading *at = &of->list[index];
        const char *name = find_name(of, at, sections);
        if (!name)
            continue;
        if (host_text_add(to, from->data + copied, at->offset - copied) != 0 ||
            copy_heading(made, to, from, at, name) != 0)
            return -1;
        copied = at->offset + at->length;
    }
    return host_text_add(to, from->data + copied, from->length - copied);
}

static int repair_headings(proposal_check *made, const char *const *sections)
{
    host_text fresh = {.data = NULL};
    outline of;
    int done = outline_read(&of, made->text.data, made->text.length);

    if (done == 0)
        done = copy_headings(made, &fresh, &of, sections);
    outline_free(&of);
    if (done != 0) {
        host_text_free(&fresh);
        return -1;
    }
    host_text_free(&made->text);
    made->text = fresh;
    return 0;
}

/* ---- the title ---- */

static int has_title(const outline *of)
{
    size_t index;

    for (index = 0; index < of->count; index++)
        if (of->list[index].strict && of->list[index].level == 1 &&
            of->list[index].text_length > 0)
            return 1;
    return 0;
}

static int put_title(proposal_check *made, size_t body, const char *id)
{
    host_text fresh = {.data = NULL}, *in = &made->text;

    if (host_text_add(&fresh, in->data, body) != 0 || host_text_add(&fresh, "# ", 2) != 0 ||
        host_text_add(&fresh, id, strlen(id)) != 0 || host_text_add(&fresh, "\n\n", 2) != 0 ||
        host_text_add(&fresh, in->data + body, in->length - body) != 0) {
        host_text_free(&fresh);
        return -1;
    }
    host_text_free(in);
    *in = fresh;
    return proposal_note(made->repaired, "the title '# %s' was missing", id);
}

static int repair_title(proposal_check *made, const char *id)
{
    outline of;
    int done = outline_read(&of, made->text.data, made->text.length);

    if (done == 0 && !has_title(&of))
        done = put_title(made, of.body, id);
    outline_free(&of);
    return done;
}

int proposal_repair(proposal_check *made, const char *id, const char *text, size_t length,
                    const char *const *sections)
{
    if (repair_bytes(made, text, length) != 0 || repair_wrapping(made) != 0 ||
        repair_headings(made, sections) != 0)
        return -1;
    return repair_title(made, id);
}
