/* machine/load_report.c: how the passes report. */
#include "machine/load.h"

static wf_diagnostic *add(wf_load *load, int32_t severity, const wf_node *node,
                          const char *rule, const char *format, va_list args) WF_PRINTF(5, 0);

static wf_diagnostic *add(wf_load *load, int32_t severity, const wf_node *node,
                          const char *rule, const char *format, va_list args)
{
    const char *pointer = wf_diagnostics_pointer(load->diagnostics, &node->place);

    return wf_diagnostics_add(load->diagnostics, severity, rule, pointer, format, args);
}

void wf_load_error(wf_load *load, const wf_node *node, const char *rule, const char *format,
                   ...)
{
    va_list args;

    va_start(args, format);
    add(load, WF_ERROR, node, rule, format, args);
    va_end(args);
}

void wf_load_error_key(wf_load *load, const wf_node *node, const char *rule, const char *format,
                       ...)
{
    wf_diagnostic *diagnostic;
    va_list args;

    va_start(args, format);
    diagnostic = add(load, WF_ERROR, node, rule, format, args);
    if (diagnostic)
        diagnostic->on_key = true;
    va_end(args);
}

void wf_load_error_limit(wf_load *load, const wf_node *node, const char *format, ...)
{
    wf_diagnostic *diagnostic;
    va_list args;

    va_start(args, format);
    load->limited = true;
    diagnostic = add(load, WF_ERROR, node, "limit", format, args);
    if (diagnostic)
        diagnostic->status = WFSM_LIMIT;
    va_end(args);
}

wf_diagnostic *wf_load_error_at(wf_load *load, const char *pointer, const char *rule,
                                const char *format, ...)
{
    wf_diagnostic *diagnostic;
    va_list args;

    va_start(args, format);
    diagnostic = wf_diagnostics_add(load->diagnostics, WF_ERROR, rule, pointer, format, args);
    va_end(args);
    return diagnostic;
}

void wf_load_warn(wf_load *load, const wf_node *node, const char *rule, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(load, WF_WARNING, node, rule, format, args);
    va_end(args);
}

void wf_load_warn_at(wf_load *load, const char *pointer, const char *rule, const char *format,
                     ...)
{
    va_list args;

    va_start(args, format);
    wf_diagnostics_add(load->diagnostics, WF_WARNING, rule, pointer, format, args);
    va_end(args);
}

void wf_load_note_at(wf_load *load, const char *pointer, const char *rule, const char *format,
                     ...)
{
    va_list args;

    va_start(args, format);
    wf_diagnostics_add(load->diagnostics, WF_NOTE, rule, pointer, format, args);
    va_end(args);
}

void wf_load_push_pointer(wf_load *load, wf_vector *pointers, const wf_node *node)
{
    const char *pointer;

    if (!load->lint)
        return;
    pointer = wf_diagnostics_pointer(load->diagnostics, &node->place);
    wf_load_push(load, pointers, &pointer);
}
