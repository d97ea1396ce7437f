#include "owner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hostkit/process_identity.h"

enum { HOST_SIZE = 128 };

static void host_name(char name[HOST_SIZE])
{
    if (gethostname(name, HOST_SIZE) != 0 || !name[0])
        (void)snprintf(name, HOST_SIZE, "localhost");
    name[HOST_SIZE - 1] = '\0';
}

void owner_name(char name[OWNER_SIZE])
{
    char host[HOST_SIZE], identity[HK_IDENTITY_SIZE];

    host_name(host);
    if (hk_process_identity(getpid(), identity) != 0)
        (void)snprintf(identity, sizeof identity, "%ld", (long)getpid());
    (void)snprintf(name, OWNER_SIZE, "%s/%s", host, identity);
}

static int is_of_this_host(const char *name, const char *slash)
{
    char host[HOST_SIZE];
    size_t length = (size_t)(slash - name);

    host_name(host);
    return strlen(host) == length && memcmp(host, name, length) == 0;
}

owner_state owner_look(const char *name)
{
    const char *slash = strrchr(name, '/');

    if (!*name)
        return OWNER_NOBODY;
    if (!slash || !is_of_this_host(name, slash))
        return OWNER_ELSEWHERE;
    return hk_process_alive(slash + 1) == 0 ? OWNER_DEAD : OWNER_ALIVE;
}

void owner_describe(const char *name, char text[OWNER_SIZE + 16])
{
    const char *slash = strrchr(name, '/');

    if (slash && hk_identity_pid(slash + 1) > 0)
        (void)snprintf(text, OWNER_SIZE + 16, "process %ld on %.*s",
                       (long)hk_identity_pid(slash + 1), (int)(slash - name), name);
    else
        (void)snprintf(text, OWNER_SIZE + 16, "%s", *name ? name : "nobody");
}
