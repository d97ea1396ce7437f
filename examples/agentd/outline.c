#include "outline.h"

#include <stdlib.h>
#include <string.h>

static int is_rule(const markdown_line *line)
{
    const char *text = line->text;
    size_t length = line->length;

    markdown_trim(&text, &length);
    return length == 3 && memcmp(text, "---", 3) == 0;
}

/* The end of the second "---"; 0 if the text does not begin with front matter. */
static size_t front_matter(const char *text, size_t length)
{
    markdown lines = {.text = text, .length = length};
    markdown_line line;

    if (!markdown_next(&lines, &line) || !is_rule(&line))
        return 0;
    while (markdown_next(&lines, &line))
        if (is_rule(&line))
            return lines.at < length ? lines.at : length;
    return 0;
}

/* "##Why": signs, and words at once. */
static int nearly(const markdown_line *line, heading *made)
{
    int level = 0;

    while ((size_t)level < line->length && line->text[level] == '#')
        level++;
    if (level == 0 || level > 6)
        return 0;
    made->text = line->text + level;
    made->text_length = line->length - (size_t)level;
    markdown_trim(&made->text, &made->text_length);
    return level;
}

static int read_heading(const markdown_line *line, heading *made)
{
    if (line->fenced)
        return 0;
    memset(made, 0, sizeof *made);
    made->level = markdown_heading(line, &made->text, &made->text_length);
    made->strict = made->level > 0;
    if (!made->strict)
        made->level = nearly(line, made);
    made->number = line->number;
    made->offset = line->offset;
    made->length = line->length;
    return made->level;
}

static int add(outline *read, const heading *made)
{
    heading *grown = read->list;

    /* Doubled at every power of two. */
    if ((read->count & (read->count - 1)) == 0)
        grown = realloc(read->list, (read->count ? 2 * read->count : 1) * sizeof *grown);
    if (!grown)
        return -1;
    read->list = grown;
    grown[read->count++] = *made;
    return 0;
}

static void note_words(outline *read, const markdown_line *line)
{
    const char *text = line->text;
    size_t length = line->length;

    markdown_trim(&text, &length);
    if (read->count > 0 && length > 0)
        read->list[read->count - 1].has_words = 1;
}

int outline_read(outline *read, const char *text, size_t length)
{
    markdown lines = {.text = text, .length = length};
    markdown_line line;
    heading found;

    memset(read, 0, sizeof *read);
    read->body = front_matter(text, length);
    while (markdown_next(&lines, &line)) {
        if (line.offset < read->body)
            continue;
        if (!read_heading(&line, &found))
            note_words(read, &line);
        else if (add(read, &found) != 0)
            return -1;
    }
    return 0;
}

void outline_free(outline *read)
{
    free(read->list);
    memset(read, 0, sizeof *read);
}
