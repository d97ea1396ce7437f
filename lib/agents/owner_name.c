#include "owner_name.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process_identity.h"

enum { HOST_SIZE = 128 };

static void host_name(char name[HOST_SIZE])
{
    if (gethostname(name, HOST_SIZE) != 0 || !name[0])
        (void)snprintf(name, HOST_SIZE, "localhost");
    name[HOST_SIZE - 1] = '\0';
}

void wfa_owner_name(char name[WFA_OWNER_SIZE])
{
    char host[HOST_SIZE], identity[WFA_IDENTITY_SIZE];

    host_name(host);
    if (wfa_process_identity(getpid(), identity) != 0)
        (void)snprintf(identity, sizeof identity, "%ld", (long)getpid());
    (void)snprintf(name, WFA_OWNER_SIZE, "%s/%s", host, identity);
}

static int is_of_this_host(const char *name, const char *slash)
{
    char host[HOST_SIZE];
    size_t length = (size_t)(slash - name);

    host_name(host);
    return strlen(host) == length && memcmp(host, name, length) == 0;
}

wfa_owner_state wfa_owner_look(const char *name)
{
    const char *slash = strrchr(name, '/');

    if (!*name)
        return WFA_OWNER_NOBODY;
    if (!slash || !is_of_this_host(name, slash))
        return WFA_OWNER_ELSEWHERE;
    return wfa_process_alive(slash + 1) == 0 ? WFA_OWNER_DEAD : WFA_OWNER_ALIVE;
}

void wfa_owner_describe(const char *name, char text[WFA_OWNER_SIZE + 16])
{
    const char *slash = strrchr(name, '/');

    if (slash && wfa_identity_pid(slash + 1) > 0)
        (void)snprintf(text, WFA_OWNER_SIZE + 16, "process %ld on %.*s",
                       (long)wfa_identity_pid(slash + 1), (int)(slash - name), name);
    else
        (void)snprintf(text, WFA_OWNER_SIZE + 16, "%s", *name ? name : "nobody");
}

void wfa_owner_bury(wfsm_store *store, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    char owner[WFA_OWNER_SIZE];

    if (wfsm_store_head(store, id, &head, NULL) != WFSM_OK)
        return;
    (void)snprintf(owner, sizeof owner, "%s", head.owner);
    if (wfa_owner_look(owner) == WFA_OWNER_DEAD)
        (void)wfsm_store_owner_gone(store, owner, NULL);
}

void wfa_owner_of(wfsm_store *store, const char *id, char text[WFA_OWNER_SIZE + 16])
{
    wfsm_head head = {.size = sizeof head};

    if (wfsm_store_head(store, id, &head, NULL) == WFSM_OK)
        wfa_owner_describe(head.owner, text);
    else
        (void)snprintf(text, WFA_OWNER_SIZE + 16, "somebody else");
}
