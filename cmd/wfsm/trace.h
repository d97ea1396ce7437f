/*
 * trace.h: journals as traces of OpenTelemetry. An instance is a trace: its root span is the
 * instance, below it are its states and the attempts of its agents. A span is exported when it has
 * ended, because OTLP has no open spans. Ids are digests of stored data, so each export gives the
 * same ids.
 */
#ifndef WFSM_TRACE_H
#define WFSM_TRACE_H

#include <jansson.h>
#include <sys/types.h>
#include "wfsm/stored.h"

/* The release of the semantic conventions whose names the attributes have. */
#define TRACE_SCHEMA "https://opentelemetry.io/schemas/1.37.0"

enum { TRACE_ID_BYTES = 33, TRACE_SPAN_BYTES = 17 };
/* Spans of a message, and events of a span. Collectors refuse what is too large. */
enum { TRACE_SPANS = 1000, TRACE_EVENTS = 10000 };

/* Of an instance that was created at that time. */
void trace_id(char id[TRACE_ID_BYTES], const char *instance, int64_t created);
/* Of a part of a trace; "" is the root. */
void trace_span_id(char id[TRACE_SPAN_BYTES], const char *trace, const char *part);

/* What became of a message. A collector that is away takes it later; one that was refused is not sent again. */
typedef enum trace_answer { TRACE_TAKEN, TRACE_REFUSED, TRACE_AWAY } trace_answer;

/* trace_post.c: the endpoint of a collector. */
typedef struct trace_collector trace_collector;
trace_collector *trace_collector_new(const char *url);
void trace_collector_free(trace_collector *collector);
/* Sends a message; prints what is wrong. */
trace_answer trace_post(trace_collector *collector, const json_t *message);

/* cmd_trace.c: sends a message to a collector, or prints it if there is none. */
trace_answer trace_put(trace_collector *collector, const json_t *message);

/* trace_models.c: {AGENT: {"model", "provider"?}} of an agents' file, as far as it names models. NULL after
 * printing what is wrong. */
json_t *trace_models(const char *path);

/* An export: the store, the target, and options. */
typedef struct trace_export {
    wfsm_store *store;
    const char *path, *service;
    const json_t *models; /* of trace_models(); NULL: unknown */
    /* Takes spans that have ended, in messages of at most TRACE_SPANS. Nothing more comes after TRACE_AWAY. */
    trace_answer (*sink)(void *user, json_t *spans);
    void *user;
} trace_export;

/* Exports the spans of an instance that have ended; the last call of the sink may have none. The worst answer
 * of the sink. REFUSED, after printing it: a record is damaged. AWAY, after printing it: the store cannot be read. */
trace_answer trace_instance(const trace_export *asked, const stored_head *head);

/* trace_otlp.c: parts of spans. */
json_t *trace_span(const char *trace, const char *part, const char *parent, const char *name);
void trace_set_client(json_t *span); /* its kind: it asks somebody else */
void trace_set_times(json_t *span, int64_t start, int64_t end);
void trace_set_text(json_t *span, const char *key, const char *value); /* not if it is "" */
void trace_set_number(json_t *span, const char *key, json_int_t value);
void trace_set_failure(json_t *span, const char *message);
/* Behind the first TRACE_EVENTS it is only counted. */
void trace_add_event(json_t *span, const char *name, int64_t now, json_int_t revision,
                     const char *outcome);
void trace_add_link(json_t *span, const char *trace, const char *part);
/* A message. */
json_t *trace_whole(const char *service, json_t *spans);

/* trace_follow.c: exports spans as they end, until SIGTERM or SIGINT. */
typedef struct trace_follow {
    const char *path, *url, *service, *agents; /* url NULL: prints; agents NULL: no models */
} trace_follow;
/* False after printing that the store cannot be opened. */
bool trace_run(const trace_follow *asked);

/* trace_exporter.c: the same in a process of its own, for workers and servers. */
typedef struct trace_exporter {
    const char *path, *url, *agents; /* url NULL: there is none; agents NULL: no models */
    pid_t process; /* 0: it does not run */
    int64_t began, pause,
        next; /* ms: when it began, how long it pauses, and when it is started again */
} trace_exporter;
void trace_exporter_start(trace_exporter *self);
/* Now and then: starts it again if it has ended, with a pause, and says so. */
void trace_exporter_look(trace_exporter *self);
/* It exports what is there, and ends. */
void trace_exporter_end(trace_exporter *self);
#endif
