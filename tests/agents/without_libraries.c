/* A host that was built without libcurl or libsodium says so. */
#include <stdio.h>
#include <string.h>
#include <wfsm/sign.h>

#include "agents/http.h"

static int check(int failed, const char *message, const char *words)
{
    (void)puts(message);
    return failed && strstr(message, words);
}

static int check_http(void)
{
    wfa_http *http;
    wfa_error error = {.status = WFSM_OK};
    int failed = wfa_http_new(&http, &error) != 0 && !http;

    wfa_http_free(http);
    return check(failed, error.message, "HTTP agents are not in this build");
}

static int check_votes(void)
{
    static const char words[] = "signatures are not in this build";
    char key[WFSM_KEY_SIZE], signature[WFSM_SIGNATURE_SIZE];
    wfsm_error *error = wfsm_error_new(NULL);
    int good =
        check(wfsm_key_make("k", key, error) != WFSM_OK, wfsm_error_message(error), words) &&
        wfsm_key_public("k", key, error) != WFSM_OK &&
        wfsm_vote_sign(NULL, "k", key, signature, error) != WFSM_OK &&
        wfsm_vote_verify(NULL, error) != WFSM_OK;

    wfsm_error_free(error);
    return good;
}

int main(void)
{
    return check_http() && check_votes() ? 0 : 1;
}
