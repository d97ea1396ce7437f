#include "wfsm/serve.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static bool make_secret(char out[SERVE_SECRET + 1])
{
    unsigned char bytes[SERVE_SECRET / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool serve_make_secrets(serve *self)
{
    return make_secret(self->token) && make_secret(self->cookie) && make_secret(self->form);
}

bool serve_same(const char *left, const char *right)
{
    unsigned char differs = strlen(left) != SERVE_SECRET || strlen(right) != SERVE_SECRET;
    for (size_t i = 0; !differs && i < SERVE_SECRET; i++)
        differs |= (unsigned char)(left[i] ^ right[i]);
    return differs == 0;
}

/* Another name that leads to the loopback is that of a page from elsewhere (DNS rebinding). */
bool serve_is_own_host(const serve *self, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[64];
    bool is = false;
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        snprintf(own, sizeof own, "%s:%lld", names[i], (long long)self->port);
        is = is || strcmp(host, own) == 0;
    }
    return is;
}

bool serve_is_own_form(const serve_request *asked, const char *origin, const char *host)
{
    char own[96];
    snprintf(own, sizeof own, "http://%.80s", host);
    return origin && strcmp(origin, own) == 0 &&
           serve_same(serve_get(asked, "form"), asked->self->form);
}

/* Cookies do not know ports, so the port is in the name. Other servers of this host may have given the browser
 * cookies that look like ours. */
bool serve_has_cookie(const serve *self, const char *cookies)
{
    char name[32], value[SERVE_SECRET + 2];
    bool has = false;
    snprintf(name, sizeof name, "wfsm_%lld=", (long long)self->port);
    for (const char *at = cookies; at && *at; at += strspn(at, "; ")) {
        size_t length = strcspn(at, "; ");
        if (strncmp(at, name, strlen(name)) == 0) {
            snprintf(value, sizeof value, "%.*s", (int)(length - strlen(name)),
                     at + strlen(name));
            has = has || serve_same(value, self->cookie);
        }
        at += length;
    }
    return has;
}
