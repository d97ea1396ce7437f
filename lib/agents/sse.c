#include "sse.h"

#include <stdio.h>
#include <string.h>

#include "../base/invariant.h"

void wfa_sse_begin(wfa_sse *sse, size_t limit, wfa_sse_sink sink, void *user)
{
    memset(sse, 0, sizeof *sse);
    sse->limit = limit;
    sse->sink = sink;
    sse->user = user;
}

void wfa_sse_free(wfa_sse *sse)
{
    wfa_text_free(&sse->line);
    wfa_text_free(&sse->data);
}

static int add(wfa_sse *sse, wfa_text *text, const char *bytes, size_t length, wfa_error *error)
{
    if (length > sse->limit || text->length > sse->limit - length)
        return wfa_fail(error, "an event of the stream is longer than %zu bytes", sse->limit);
    if (wfa_text_add(text, bytes, length) != 0)
        return wfa_no_memory(error);
    WF_INVARIANT(text->length <= sse->limit);
    return 0;
}

/* An event without data does not count; its name is dropped. */
static int dispatch(wfa_sse *sse)
{
    const char *name = sse->name[0] ? sse->name : "message";
    int answer = 0;

    if (sse->data.length > 0) {
        WF_INVARIANT(sse->data.data[sse->data.length - 1] == '\n');
        sse->data.data[--sse->data.length] = '\0'; /* its last line break */
        answer = sse->sink(sse->user, name, sse->data.data, sse->data.length);
    }
    wfa_text_empty(&sse->data);
    sse->name[0] = '\0';
    return answer;
}

static int is_field(const char *line, size_t length, const char *field)
{
    return length == strlen(field) && memcmp(line, field, length) == 0;
}

static int take_field(wfa_sse *sse, const char *line, size_t length, wfa_error *error)
{
    const char *colon = memchr(line, ':', length);
    size_t field = colon ? (size_t)(colon - line) : length;
    size_t at = colon ? field + 1 : length;

    at += at < length && line[at] == ' ';
    if (is_field(line, field, "event"))
        (void)snprintf(sse->name, sizeof sse->name, "%.*s", (int)(sizeof sse->name - 1),
                       line + at);
    if (!is_field(line, field, "data"))
        return 0;
    if (add(sse, &sse->data, line + at, length - at, error) != 0)
        return -1;
    return wfa_text_add(&sse->data, "\n", 1) == 0 ? 0 : wfa_no_memory(error);
}

static int take_line(wfa_sse *sse, wfa_error *error)
{
    const char *line = sse->line.data ? sse->line.data : "";
    size_t length = sse->line.length;
    int answer;

    if (!sse->begun && length >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3;
        length -= 3;
    }
    sse->begun = 1;
    answer = length == 0 ? dispatch(sse) : take_field(sse, line, length, error);
    wfa_text_empty(&sse->line);
    return answer;
}

/* Bytes before the next line break. */
static size_t piece_of_line(const char *bytes, size_t length)
{
    size_t count = 0;

    while (count < length && bytes[count] != '\n' && bytes[count] != '\r')
        count++;
    return count;
}

int wfa_sse_feed(wfa_sse *sse, const char *bytes, size_t length, wfa_error *error)
{
    size_t at = 0;
    int answer = 0;

    while (at < length && answer == 0) {
        size_t piece;
        if (sse->after_cr && bytes[at] == '\n')
            at++;
        sse->after_cr = 0;
        piece = piece_of_line(bytes + at, length - at);
        if (add(sse, &sse->line, bytes + at, piece, error) != 0)
            return -1;
        at += piece;
        if (at == length)
            break;
        WF_INVARIANT(bytes[at] == '\r' || bytes[at] == '\n');
        sse->after_cr = bytes[at++] == '\r';
        answer = take_line(sse, error);
    }
    return answer;
}
