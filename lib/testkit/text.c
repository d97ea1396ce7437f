#include "text.h"
#include "../base/invariant.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(tk_text *text, size_t more)
{
    size_t need = text->length + more + 1;
    if (text->failed || need <= text->capacity)
        return !text->failed;
    size_t capacity = need < 256 ? 256 : 2 * need;
    char *grown = realloc(text->data, capacity);
    text->failed = !grown;
    if (!grown)
        return false;
    text->data = grown;
    text->capacity = capacity;
    return true;
}

void tk_text_bytes(tk_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    WF_INVARIANT(text->length < text->capacity);
    text->data[text->length] = '\0';
}

void tk_text_add(tk_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (bytes < 0 || !reserve(text, (size_t)bytes))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)bytes;
}

const char *tk_text_read(const tk_text *text)
{
    return text->data ? text->data : "";
}

void tk_text_clear(tk_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data)
        text->data[0] = '\0';
}

void tk_text_free(tk_text *text)
{
    free(text->data);
    *text = (tk_text){0};
}
