/* In place of http.c where there is no libcurl: no hk_http is ever made. */
#include "http.h"

int hk_http_new(hk_http **http, hk_error *error)
{
    *http = NULL;
    return hk_fail(error, "HTTP agents are not in this build: libcurl (the package "
                          "libcurl4-openssl-dev) was not there when it was configured");
}

void hk_http_free(hk_http *http)
{
    (void)http;
}

int hk_http_start(hk_http *http, const hk_http_spec *spec, hk_http_call **call, hk_error *error)
{
    (void)spec;
    *call = NULL;
    return hk_http_new(&http, error);
}

void hk_http_forget(hk_http_call *call)
{
    (void)call;
}

int hk_http_poll(hk_http *http, int64_t timeout_ms)
{
    (void)http;
    (void)timeout_ms;
    return 0;
}

size_t hk_http_running(const hk_http *http)
{
    (void)http;
    return 0;
}

hk_http_end hk_http_end_of(const hk_http_call *call)
{
    (void)call;
    return HK_HTTP_FAILED;
}

const char *hk_http_message(const hk_http_call *call)
{
    (void)call;
    return "";
}

long hk_http_status(const hk_http_call *call)
{
    (void)call;
    return 0;
}

const char *hk_http_type(const hk_http_call *call)
{
    (void)call;
    return "";
}

int64_t hk_http_retry_after(const hk_http_call *call)
{
    (void)call;
    return -1;
}

int64_t hk_http_heard(const hk_http_call *call)
{
    (void)call;
    return 0;
}

int64_t hk_http_duration(const hk_http_call *call)
{
    (void)call;
    return 0;
}
