#include "http.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loopback.h"

enum { TYPE_SIZE = 64, LONGEST_RETRY_MS = 7 * 24 * 60 * 60 * 1000 };

struct wfa_http {
    CURLM *multi;
    wfa_http_call *first;
    int fresh; /* ended since the last poll */
};

struct wfa_http_call {
    wfa_http_call *next;
    wfa_http *http;
    CURL *curl;
    struct curl_slist *headers;
    wfa_http_sink sink;
    void *user;
    size_t left;                 /* bytes that may still come */
    int64_t begun, ended, heard; /* heard: the last byte */
    int64_t idle;
    wfa_http_end end;             /* while it runs: how the sink has ended it */
    char type[TYPE_SIZE];
    char why[CURL_ERROR_SIZE];
};

static int64_t clock_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int wfa_http_new(wfa_http **http, wfa_error *error)
{
    *http = NULL;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return wfa_fail(error, "libcurl cannot be used");
    *http = calloc(1, sizeof **http);
    if (*http)
        (*http)->multi = curl_multi_init();
    if (*http && (*http)->multi)
        return 0;
    free(*http);
    *http = NULL;
    curl_global_cleanup();
    return wfa_no_memory(error);
}

void wfa_http_free(wfa_http *http)
{
    if (!http)
        return;
    while (http->first)
        wfa_http_forget(http->first);
    (void)curl_multi_cleanup(http->multi);
    curl_global_cleanup();
    free(http);
}

/* ---- what comes in ---- */

static int is_within_limit(wfa_http_call *call, size_t length)
{
    call->heard = clock_ms();
    if (length <= call->left) {
        call->left -= length;
        return 1;
    }
    call->end = WFA_HTTP_TOO_LONG;
    return 0;
}

/* Anything but the length makes libcurl end the transfer. */
static size_t take_body(char *bytes, size_t size, size_t count, void *user)
{
    wfa_http_call *call = user;
    size_t length = size * count;
    int answer;

    if (!is_within_limit(call, length))
        return CURL_WRITEFUNC_ERROR;
    answer = call->sink(call->user, bytes, length);
    if (answer == 0)
        return length;
    call->end = answer > 0 ? WFA_HTTP_DONE : WFA_HTTP_REFUSED;
    return CURL_WRITEFUNC_ERROR;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *user)
{
    (void)bytes;
    return is_within_limit(user, size * count) ? size * count : 0;
}

long wfa_http_status(const wfa_http_call *call)
{
    long status = 0;

    (void)curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

const char *wfa_http_type(const wfa_http_call *call)
{
    wfa_http_call *keep = (wfa_http_call *)call; /* only a cache */
    const char *type = NULL;
    size_t length = 0;

    (void)curl_easy_getinfo(call->curl, CURLINFO_CONTENT_TYPE, &type);
    for (; type && type[length] && !strchr("; \t", type[length]); length++)
        if (length + 1 < TYPE_SIZE)
            keep->type[length] =
                (char)(type[length] >= 'A' && type[length] <= 'Z' ? type[length] - 'A' + 'a'
                                                                  : type[length]);
    keep->type[length < TYPE_SIZE ? length : TYPE_SIZE - 1] = '\0';
    return call->type;
}

int64_t wfa_http_retry_after(const wfa_http_call *call)
{
    curl_off_t seconds = 0;

    (void)curl_easy_getinfo(call->curl, CURLINFO_RETRY_AFTER, &seconds);
    if (seconds <= 0)
        return -1;
    return seconds < LONGEST_RETRY_MS / 1000 ? (int64_t)seconds * 1000 : LONGEST_RETRY_MS;
}

/* ---- starting ---- */

static int copy_headers(wfa_http_call *call, const char *const *headers)
{
    for (; *headers; headers++) {
        struct curl_slist *longer = curl_slist_append(call->headers, *headers);
        if (!longer)
            return -1;
        call->headers = longer;
    }
    return 0;
}

static CURLcode set_request(const wfa_http_call *call, const wfa_http_spec *spec)
{
    CURL *curl = call->curl;
    CURLcode bad = curl_easy_setopt(curl, CURLOPT_URL, spec->url);

    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    /* A proxy could not reach this machine, but it would get what is sent, the key included. */
    if (!bad && wfa_url_is_loopback(spec->url))
        bad = curl_easy_setopt(curl, CURLOPT_PROXY, "");
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_HTTPHEADER, call->headers);
    bad = bad ? bad
              : curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)spec->length);
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS, spec->body);
    if (!bad && spec->ca_file)
        bad = curl_easy_setopt(curl, CURLOPT_CAINFO, spec->ca_file);
    return bad;
}

static CURLcode set_limits(const wfa_http_call *call, const wfa_http_spec *spec)
{
    CURL *curl = call->curl;
    CURLcode bad = curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);

    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)spec->connect_ms);
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)spec->timeout_ms);
    return bad;
}

static CURLcode set_callbacks(wfa_http_call *call)
{
    CURL *curl = call->curl;
    CURLcode bad = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);

    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_WRITEDATA, call);
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_HEADERDATA, call);
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, call->why);
    bad = bad ? bad : curl_easy_setopt(curl, CURLOPT_PRIVATE, call);
    return bad;
}

static int set_up(wfa_http_call *call, const wfa_http_spec *spec, wfa_error *error)
{
    CURLcode bad;

    call->curl = curl_easy_init();
    if (!call->curl || copy_headers(call, spec->headers) != 0)
        return wfa_no_memory(error);
    bad = set_request(call, spec);
    bad = bad ? bad : set_limits(call, spec);
    bad = bad ? bad : set_callbacks(call);
    if (bad)
        return wfa_fail(error, "libcurl does not take the request: %s",
                        curl_easy_strerror(bad));
    if (curl_multi_add_handle(call->http->multi, call->curl) != CURLM_OK)
        return wfa_fail(error, "libcurl does not take one more call");
    return 0;
}

int wfa_http_start(wfa_http *http, const wfa_http_spec *spec, wfa_http_call **call,
                   wfa_error *error)
{
    wfa_http_call *made = calloc(1, sizeof *made);

    *call = NULL;
    if (!made)
        return wfa_no_memory(error);
    made->http = http;
    made->sink = spec->sink;
    made->user = spec->user;
    made->left = spec->max_bytes;
    made->idle = spec->idle_ms;
    made->begun = made->heard = clock_ms();
    made->next = http->first;
    http->first = made;
    if (set_up(made, spec, error) != 0) {
        wfa_http_forget(made);
        return -1;
    }
    *call = made;
    return 0;
}

void wfa_http_forget(wfa_http_call *call)
{
    wfa_http_call **at;

    if (!call)
        return;
    for (at = &call->http->first; *at != call;)
        at = &(*at)->next;
    *at = call->next;
    if (call->curl)
        (void)curl_multi_remove_handle(call->http->multi, call->curl);
    curl_easy_cleanup(call->curl);
    curl_slist_free_all(call->headers);
    free(call);
}

/* ---- ends ---- */

/* Distinguishes errors of the server from errors on this side. */
static wfa_http_end end_of(CURLcode code)
{
    switch (code) {
    case CURLE_OK:
        return WFA_HTTP_DONE;
    case CURLE_OPERATION_TIMEDOUT:
        return WFA_HTTP_TIMEOUT;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return WFA_HTTP_UNTRUSTED;
    case CURLE_URL_MALFORMAT:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_NOT_BUILT_IN:
        return WFA_HTTP_FAILED;
    default:
        return WFA_HTTP_NETWORK;
    }
}

static void finish(wfa_http_call *call, wfa_http_end end, const char *why)
{
    call->end = end;
    call->ended = clock_ms();
    call->http->fresh++;
    if (!call->why[0] || end == WFA_HTTP_TOO_LONG)
        (void)snprintf(call->why, sizeof call->why, "%s", why);
}

static unsigned is_running(const wfa_http_call *call)
{
    return call->ended == 0;
}

static void finish_by_curl(wfa_http_call *call, CURLcode code)
{
    if (call->end == WFA_HTTP_TOO_LONG)
        finish(call, WFA_HTTP_TOO_LONG, "the reply is longer than allowed");
    else if (call->end != WFA_HTTP_RUNNING)
        finish(call, call->end, "");
    else
        finish(call, end_of(code), curl_easy_strerror(code));
}

static void take_ends(wfa_http *http)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(http->multi, &left))) {
        wfa_http_call *call = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
        finish_by_curl(call, code);
    }
}

static void end_idle(wfa_http *http)
{
    int64_t now = clock_ms();
    wfa_http_call *call;

    for (call = http->first; call; call = call->next) {
        if (!is_running(call) || call->idle == 0 || now - call->heard < call->idle)
            continue;
        (void)curl_multi_remove_handle(http->multi, call->curl);
        (void)snprintf(call->why, sizeof call->why, "nothing has come for %lld ms",
                       (long long)call->idle);
        finish(call, WFA_HTTP_TIMEOUT, "");
    }
}

static int64_t until_idle(const wfa_http *http, int64_t wait)
{
    int64_t now = clock_ms();
    const wfa_http_call *call;

    for (call = http->first; call; call = call->next) {
        int64_t left = call->heard + call->idle - now;
        if (is_running(call) && call->idle > 0 && (wait < 0 || left < wait))
            wait = left > 0 ? left : 0;
    }
    return wait >= 0 && wait < 60000 ? wait : 60000;
}

int wfa_http_poll(wfa_http *http, int64_t timeout_ms)
{
    int fresh, running;

    if (wfa_http_running(http) > 0) {
        int64_t wait = http->fresh > 0 ? 0 : until_idle(http, timeout_ms);
        (void)curl_multi_poll(http->multi, NULL, 0, (int)wait, NULL);
        (void)curl_multi_perform(http->multi, &running);
        take_ends(http);
        end_idle(http);
    }
    fresh = http->fresh;
    http->fresh = 0;
    return fresh;
}

size_t wfa_http_running(const wfa_http *http)
{
    const wfa_http_call *call;
    size_t count = 0;

    for (call = http->first; call; call = call->next)
        count += is_running(call);
    return count;
}

wfa_http_end wfa_http_end_of(const wfa_http_call *call)
{
    return is_running(call) ? WFA_HTTP_RUNNING : call->end;
}

const char *wfa_http_message(const wfa_http_call *call)
{
    return is_running(call) || call->end == WFA_HTTP_DONE ? "" : call->why;
}

int64_t wfa_http_heard(const wfa_http_call *call)
{
    return call->heard - call->begun;
}

int64_t wfa_http_duration(const wfa_http_call *call)
{
    return (is_running(call) ? clock_ms() : call->ended) - call->begun;
}
