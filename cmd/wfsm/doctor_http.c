#include "wfsm/doctor_http.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_SIZE = 512, LONGEST_MS = 10000 };

static const char *text_of(const json_t *about, const char *key)
{
    const char *text = json_string_value(json_object_get(about, key));
    return text ? text : "";
}

static void tell(doctor_endpoint *found, const char *state, const char *advice,
                 const char *message)
{
    found->state = state;
    found->advice = advice;
    found->message = strdup(message);
}

/* ---- the key ---- */

static int has_key(const json_t *about, doctor_endpoint *found)
{
    const char *variable = text_of(about, "key_env"), *file = text_of(about, "key_file");
    const char *key = *variable ? getenv(variable) : NULL;
    char message[TEXT_SIZE];
    struct stat is;
    if (*variable && !(key && *key) && !*file) {
        snprintf(message, sizeof message, "the variable %s is not set", variable);
        tell(found, "auth", "set it to the key of the service, or name a key_file", message);
        return 0;
    }
    if (*file && (stat(file, &is) != 0 || is.st_size == 0)) {
        snprintf(message, sizeof message, "%s: no key is there", file);
        tell(found, "auth", "write the key of the service into this file", message);
        return 0;
    }
    return 1;
}

/* ---- the address ---- */

typedef struct address {
    char host[256], port[16];
} address;

static void copy(char *to, size_t room, const char *from, size_t length)
{
    snprintf(to, room, "%.*s", (int)(length < room ? length : room - 1), from);
}

/* Of SCHEME://[USER@]HOST[:PORT][/PATH]; HOST may be an address in brackets. */
static int read_address(const char *url, address *to)
{
    const char *at = strstr(url, "://"), *user, *colon;
    size_t length;
    if (!at)
        return 0;
    copy(to->port, sizeof to->port, strncmp(url, "http:", 5) == 0 ? "80" : "443", 3);
    at += 3;
    length = strcspn(at, "/?#");
    user = memchr(at, '@', length);
    if (user) {
        length -= (size_t)(user + 1 - at);
        at = user + 1;
    }
    if (*at == '[') {
        size_t inside = strcspn(++at, "]/");
        copy(to->host, sizeof to->host, at, inside);
        colon = at[inside] == ']' && at[inside + 1] == ':' ? at + inside + 1 : NULL;
        length--;
    } else {
        colon = memchr(at, ':', length);
        copy(to->host, sizeof to->host, at, colon ? (size_t)(colon - at) : length);
    }
    if (colon)
        copy(to->port, sizeof to->port, colon + 1, (size_t)(at + length - colon - 1));
    return *to->host != '\0';
}

/* 0, or an errno. */
static int finish_connect(int descriptor, int timeout_ms)
{
    struct pollfd one = {.fd = descriptor, .events = POLLOUT};
    int failed = 0;
    socklen_t size = sizeof failed;
    int ready = poll(&one, 1, timeout_ms);
    if (ready == 0)
        return ETIMEDOUT;
    if (ready < 0 || getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failed, &size) != 0)
        return errno;
    return failed;
}

static int connect_one(const struct addrinfo *to, int timeout_ms)
{
    int descriptor = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int failed = descriptor < 0 ? errno : 0;
    if (!failed && connect(descriptor, to->ai_addr, to->ai_addrlen) != 0)
        failed = errno == EINPROGRESS ? finish_connect(descriptor, timeout_ms) : errno;
    if (descriptor >= 0)
        close(descriptor);
    return failed;
}

/* NULL: somebody listens. */
static const char *find_fault(const address *at, int timeout_ms)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL, *one;
    int failed = getaddrinfo(at->host, at->port, &hints, &list);
    if (failed != 0)
        return gai_strerror(failed);
    for (one = list, failed = ENOENT; one && failed != 0; one = one->ai_next)
        failed = connect_one(one, timeout_ms);
    freeaddrinfo(list);
    return failed ? strerror(failed) : NULL;
}

static int has_proxy(void)
{
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy",
                                        "ALL_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return 1;
    }
    return 0;
}

void doctor_http_try(const json_t *about, doctor_endpoint *found)
{
    const char *url = text_of(about, "base_url"), *fault;
    json_int_t given = json_integer_value(json_object_get(about, "connect_timeout_ms"));
    char message[TEXT_SIZE];
    address at;
    if (!has_key(about, found))
        return;
    if (!read_address(url, &at)) {
        tell(found, "network", "correct the key base_url", "base_url is no address");
        return;
    }
    fault = find_fault(&at, given > 0 && given < LONGEST_MS ? (int)given : LONGEST_MS);
    if (!fault) {
        tell(found, "ok", NULL, "its endpoint can be reached; the model is not asked");
        return;
    }
    snprintf(message, sizeof message, "%.300s: %.150s", url, fault);
    tell(found, has_proxy() ? "ok" : "network",
         has_proxy() ? "only a proxy may lead there, which is not tried"
                     : "look at the network and at base_url",
         message);
}
