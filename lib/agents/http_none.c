/* In place of http.c where there is no libcurl: no wfa_http is ever made. */
#include "http.h"

int wfa_http_new(wfa_http **http, wfa_error *error)
{
    *http = NULL;
    return wfa_fail(error,
                    "HTTP agents are not in this build of libwfsm-agents: install Debian's "
                    "package libwfsm-agents1, or build wfsm with libcurl");
}

void wfa_http_free(wfa_http *http)
{
    (void)http;
}

int wfa_http_start(wfa_http *http, const wfa_http_spec *spec, wfa_http_call **call,
                   wfa_error *error)
{
    (void)spec;
    *call = NULL;
    return wfa_http_new(&http, error);
}

void wfa_http_forget(wfa_http_call *call)
{
    (void)call;
}

int wfa_http_poll(wfa_http *http, int64_t timeout_ms)
{
    (void)http;
    (void)timeout_ms;
    return 0;
}

size_t wfa_http_running(const wfa_http *http)
{
    (void)http;
    return 0;
}

wfa_http_end wfa_http_end_of(const wfa_http_call *call)
{
    (void)call;
    return WFA_HTTP_FAILED;
}

const char *wfa_http_message(const wfa_http_call *call)
{
    (void)call;
    return "";
}

long wfa_http_status(const wfa_http_call *call)
{
    (void)call;
    return 0;
}

const char *wfa_http_type(const wfa_http_call *call)
{
    (void)call;
    return "";
}

int64_t wfa_http_retry_after(const wfa_http_call *call)
{
    (void)call;
    return -1;
}

int64_t wfa_http_heard(const wfa_http_call *call)
{
    (void)call;
    return 0;
}

int64_t wfa_http_duration(const wfa_http_call *call)
{
    (void)call;
    return 0;
}
