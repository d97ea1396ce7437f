/* One thing that is wrong is told. */
#include "instance/audit.h"

#include <stdarg.h>
#include <stdio.h>

int32_t wf_audit_flaw(wf_audit *self, uint64_t revision, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wfsm_flaw found = {sizeof found, self->instance, revision, text};
    self->counts.flaws++;
    return self->sink != NULL ? self->sink(self->user, &found) : WFSM_OK;
}
