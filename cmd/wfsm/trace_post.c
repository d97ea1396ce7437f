/* OTLP over HTTP, with libcurl. One connection serves all messages. */
#include <curl/curl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/shown.h"
#include "wfsm/trace.h"

/* MOST_REPLY: of a collector's answer, which says how many spans it has rejected. */
enum { SECONDS = 30, MOST_REPLY = 65536 };

struct trace_collector {
    const char *url;
    CURL *curl;
    struct curl_slist *headers;
    cli_text reply;
};

static size_t keep(char *data, size_t size, size_t count, void *user)
{
    trace_collector *self = user;
    if (self->reply.length + size * count <= MOST_REPLY)
        cli_text_add(&self->reply, data, size * count);
    return size * count;
}

trace_collector *trace_collector_new(const char *url)
{
    trace_collector *made = cli_need(calloc(1, sizeof *made));
    made->url = url;
    made->curl = cli_need(curl_easy_init());
    made->headers = cli_need(curl_slist_append(NULL, "Content-Type: application/json"));
    curl_easy_setopt(made->curl, CURLOPT_URL, url);
    curl_easy_setopt(made->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(made->curl, CURLOPT_HTTPHEADER, made->headers);
    curl_easy_setopt(made->curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(made->curl, CURLOPT_WRITEDATA, made);
    curl_easy_setopt(made->curl, CURLOPT_TIMEOUT, (long)SECONDS);
    curl_easy_setopt(made->curl, CURLOPT_NOSIGNAL, 1L);
    return made;
}

void trace_collector_free(trace_collector *collector)
{
    if (!collector)
        return;
    curl_easy_cleanup(collector->curl);
    curl_slist_free_all(collector->headers);
    cli_text_free(&collector->reply);
    free(collector);
}

/* A number of 64 bits is text in OTLP/JSON; some collectors write it as a number. */
static json_int_t number_of(const json_t *value)
{
    return json_is_string(value) ? strtoll(json_string_value(value), NULL, 10)
                                 : json_integer_value(value);
}

/* A success can be partial: {"partialSuccess": {"rejectedSpans", "errorMessage"}}. */
static trace_answer read_reply(const trace_collector *self)
{
    json_t *reply =
        json_loadb(self->reply.data ? self->reply.data : "", self->reply.length, 0, NULL);
    const json_t *part = json_object_get(reply, "partialSuccess");
    json_int_t rejected = number_of(json_object_get(part, "rejectedSpans"));
    const char *why = json_string_value(json_object_get(part, "errorMessage"));
    if (rejected > 0)
        cli_say("%s: the collector has rejected %" JSON_INTEGER_FORMAT " spans: %s", self->url,
                rejected, why ? why : "");
    json_decref(reply);
    return rejected > 0 ? TRACE_REFUSED : TRACE_TAKEN;
}

/* As OTLP says: a message is sent again after these answers, and after no others. */
static trace_answer judge(const trace_collector *self, long status)
{
    if (status / 100 == 2)
        return read_reply(self);
    cli_say("%s: the collector answered %ld", self->url, status);
    return status == 429 || (status >= 502 && status <= 504) ? TRACE_AWAY : TRACE_REFUSED;
}

static trace_answer send_body(trace_collector *self, const char *body)
{
    long status = 0;
    self->reply.length = 0;
    curl_easy_setopt(self->curl, CURLOPT_POSTFIELDS, body);
    CURLcode code = curl_easy_perform(self->curl);
    curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK)
        return judge(self, status);
    cli_say("%s: %s", self->url, curl_easy_strerror(code));
    return TRACE_AWAY;
}

trace_answer trace_post(trace_collector *collector, const json_t *message)
{
    char *body = cli_need(json_dumps(message, JSON_COMPACT));
    trace_answer answer = send_body(collector, body);
    free(body);
    return answer;
}
