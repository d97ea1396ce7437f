#include "fill.h"

#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"

static const wfa_mark *mark_at(const char *text, const wfa_mark *marks)
{
    for (; marks->mark; marks++) {
        WF_INVARIANT(marks->mark[0] == '{');
        if (strncmp(text, marks->mark, strlen(marks->mark)) == 0)
            return marks;
    }
    return NULL;
}

/* Both the measuring and the writing pass, so that they cannot differ. */
static size_t fill(const char *text, const wfa_mark *marks, char *to)
{
    size_t length = 0;

    while (*text) {
        const wfa_mark *mark = mark_at(text, marks);
        const char *piece = mark ? mark->with : text;
        size_t bytes = mark ? strlen(mark->with) : 1;
        if (to)
            memcpy(to + length, piece, bytes);
        length += bytes;
        text += mark ? strlen(mark->mark) : 1;
    }
    if (to)
        to[length] = '\0';
    return length;
}

char *wfa_fill(const char *text, const wfa_mark *marks)
{
    char *made = malloc(fill(text, marks, NULL) + 1);

    if (made)
        (void)fill(text, marks, made);
    return made;
}
