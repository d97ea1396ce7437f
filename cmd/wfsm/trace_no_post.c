/* In a build without libcurl. */
#include "wfsm/trace.h"

bool trace_post(const char *url, const json_t *message)
{
    (void)message;
    cli_say("%s: this wfsm was built without libcurl", url);
    return false;
}
