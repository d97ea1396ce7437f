/* A host that was built without libcurl says so. */
#include <stdio.h>
#include <string.h>

#include "agents/http.h"

int main(void)
{
    hk_http *http;
    hk_error error = {""};

    if (hk_http_new(&http, &error) == 0 || http) {
        (void)fputs("there is a hk_http without libcurl\n", stderr);
        return 1;
    }
    (void)puts(error.message);
    hk_http_free(http);
    return strstr(error.message, "HTTP agents are not in this build") ? 0 : 1;
}
