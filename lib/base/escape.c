/* base/escape.c */
#include "base/escape.h"

#include <stdio.h>
#include <string.h>
#include <wfsm/base.h>
#include "base/utf8.h"

typedef struct sink {
    char *out;
    size_t room, length; /* length: of the whole escaped text */
    bool full;
} sink;

static const struct {
    unsigned first, last;
} unsafe[] = {
    {0, 0x1F},         /* C0 */
    {0x7F, 0x9F},      /* DEL, C1 */
    {0x061C, 0x061C},  /* Arabic letter mark */
    {0x200E, 0x200F},  /* left-to-right and right-to-left marks */
    {0x2028, 0x202E},  /* line and paragraph separators, embeddings and overrides */
    {0x2066, 0x206F},  /* isolates, and what Unicode has deprecated */
    {0xFFFD, 0xFFFD},  /* also stands for bytes that are no UTF-8 */
};

bool wf_escape_needed(unsigned code)
{
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        if (code >= unsafe[i].first && code <= unsafe[i].last)
            return true;
    return false;
}

static size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

size_t wf_escape_read(const char *text, size_t left, unsigned *code)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = length_of(*bytes);
    *code = 0xFFFD;
    if (length > left || !wf_utf8_valid(text, length))
        return 1;
    *code = length == 1 ? *bytes : *bytes & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++)
        *code = *code << 6 | (bytes[i] & 0x3Fu);
    return length;
}

/* Whole pieces only, so that what does not fit is cut between characters. */
static void add(sink *to, const char *piece, size_t length)
{
    to->full = to->full || to->length + length >= to->room;
    if (!to->full) {
        memcpy(to->out + to->length, piece, length);
        to->out[to->length + length] = '\0';
    }
    to->length += length;
}

static const char *entity_of(unsigned code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

size_t wfsm_text_escape(int32_t form, const char *text, size_t length, char *out, size_t room)
{
    sink to = {.out = out, .room = out ? room : 0};
    if (to.room > 0)
        *out = '\0';
    for (size_t i = 0, bytes; text && i < length; i += bytes) {
        char piece[8];
        unsigned code;
        bytes = wf_escape_read(text + i, length - i, &code);
        const char *entity = form == WFSM_ESCAPE_HTML ? entity_of(code) : NULL;
        bool layout = form != WFSM_ESCAPE_LINE && (code == '\n' || code == '\t');
        if (entity)
            add(&to, entity, strlen(entity));
        else if (!wf_escape_needed(code) || layout)
            add(&to, text + i, bytes);
        else
            add(&to, piece, (size_t)snprintf(piece, sizeof piece, "\\u%04x", code));
    }
    return to.length;
}
