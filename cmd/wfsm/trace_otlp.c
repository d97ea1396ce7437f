/* OTLP/JSON: times are nanoseconds as text, ids are hexadecimal. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/trace.h"

enum { KIND_INTERNAL = 1, KIND_CLIENT = 3, STATUS_ERROR = 2 };

/* The first bytes of the digest of two texts. */
static void short_digest(char *id, size_t bytes, const char *first, const char *second)
{
    char digest[65];
    cli_text both = {0};
    cli_text_add(&both, first, strlen(first));
    cli_text_add(&both, "\n", 1);
    cli_text_add(&both, second, strlen(second));
    wfsm_digest(both.data, both.length, digest);
    memcpy(id, digest, bytes - 1);
    id[bytes - 1] = '\0';
    cli_text_free(&both);
}

void trace_id(char id[TRACE_ID_BYTES], const char *instance, int64_t created)
{
    char time[32];
    snprintf(time, sizeof time, "trace %" PRId64, created);
    short_digest(id, TRACE_ID_BYTES, time, instance);
}

void trace_span_id(char id[TRACE_SPAN_BYTES], const char *trace, const char *part)
{
    short_digest(id, TRACE_SPAN_BYTES, trace, part);
}

static json_t *nanoseconds(int64_t ms)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRId64 "%s", ms, ms == 0 ? "" : "000000");
    return cli_need(json_string(text));
}

json_t *trace_span(const char *trace, const char *part, const char *parent, const char *name)
{
    char id[TRACE_SPAN_BYTES], of[TRACE_SPAN_BYTES];
    trace_span_id(id, trace, part);
    json_t *span = cli_need(json_pack("{s:s s:s s:s s:i s:[] s:[] s:[]}", "traceId", trace,
                                      "spanId", id, "name", name, "kind", KIND_INTERNAL,
                                      "attributes", "events", "links"));
    if (parent) {
        trace_span_id(of, trace, parent);
        json_object_set_new(span, "parentSpanId", cli_need(json_string(of)));
    }
    return span;
}

void trace_set_client(json_t *span)
{
    json_object_set_new(span, "kind", cli_need(json_integer(KIND_CLIENT)));
}

void trace_set_times(json_t *span, int64_t start, int64_t end)
{
    json_object_set_new(span, "startTimeUnixNano", nanoseconds(start));
    json_object_set_new(span, "endTimeUnixNano", nanoseconds(end));
}

static json_t *attribute(const char *key, json_t *value)
{
    return cli_need(json_pack("{s:s s:o}", "key", key, "value", value));
}

static json_t *text_value(const char *text)
{
    return cli_need(json_pack("{s:s}", "stringValue", text));
}

/* A number of 64 bits is text in OTLP/JSON. */
static json_t *number_value(json_int_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, number);
    return cli_need(json_pack("{s:s}", "intValue", text));
}

void trace_set_text(json_t *span, const char *key, const char *value)
{
    if (*value)
        json_array_append_new(json_object_get(span, "attributes"),
                              attribute(key, text_value(value)));
}

void trace_set_number(json_t *span, const char *key, json_int_t value)
{
    json_array_append_new(json_object_get(span, "attributes"),
                          attribute(key, number_value(value)));
}

void trace_set_failure(json_t *span, const char *message)
{
    json_object_set_new(
        span, "status",
        cli_need(json_pack("{s:i s:s}", "code", STATUS_ERROR, "message", message)));
}

static void count_dropped(json_t *span)
{
    json_int_t known = json_integer_value(json_object_get(span, "droppedEventsCount"));
    json_object_set_new(span, "droppedEventsCount", cli_need(json_integer(known + 1)));
}

void trace_add_event(json_t *span, const char *name, int64_t now, json_int_t revision,
                     const char *outcome)
{
    if (json_array_size(json_object_get(span, "events")) == TRACE_EVENTS) {
        count_dropped(span);
        return;
    }
    json_array_append_new(
        json_object_get(span, "events"),
        cli_need(json_pack("{s:o s:s s:[o o]}", "timeUnixNano", nanoseconds(now), "name", name,
                           "attributes", attribute("wfsm.revision", number_value(revision)),
                           attribute("wfsm.outcome", text_value(outcome)))));
}

void trace_add_link(json_t *span, const char *trace, const char *part)
{
    char id[TRACE_SPAN_BYTES];
    trace_span_id(id, trace, part);
    json_array_append_new(json_object_get(span, "links"),
                          cli_need(json_pack("{s:s s:s}", "traceId", trace, "spanId", id)));
}

json_t *trace_whole(const char *service, json_t *spans)
{
    json_t *name = attribute("service.name", text_value(service));
    return cli_need(json_pack("{s:[{s:{s:[o]} s:[{s:{s:s s:s} s:O s:s}] s:s}]}",
                              "resourceSpans", "resource", "attributes", name, "scopeSpans",
                              "scope", "name", "wfsm", "version", wfsm_version(), "spans",
                              spans, "schemaUrl", TRACE_SCHEMA, "schemaUrl", TRACE_SCHEMA));
}
