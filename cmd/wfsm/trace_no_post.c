/* In a build without libcurl. */
#include <stdlib.h>
#include "wfsm/trace.h"

struct trace_collector {
    const char *url;
};

trace_collector *trace_collector_new(const char *url)
{
    trace_collector *made = cli_need(malloc(sizeof *made));
    made->url = url;
    return made;
}

void trace_collector_free(trace_collector *collector)
{
    free(collector);
}

trace_answer trace_post(trace_collector *collector, const json_t *message)
{
    (void)message;
    cli_say("%s: this wfsm was built without libcurl", collector->url);
    return TRACE_AWAY;
}
