#include "markdown.h"

#include <string.h>

static const char mark[] = "\xEF\xBB\xBF";

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

void markdown_trim(const char **text, size_t *length)
{
    while (*length > 0 && is_blank(**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_blank((*text)[*length - 1]))
        (*length)--;
}

/* How often the text begins with this byte. */
static size_t count(const char *text, size_t length, char byte)
{
    size_t index = 0;

    while (index < length && text[index] == byte)
        index++;
    return index;
}

/* The length of the fence that the line begins or ends with; 0 for another line. */
static size_t fence_of(const markdown_line *line, char *byte, int *bare)
{
    const char *text = line->text;
    size_t length = line->length, blanks = count(text, length, ' '), ticks;

    if (blanks > 3 || blanks == length)
        return 0;
    text += blanks;
    length -= blanks;
    *byte = text[0];
    ticks = *byte == '`' || *byte == '~' ? count(text, length, *byte) : 0;
    text += ticks;
    length -= ticks;
    /* Text in backticks on one line is not a fence. */
    if (ticks < 3 || (*byte == '`' && memchr(text, '`', length)))
        return 0;
    markdown_trim(&text, &length);
    *bare = length == 0;
    return ticks;
}

static void follow_fence(markdown *in, markdown_line *line)
{
    char byte = 0;
    int bare = 0;
    size_t ticks = fence_of(line, &byte, &bare);

    line->fenced = in->fence != 0 || ticks > 0;
    if (ticks == 0)
        return;
    if (!in->fence) {
        in->fence = byte;
        in->fence_length = ticks;
    } else if (ticks >= in->fence_length && byte == in->fence && bare) {
        in->fence = 0;
    }
}

static const char *find(const char *text, size_t length, const char *what)
{
    return memmem(text, length, what, strlen(what));
}

/* Text after the end of a comment, on the same line, is ignored. */
static void follow_comment(markdown *in, markdown_line *line)
{
    const char *begin = in->in_comment ? line->text : find(line->text, line->length, "<!--");
    size_t before;

    if (!begin)
        return;
    before = (size_t)(begin - line->text);
    line->commented = 1;
    in->in_comment = !find(begin, line->length - before, "-->");
    line->length = before;
}

int markdown_next(markdown *in, markdown_line *line)
{
    const char *end;

    if (in->at == 0 && in->length >= 3 && memcmp(in->text, mark, 3) == 0)
        in->at = 3;
    if (in->at >= in->length)
        return 0;
    *line =
        (markdown_line){.text = in->text + in->at, .number = ++in->number, .offset = in->at};
    end = memchr(line->text, '\n', in->length - in->at);
    line->length = end ? (size_t)(end - line->text) : in->length - in->at;
    in->at += line->length + 1;
    if (line->length > 0 && line->text[line->length - 1] == '\r')
        line->length--;
    if (!in->in_comment)
        follow_fence(in, line);
    if (!line->fenced)
        follow_comment(in, line);
    return 1;
}

int markdown_heading(const markdown_line *line, const char **text, size_t *length)
{
    size_t blanks = count(line->text, line->length, ' '), signs;

    *text = line->text + blanks;
    *length = line->length - blanks;
    signs = count(*text, *length, '#');
    if (line->fenced || blanks > 3 || signs == 0 || signs > 6 ||
        (signs < *length && !is_blank((*text)[signs])))
        return 0;
    *text += signs;
    *length -= signs;
    markdown_trim(text, length);
    while (*length > 0 && (*text)[*length - 1] == '#')
        (*length)--;
    markdown_trim(text, length);
    return (int)signs;
}
