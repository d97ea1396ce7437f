/* In a build without libmicrohttpd. */
#include "wfsm/work.h"

int work_metrics_check(const char *address)
{
    (void)address;
    return CLI_OK;
}

bool work_metrics_begin(work *self, const char *address)
{
    (void)self, (void)address;
    cli_say("this wfsm was built without libmicrohttpd, which --metrics needs");
    return false;
}

void work_metrics_run(work *self)
{
    (void)self;
}

void work_metrics_end(work *self)
{
    (void)self;
}
