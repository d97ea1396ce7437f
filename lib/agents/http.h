/* HTTP calls: many at once, from one thread, on libcurl's multi interface.
 *
 * Nothing is followed (redirects), kept (cookies) or logged. A server's certificate is
 * checked, always. libcurl takes proxies from the environment (https_proxy, no_proxy), and
 * may use a thread of its own to resolve names.
 *
 * Times are milliseconds. */
#ifndef HK_HTTP_H
#define HK_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

typedef struct hk_http hk_http;
typedef struct hk_http_call hk_http_call;

typedef enum hk_http_end {
    HK_HTTP_RUNNING,
    HK_HTTP_DONE,      /* the whole reply is there, or the sink had enough of it */
    HK_HTTP_REFUSED,   /* by the sink */
    HK_HTTP_TIMEOUT,   /* one of the three time limits */
    HK_HTTP_NETWORK,   /* no such host, refused, reset, cut off, no HTTP */
    HK_HTTP_UNTRUSTED, /* nobody known vouches for the server's certificate */
    HK_HTTP_TOO_LONG,  /* more than max_bytes */
    HK_HTTP_FAILED     /* anything else: the message says what */
} hk_http_end;

/* Bytes of the body as they come. 0: go on; 1: enough, done; -1: refused. It may ask
 * hk_http_status() and hk_http_type(), and must not start or forget calls. */
typedef int (*hk_http_sink)(void *user, const char *bytes, size_t length);

/* A POST. Borrowed until the call is forgotten: sink and user. The rest is copied. */
typedef struct hk_http_spec {
    const char *url;
    const char *const *headers; /* "name: value", ends with NULL */
    const char *body;
    size_t length;
    const char *ca_file;        /* certificates to trust in place of the system's; or NULL */
    int64_t connect_ms;         /* until connected; 0: libcurl's five minutes */
    int64_t idle_ms;            /* from one byte to the next; 0: any */
    int64_t timeout_ms;         /* for all of it; 0: any */
    size_t max_bytes;           /* of the reply with its headers */
    hk_http_sink sink;
    void *user;
} hk_http_spec;

/* Fails when out of memory, and in a build without libcurl, and says so. */
int hk_http_new(hk_http **http, hk_error *error);
/* Gives up what is still running. NULL is allowed. */
void hk_http_free(hk_http *http);

/* -1: no memory, or libcurl does not take the request. What goes wrong with the network is
 * told by the call's end. */
int hk_http_start(hk_http *http, const hk_http_spec *spec, hk_http_call **call,
                  hk_error *error);
/* Gives it up if it is running; frees. NULL is allowed. */
void hk_http_forget(hk_http_call *call);

/* Waits until something has come, or timeout_ms went by; then does what there is to do. At
 * once when nothing runs. The number of calls that have ended since the last time. */
int hk_http_poll(hk_http *http, int64_t timeout_ms);
/* How many are running. */
size_t hk_http_running(const hk_http *http);

hk_http_end hk_http_end_of(const hk_http_call *call);
/* One line about an end that is not DONE, for people; "" otherwise. */
const char *hk_http_message(const hk_http_call *call);
/* Of the reply; 0 and "" before it has come. The type is without its parameters, in small
 * letters. */
long hk_http_status(const hk_http_call *call);
const char *hk_http_type(const hk_http_call *call);
/* What the server says about when to come back (Retry-After, in seconds or as a date), from
 * now; -1: nothing. */
int64_t hk_http_retry_after(const hk_http_call *call);
/* When the last byte came, since its start; 0 before the first. */
int64_t hk_http_heard(const hk_http_call *call);
/* Since its start, until its end. */
int64_t hk_http_duration(const hk_http_call *call);

#endif
