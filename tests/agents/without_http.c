/* A host that was built without libcurl says so. */
#include <stdio.h>
#include <string.h>

#include "agents/http.h"

int main(void)
{
    wfa_http *http;
    wfa_error error = {.status = WFSM_OK};

    if (wfa_http_new(&http, &error) == 0 || http) {
        (void)fputs("there is a wfa_http without libcurl\n", stderr);
        return 1;
    }
    (void)puts(error.message);
    wfa_http_free(http);
    return strstr(error.message, "HTTP agents are not in this build") ? 0 : 1;
}
