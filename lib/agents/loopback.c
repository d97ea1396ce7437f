#include "loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_HOST = 64 };

/* [::1], and 127.0.0.0/8 as IPv6 writes it. `text` has lost its '['. */
static int is_loopback6(char *text)
{
    char *end = strchr(text, ']');
    struct in6_addr address;

    if (!end || end[1])
        return 0;
    *end = '\0';
    if (inet_pton(AF_INET6, text, &address) != 1)
        return 0;
    return IN6_IS_ADDR_LOOPBACK(&address) ||
           (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == IN_LOOPBACKNET);
}

/* Behind a blank, inet_aton() accepts anything. */
static int is_loopback4(const char *text)
{
    struct in_addr address;

    return !text[strspn(text, "0123456789abcdefABCDEFxX.")] && inet_aton(text, &address) != 0 &&
           ntohl(address.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

/* The length of "HOST" in "HOST:PORT/PATH", with the brackets of an IPv6 address. */
static size_t host_length(const char *host)
{
    size_t bracket = *host == '[' ? strcspn(host, "]/") : 0;

    return bracket + strcspn(host + bracket, ":/?#");
}

int wfa_url_is_loopback(const char *url)
{
    const char *begin = strstr(url, "://");
    char host[LONGEST_HOST];
    size_t length;

    if (!begin)
        return 0;
    begin += strlen("://");
    length = host_length(begin);
    if (length >= sizeof host)
        return 0;
    memcpy(host, begin, length);
    host[length] = '\0';
    if (*host == '[')
        return is_loopback6(host + 1);
    return strcasecmp(host, "localhost") == 0 || is_loopback4(host);
}
