/* HTTP calls: many at once, from one thread, on libcurl's multi interface.
 *
 * Nothing is followed (redirects), kept (cookies) or logged. A server's certificate is
 * checked, always. libcurl takes proxies from the environment (https_proxy, no_proxy), but what
 * goes to this machine passes none. libcurl may use a thread of its own to resolve names.
 *
 * Times are milliseconds. */
#ifndef WFA_HTTP_H
#define WFA_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "agent_error.h"

typedef struct wfa_http wfa_http;
typedef struct wfa_http_call wfa_http_call;

typedef enum wfa_http_end {
    WFA_HTTP_RUNNING,
    WFA_HTTP_DONE,      /* the whole reply is there, or the sink had enough of it */
    WFA_HTTP_REFUSED,   /* by the sink */
    WFA_HTTP_TIMEOUT,   /* one of the three time limits */
    WFA_HTTP_NETWORK,   /* no such host, refused, reset, cut off, no HTTP */
    WFA_HTTP_UNTRUSTED, /* the server's certificate is not trusted */
    WFA_HTTP_TOO_LONG,  /* more than max_bytes */
    WFA_HTTP_FAILED     /* anything else: the message says what */
} wfa_http_end;

/* Bytes of the body as they come. 0: continue; 1: enough, done; -1: refused. It may ask
 * wfa_http_status() and wfa_http_type(), and must not start or forget calls. */
typedef int (*wfa_http_sink)(void *user, const char *bytes, size_t length);

/* A POST. Borrowed until the call is forgotten: sink and user. The rest is copied. */
typedef struct wfa_http_spec {
    const char *url;
    const char *const *headers; /* "name: value", ends with NULL */
    const char *body;
    size_t length;
    const char *ca_file;        /* certificates to trust in place of the system's; or NULL */
    int64_t connect_ms;         /* until connected; 0: libcurl's five minutes */
    int64_t idle_ms;            /* from one byte to the next; 0: any */
    int64_t timeout_ms;         /* for all of it; 0: any */
    size_t max_bytes;           /* of the reply with its headers */
    wfa_http_sink sink;
    void *user;
} wfa_http_spec;

/* Fails when out of memory, and in a build without libcurl, and says so. */
int wfa_http_new(wfa_http **http, wfa_error *error);
/* Cancels the calls that still run. NULL is allowed. */
void wfa_http_free(wfa_http *http);

/* -1: no memory, or libcurl does not take the request. What goes wrong with the network is
 * told by the call's end. */
int wfa_http_start(wfa_http *http, const wfa_http_spec *spec, wfa_http_call **call,
                   wfa_error *error);
/* Gives it up if it is running; frees. NULL is allowed. */
void wfa_http_forget(wfa_http_call *call);

/* Waits until something has come, or timeout_ms went by; then does what there is to do. At
 * once when nothing runs. The number of calls that have ended since the last time. */
int wfa_http_poll(wfa_http *http, int64_t timeout_ms);
/* How many are running. */
size_t wfa_http_running(const wfa_http *http);

wfa_http_end wfa_http_end_of(const wfa_http_call *call);
/* One line about an end that is not DONE, for people; "" otherwise. */
const char *wfa_http_message(const wfa_http_call *call);
/* Of the reply; 0 and "" before it has come. The type is without its parameters, in small
 * letters. */
long wfa_http_status(const wfa_http_call *call);
const char *wfa_http_type(const wfa_http_call *call);
/* What the server says about when to come back (Retry-After, in seconds or as a date), from
 * now; -1: nothing. */
int64_t wfa_http_retry_after(const wfa_http_call *call);
/* When the last byte came, since its start; 0 before the first. */
int64_t wfa_http_heard(const wfa_http_call *call);
/* Since its start, until its end. */
int64_t wfa_http_duration(const wfa_http_call *call);

#endif
