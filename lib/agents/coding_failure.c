/* What failed, from the words of a coding agent. Each message begins with a word of its own, so that
 * a document and a person can tell failures of one class apart. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "coding.h"

enum { AUTH, CONTEXT, QUOTA, PERMISSION, NETWORK, KINDS };

static const wfa_coding_failure failures[KINDS] = {
    [AUTH] = {"auth", "auth", -1},
    [CONTEXT] = {"other", "context", -1}, /* the same prompt would fail again */
    [QUOTA] = {"network", "quota", -1}, /* it goes away by waiting, as a busy service does */
    [PERMISSION] = {"auth", "permission", -1},
    [NETWORK] = {"network", "network", -1}};

/* Lower case; the first that is found counts. */
static const struct {
    const char *words;
    int kind;
} patterns[] = {
    {"prompt is too long", CONTEXT},
    {"context window", CONTEXT},
    {"context length", CONTEXT},
    {"context_length_exceeded", CONTEXT},
    {"input token count", CONTEXT},
    {"maximum number of tokens", CONTEXT},
    {"rate limit", QUOTA},
    {"rate_limit", QUOTA},
    {"usage limit", QUOTA},
    {"session limit", QUOTA},
    {"hit your limit", QUOTA},
    {"quota", QUOTA},
    {"resource_exhausted", QUOTA},
    {"credit balance", QUOTA},
    {"too many requests", QUOTA},
    {"not logged in", AUTH},
    {"please log in", AUTH},
    {"please run /login", AUTH},
    {"log out and sign in", AUTH},
    {"authentication", AUTH},
    {"auth method", AUTH},
    {"failed to authenticate", AUTH},
    {"unauthorized", AUTH},
    {"api key", AUTH},
    {"api_key", AUTH},
    {"permission denied for the tool", PERMISSION},
    {"permission", PERMISSION},
    {"denied by policy", PERMISSION},
    {"unable to connect", NETWORK},
    {"connection", NETWORK},
    {"error sending request", NETWORK},
    {"stream disconnected", NETWORK},
    {"fetch failed", NETWORK},
    {"econnrefused", NETWORK},
    {"econnreset", NETWORK},
    {"enotfound", NETWORK},
    {"overloaded", NETWORK},
    {"high demand", NETWORK},
    {"at capacity", NETWORK},
    {"timed out", NETWORK},
    {"service unavailable", NETWORK},
    {"bad gateway", NETWORK},
};

static int kind_of_status(long status)
{
    if (status == 401 || status == 403)
        return AUTH;
    if (status == 413)
        return CONTEXT;
    if (status == 402 || status == 429)
        return QUOTA;
    if (status == 408 || status >= 500)
        return NETWORK;
    return KINDS;
}

static int kind_of_words(const char *words)
{
    size_t index;

    for (index = 0; index < sizeof patterns / sizeof patterns[0]; index++)
        if (strcasestr(words, patterns[index].words))
            return patterns[index].kind;
    return KINDS;
}

/* ---- how long to wait ---- */

static int64_t unit_of(const char *text)
{
    while (*text == ' ')
        text++;
    if (strncmp(text, "ms", 2) == 0 || strncasecmp(text, "milli", 5) == 0)
        return 1;
    if (*text == 'm')
        return 60 * 1000;
    return *text == 'h' ? 60 * 60 * 1000 : 1000; /* seconds need no unit */
}

/* "7s", "1.5 seconds", "2 minutes", "1m30s"; -1: no time. */
static int64_t read_time(const char *text)
{
    double sum = 0, amount;
    char *end;

    while (*text == ' ' || *text == ':' || *text == '"')
        text++;
    if (!isdigit((unsigned char)*text))
        return -1;
    while (isdigit((unsigned char)*text)) {
        amount = strtod(text, &end);
        sum += amount * (double)unit_of(end);
        text = end;
        while (isalpha((unsigned char)*text))
            text++;
    }
    return sum < 1e12 ? (int64_t)sum : -1;
}

static int64_t retry_after_of(const char *words)
{
    static const char *const marks[] = {
        "retrydelay\"", "retry-after", "retry after", "try again in",
        "retry in",     "reset after", NULL};
    int64_t found = -1;
    size_t index;

    for (index = 0; marks[index] && found < 0; index++) {
        const char *at = strcasestr(words, marks[index]);
        if (at)
            found = read_time(at + strlen(marks[index]));
    }
    return found;
}

wfa_coding_failure wfa_coding_failure_of(const char *words, long status, int is_auth_code)
{
    int kind = is_auth_code ? AUTH : kind_of_words(words);
    wfa_coding_failure found = {NULL, "", -1};

    if (kind == KINDS || (status == 429 && kind != CONTEXT))
        kind = kind_of_status(status);
    if (kind != KINDS)
        found = failures[kind];
    if (kind == QUOTA || kind == NETWORK)
        found.retry_after = retry_after_of(words);
    return found;
}
