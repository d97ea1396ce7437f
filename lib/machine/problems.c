/* machine/problems.c: how the passes report. */
#include "machine/load.h"

static wf_finding *add(wf_load *load, int32_t severity, const wf_node *node, const char *rule,
                       const char *format, va_list args) WF_PRINTF(5, 0);

static wf_finding *add(wf_load *load, int32_t severity, const wf_node *node, const char *rule,
                       const char *format, va_list args)
{
    const char *pointer = wf_findings_pointer(load->findings, &node->place);

    return wf_findings_add(load->findings, severity, rule, pointer, format, args);
}

void wf_problem(wf_load *load, const wf_node *node, const char *rule, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(load, WF_ERROR, node, rule, format, args);
    va_end(args);
}

void wf_problem_key(wf_load *load, const wf_node *node, const char *rule, const char *format,
                    ...)
{
    wf_finding *finding;
    va_list args;

    va_start(args, format);
    finding = add(load, WF_ERROR, node, rule, format, args);
    if (finding)
        finding->on_key = true;
    va_end(args);
}

void wf_problem_limit(wf_load *load, const wf_node *node, const char *format, ...)
{
    wf_finding *finding;
    va_list args;

    va_start(args, format);
    load->limited = true;
    finding = add(load, WF_ERROR, node, "limit", format, args);
    if (finding)
        finding->status = WFSM_LIMIT;
    va_end(args);
}

wf_finding *wf_problem_at(wf_load *load, const char *pointer, const char *rule,
                          const char *format, ...)
{
    wf_finding *finding;
    va_list args;

    va_start(args, format);
    finding = wf_findings_add(load->findings, WF_ERROR, rule, pointer, format, args);
    va_end(args);
    return finding;
}

void wf_warn(wf_load *load, const wf_node *node, const char *rule, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(load, WF_WARNING, node, rule, format, args);
    va_end(args);
}

void wf_warn_at(wf_load *load, const char *pointer, const char *rule, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    wf_findings_add(load->findings, WF_WARNING, rule, pointer, format, args);
    va_end(args);
}

void wf_load_push_pointer(wf_load *load, wf_vector *pointers, const wf_node *node)
{
    const char *pointer;

    if (!load->lint)
        return;
    pointer = wf_findings_pointer(load->findings, &node->place);
    wf_load_push(load, pointers, &pointer);
}
