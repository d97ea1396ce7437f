/* The name of a session, under which an engine owns its instances: "HOST/RANDOM/PID:START:BOOT". */
#include <wfsm/agents.h>

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "../base/invariant.h"
#include "process_identity.h"

enum { HOST_SIZE = 128 };

static void host_name(char name[HOST_SIZE])
{
    if (gethostname(name, HOST_SIZE) != 0 || !name[0])
        (void)snprintf(name, HOST_SIZE, "localhost");
    name[HOST_SIZE - 1] = '\0';
}

/* Without random bytes, the time and a place in memory tell the sessions of a process apart. */
static unsigned long long random_part(const void *place)
{
    unsigned long long bits;
    struct timespec now;

    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits)
        return bits;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000U + (unsigned long long)now.tv_nsec +
           (unsigned long long)(size_t)place;
}

const char *wfsm_session_name(char *name)
{
    char host[HOST_SIZE], identity[WFA_IDENTITY_SIZE];

    host_name(host);
    if (wfa_process_identity(getpid(), identity) != 0)
        (void)snprintf(identity, sizeof identity, "%ld", (long)getpid());
    WF_INVARIANT(!strchr(identity, '/')); /* the last '/' is behind the host */
    (void)snprintf(name, WFSM_OWNER_SIZE, "%s/%016llx/%s", host, random_part(name), identity);
    return name;
}

/* The bytes of the host: what is before the random part. */
static size_t host_length(const char *name, const char *slash)
{
    size_t length = (size_t)(slash - name);

    while (length > 0 && name[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

static int is_of_this_host(const char *name, const char *slash)
{
    char host[HOST_SIZE];
    size_t length = host_length(name, slash);

    host_name(host);
    return strlen(host) == length && memcmp(host, name, length) == 0;
}

int32_t wfsm_owner_state(const char *name)
{
    const char *slash = name ? strrchr(name, '/') : NULL;

    if (!name || !*name)
        return WFSM_OWNER_NONE;
    if (!slash || !is_of_this_host(name, slash))
        return WFSM_OWNER_ELSEWHERE;
    return wfa_process_alive(slash + 1) == 0 ? WFSM_OWNER_GONE : WFSM_OWNER_ALIVE;
}

const char *wfsm_owner_describe(const char *name, char *text)
{
    const char *slash = name ? strrchr(name, '/') : NULL;

    if (slash && wfa_identity_pid(slash + 1) > 0)
        (void)snprintf(text, WFSM_OWNER_TEXT_SIZE, "process %ld on %.*s",
                       (long)wfa_identity_pid(slash + 1), (int)host_length(name, slash), name);
    else
        (void)snprintf(text, WFSM_OWNER_TEXT_SIZE, "%s", name && *name ? name : "nobody");
    return text;
}

int32_t wfsm_owner_release(wfsm_store *store, const char *instance, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    char owner[WFSM_OWNER_SIZE];
    int32_t status = wfsm_store_head(store, instance, &head, error);

    if (status == WFSM_NOT_FOUND)
        return WFSM_OK;
    if (status != WFSM_OK)
        return status;
    (void)snprintf(owner, sizeof owner, "%s", head.owner);
    if (wfsm_owner_state(owner) != WFSM_OWNER_GONE)
        return WFSM_OK;
    return wfsm_store_remove_owner(store, owner, error);
}
