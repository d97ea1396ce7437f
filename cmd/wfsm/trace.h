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

/* Of an instance that was created at that time. */
void trace_id(char id[TRACE_ID_BYTES], const char *instance, int64_t created);
/* Of a part of a trace; "" is the root. */
void trace_span_id(char id[TRACE_SPAN_BYTES], const char *trace, const char *part);

/* The spans of an instance that have ended, as a message of OTLP/JSON; NULL after printing what
 * cannot be read. */
json_t *trace_message(wfsm_store *store, const char *path, const stored_head *head,
                      const char *service);

/* trace_otlp.c: parts of spans. */
json_t *trace_span(const char *trace, const char *part, const char *parent, const char *name);
void trace_set_times(json_t *span, int64_t start, int64_t end);
void trace_set_text(json_t *span, const char *key, const char *value); /* not if it is "" */
void trace_set_number(json_t *span, const char *key, json_int_t value);
void trace_set_failure(json_t *span, const char *message);
void trace_add_event(json_t *span, const char *name, int64_t now, json_int_t revision,
                     const char *outcome);
void trace_add_link(json_t *span, const char *trace, const char *part);
/* Takes the spans away. */
json_t *trace_whole(const char *service, json_t *spans);

/* cmd_trace.c: sends a message to a collector, or prints it if `url` is NULL. */
bool trace_put(const char *url, const json_t *message);

/* trace_follow.c: exports spans as they end, until SIGTERM or SIGINT. */
typedef struct trace_follow {
    const char *path, *url, *service;
} trace_follow;
/* False after printing that the store cannot be opened. */
bool trace_run(const trace_follow *asked);
/* The same in a process of its own, for workers and servers; < 0: there is none. */
pid_t trace_start(const char *path, const char *url);
/* It exports what is there, and ends. */
void trace_end(pid_t process);

/* trace_post.c: sends a message to the endpoint of a collector. False after printing why not. */
bool trace_post(const char *url, const json_t *message);
#endif
