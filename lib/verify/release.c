#include "verify/release.h"

#include <stdio.h>
#include <string.h>

/* Calls public functions only, because they are the same in every release. */
int32_t wf_check_release(wfsm_error *error)
{
    char message[128];
    const char *release = wfsm_version();
    if (strcmp(release, WF_VERSION) == 0)
        return WFSM_OK;
    snprintf(message, sizeof message,
             "libwfsm-tools %s cannot work with libwfsm %s: install both of one release",
             WF_VERSION, release);
    return wfsm_error_set(error, WFSM_VERSION, message);
}
