/* Diagnostics are kept until it is certain that nobody changed the instance meanwhile. */
#include "instance/audit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/invariant.h"
#include "base/error.h"

int32_t wf_audit_diagnostic(wf_audit *self, uint64_t revision, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wf_buffer_add(&self->diagnostics, (const char *)&revision, sizeof revision);
    wf_buffer_add(&self->diagnostics, text, strlen(text) + 1);
    self->counts.diagnostics++;
    return self->diagnostics.failed ? wf_no_memory(self->error) : WFSM_OK;
}

int32_t wf_audit_tell(wf_audit *self)
{
    int32_t status = WFSM_OK;
    const char *at = self->diagnostics.data;
    const char *end = self->diagnostics.length > 0 ? at + self->diagnostics.length : at;
    while (at != end && status == WFSM_OK && self->sink) {
        wfsm_audit_diagnostic found = {.size = sizeof found, .instance = self->instance};
        memcpy(&found.revision, at, sizeof found.revision);
        found.message = at + sizeof found.revision;
        at = found.message + strlen(found.message) + 1;
        WF_INVARIANT(at <= end);
        status = self->sink(self->user, &found);
    }
    wf_buffer_clear(&self->diagnostics);
    return status;
}
