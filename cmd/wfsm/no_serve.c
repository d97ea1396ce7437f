/* In a build without libmicrohttpd. */
#include "wfsm/serve.h"

int serve_run(serve *self)
{
    (void)self;
    cli_say("this wfsm was built without libmicrohttpd, which serve needs");
    return CLI_FAILED;
}
