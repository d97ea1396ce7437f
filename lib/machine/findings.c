/* machine/findings.c */
#include "machine/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "machine/positions.h"

enum { WF_MESSAGE = 512 };

wfsm_findings *wf_findings_new(const wfsm_allocator *allocator)
{
    wfsm_findings *findings = wf_new(allocator, sizeof *findings);

    if (!findings)
        return NULL;
    findings->allocator = *allocator;
    wf_arena_init(&findings->arena, &findings->allocator, 0);
    return findings;
}

void wfsm_findings_free(wfsm_findings *findings)
{
    wfsm_allocator own;

    if (!findings)
        return;
    own = findings->allocator;
    wf_arena_fini(&findings->arena);
    wf_free(&own, findings->list);
    wf_free(&own, findings);
}

const char *wf_findings_pointer(wfsm_findings *findings, const wf_place *place)
{
    size_t length = wf_place_pointer(place, NULL, 0);
    char *text = wf_arena_take(&findings->arena, length + 1);

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

static const char *keep_message(wfsm_findings *findings, const char *format, va_list args)
    WF_PRINTF(2, 0);

static const char *keep_message(wfsm_findings *findings, const char *format, va_list args)
{
    char message[WF_MESSAGE];

    if (vsnprintf(message, sizeof message, format, args) < 0)
        message[0] = '\0';
    clean(message);
    return wf_arena_text(&findings->arena, message, strlen(message));
}

static wf_finding *append(wfsm_findings *findings)
{
    wf_finding *list = wf_grow(&findings->allocator, findings->list, &findings->capacity,
                               findings->count + 1, sizeof *list);

    if (!list)
        return NULL;
    findings->list = list;
    memset(&list[findings->count], 0, sizeof *list);
    return &list[findings->count];
}

wf_finding *wf_findings_add(wfsm_findings *findings, int32_t severity, const char *rule,
                            const char *pointer, const char *format, va_list args)
{
    const char *message;
    wf_finding *finding;

    if (severity == WF_ERROR)
        findings->errors++;
    if (findings->count == WF_MAX_FINDINGS) {
        findings->dropped++;
        return NULL;
    }
    finding = append(findings);
    message = keep_message(findings, format, args);
    if (!finding || !message || !pointer) {
        findings->failed = true;
        return NULL;
    }
    finding->message = message;
    finding->pointer = pointer;
    finding->severity = severity;
    finding->status = WFSM_SEMANTIC;
    finding->rule = rule;
    finding->order = (uint32_t)findings->count++;
    return finding;
}

static int by_position(const void *left, const void *right)
{
    const wf_finding *a = left, *b = right;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void add_dropped(wfsm_findings *findings, const char *format, ...) WF_PRINTF(2, 3);

/* The last word of a list that was cut, at the place of the last that was kept. */
static void add_dropped(wfsm_findings *findings, const char *format, ...)
{
    wf_finding *finding = append(findings);
    const wf_finding *last;
    va_list args;

    if (!finding) {
        findings->failed = true;
        return;
    }
    last = finding - 1;
    *finding = *last;
    finding->severity = findings->errors ? WF_ERROR : WF_WARNING;
    finding->rule = "too-many";
    va_start(args, format);
    finding->message = keep_message(findings, format, args);
    va_end(args);
    if (finding->message)
        findings->count++;
    else
        findings->failed = true;
}

bool wf_findings_settle(wfsm_findings *findings, const char *text, size_t length,
                        const wf_value *root)
{
    if (!findings->count)
        return true;
    wf_positions_find(findings->list, findings->count, text, length, root);
    qsort(findings->list, findings->count, sizeof *findings->list, by_position);
    if (findings->dropped)
        add_dropped(findings, "%zu more findings are not shown", findings->dropped);
    return !findings->failed;
}

int32_t wf_findings_first_error(const wfsm_findings *findings, wfsm_error *error)
{
    for (size_t i = 0; i < findings->count; i++) {
        const wf_finding *finding = &findings->list[i];

        if (finding->severity != WF_ERROR)
            continue;
        wf_fail(error, finding->status, "%s", finding->message);
        wf_error_set_pointer(error, finding->pointer);
        wf_error_set_position(error, finding->line, finding->column);
        return finding->status;
    }
    return WFSM_OK;
}

size_t wfsm_findings_count(const wfsm_findings *findings)
{
    return findings ? findings->count : 0;
}

int32_t wfsm_findings_get(const wfsm_findings *findings, size_t index, wfsm_finding *finding)
{
    if (!findings || !finding)
        return WFSM_INVALID;
    if (index >= findings->count)
        return WFSM_NOT_FOUND;
    const wf_finding *from = &findings->list[index];
    wfsm_finding all = {sizeof all, from->severity, from->line,   from->column,
                        from->rule, from->message,  from->pointer};
    return wf_struct_give(finding, &all, sizeof all, sizeof all.size) ? WFSM_OK : WFSM_INVALID;
}
