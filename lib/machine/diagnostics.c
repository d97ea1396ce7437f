/* machine/diagnostics.c */
#include "machine/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "machine/positions.h"

enum { WF_MESSAGE = 512 };

wfsm_diagnostics *wf_diagnostics_new(const wfsm_allocator *allocator)
{
    wfsm_diagnostics *diagnostics = wf_new(allocator, sizeof *diagnostics);

    if (!diagnostics)
        return NULL;
    diagnostics->allocator = *allocator;
    wf_arena_init(&diagnostics->arena, &diagnostics->allocator, 0);
    return diagnostics;
}

void wfsm_diagnostics_free(wfsm_diagnostics *diagnostics)
{
    wfsm_allocator own;

    if (!diagnostics)
        return;
    own = diagnostics->allocator;
    wf_arena_fini(&diagnostics->arena);
    wf_free(&own, diagnostics->list);
    wf_free(&own, diagnostics);
}

const char *wf_diagnostics_pointer(wfsm_diagnostics *diagnostics, const wf_place *place)
{
    size_t length = wf_place_pointer(place, NULL, 0);
    char *text = wf_arena_take(&diagnostics->arena, length + 1);

    if (text)
        wf_place_pointer(place, text, length + 1);
    return text;
}

/* A message is one line of valid UTF-8, whatever it quotes. */
static void clean(char *message)
{
    size_t length = strlen(message);

    while (length && !wf_utf8_valid(message, length))
        message[--length] = '\0';
    for (char *at = message; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
}

static const char *keep_message(wfsm_diagnostics *diagnostics, const char *format, va_list args)
    WF_PRINTF(2, 0);

static const char *keep_message(wfsm_diagnostics *diagnostics, const char *format, va_list args)
{
    char message[WF_MESSAGE];

    if (vsnprintf(message, sizeof message, format, args) < 0)
        message[0] = '\0';
    clean(message);
    return wf_arena_text(&diagnostics->arena, message, strlen(message));
}

static wf_diagnostic *append(wfsm_diagnostics *diagnostics)
{
    wf_diagnostic *list = wf_grow(&diagnostics->allocator, diagnostics->list,
                                  &diagnostics->capacity, diagnostics->count + 1, sizeof *list);

    if (!list)
        return NULL;
    diagnostics->list = list;
    memset(&list[diagnostics->count], 0, sizeof *list);
    return &list[diagnostics->count];
}

wf_diagnostic *wf_diagnostics_add(wfsm_diagnostics *diagnostics, int32_t severity,
                                  const char *rule, const char *pointer, const char *format,
                                  va_list args)
{
    const char *message;
    wf_diagnostic *diagnostic;

    if (severity == WF_ERROR)
        diagnostics->errors++;
    if (diagnostics->count == WF_MAX_DIAGNOSTICS) {
        diagnostics->dropped++;
        return NULL;
    }
    diagnostic = append(diagnostics);
    message = keep_message(diagnostics, format, args);
    if (!diagnostic || !message || !pointer) {
        diagnostics->failed = true;
        return NULL;
    }
    diagnostic->message = message;
    diagnostic->pointer = pointer;
    diagnostic->severity = severity;
    diagnostic->status = WFSM_SEMANTIC;
    diagnostic->rule = rule;
    diagnostic->order = (uint32_t)diagnostics->count++;
    WF_INVARIANT(diagnostics->count <= WF_MAX_DIAGNOSTICS);
    return diagnostic;
}

static int by_position(const void *left, const void *right)
{
    const wf_diagnostic *a = left, *b = right;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void add_dropped(wfsm_diagnostics *diagnostics, const char *format, ...) WF_PRINTF(2, 3);

/* The last word of a list that was cut, at the place of the last that was kept. */
static void add_dropped(wfsm_diagnostics *diagnostics, const char *format, ...)
{
    wf_diagnostic *diagnostic = append(diagnostics);
    const wf_diagnostic *last;
    va_list args;

    if (!diagnostic) {
        diagnostics->failed = true;
        return;
    }
    last = diagnostic - 1;
    *diagnostic = *last;
    diagnostic->severity = diagnostics->errors ? WF_ERROR : WF_WARNING;
    diagnostic->rule = "too-many";
    va_start(args, format);
    diagnostic->message = keep_message(diagnostics, format, args);
    va_end(args);
    if (diagnostic->message)
        diagnostics->count++;
    else
        diagnostics->failed = true;
}

bool wf_diagnostics_settle(wfsm_diagnostics *diagnostics, const char *text, size_t length,
                           const wf_value *root)
{
    if (!diagnostics->count)
        return true;
    wf_positions_find(diagnostics->list, diagnostics->count, text, length, root);
    qsort(diagnostics->list, diagnostics->count, sizeof *diagnostics->list, by_position);
    WF_INVARIANT(diagnostics->list[0].line <= diagnostics->list[diagnostics->count - 1].line);
    if (diagnostics->dropped)
        add_dropped(diagnostics, "%zu more diagnostics are not shown", diagnostics->dropped);
    return !diagnostics->failed;
}

int32_t wf_diagnostics_first_error(const wfsm_diagnostics *diagnostics, wfsm_error *error)
{
    for (size_t i = 0; i < diagnostics->count; i++) {
        const wf_diagnostic *diagnostic = &diagnostics->list[i];

        if (diagnostic->severity != WF_ERROR)
            continue;
        wf_fail(error, diagnostic->status, "%s", diagnostic->message);
        wf_error_set_pointer(error, diagnostic->pointer);
        wf_error_set_position(error, diagnostic->line, diagnostic->column);
        return diagnostic->status;
    }
    return WFSM_OK;
}

size_t wfsm_diagnostics_count(const wfsm_diagnostics *diagnostics)
{
    return diagnostics ? diagnostics->count : 0;
}

int32_t wfsm_diagnostics_get(const wfsm_diagnostics *diagnostics, size_t index,
                             wfsm_diagnostic *diagnostic)
{
    if (!diagnostics || !diagnostic)
        return WFSM_INVALID;
    if (index >= diagnostics->count)
        return WFSM_NOT_FOUND;
    const wf_diagnostic *from = &diagnostics->list[index];
    wfsm_diagnostic all = {sizeof all, from->severity, from->line,   from->column,
                           from->rule, from->message,  from->pointer};
    return wf_struct_give(diagnostic, &all, sizeof all, sizeof all.size) ? WFSM_OK
                                                                         : WFSM_INVALID;
}
