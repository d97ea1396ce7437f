/* OTLP over HTTP, with libcurl. */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/shown.h"
#include "wfsm/trace.h"

enum { SECONDS = 30 };

static size_t drop(char *data, size_t size, size_t count, void *user)
{
    (void)data, (void)user;
    return size * count;
}

static bool send_to(CURL *curl, const char *url, const char *body)
{
    long status = 0;
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    cli_need(headers);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)SECONDS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    if (code != CURLE_OK)
        cli_say("%s: %s", url, curl_easy_strerror(code));
    else if (status / 100 != 2)
        cli_say("%s: the collector answered %ld", url, status);
    return code == CURLE_OK && status / 100 == 2;
}

bool trace_post(const char *url, const json_t *message)
{
    CURL *curl = cli_need(curl_easy_init());
    char *body = cli_need(json_dumps(message, JSON_COMPACT));
    bool fine = send_to(curl, url, body);
    free(body);
    curl_easy_cleanup(curl);
    return fine;
}
