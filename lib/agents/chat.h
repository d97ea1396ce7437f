/* Requests to a chat model over HTTP, and its answers, in the formats of two services:
 * Anthropic's Messages API, and the chat completions that OpenAI began and many servers
 * speak. Nothing here touches the network: a dialect makes the body of the request and reads
 * the events of the stream, or the one JSON object of a server that does not stream. */
#ifndef WFA_CHAT_H
#define WFA_CHAT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_error.h"
#include "text_buffer.h"

typedef struct wfa_chat_request {
    const char *model;
    const char *system;          /* or NULL */
    const char *prompt;
    int64_t max_tokens;          /* 0: the service's own limit */
    const char *max_tokens_name; /* OpenAI's dialect has had two names for it */
    int stream;
} wfa_chat_request;

typedef enum wfa_reply_state {
    WFA_REPLY_OPEN,   /* not at its end */
    WFA_REPLY_WHOLE,  /* the model has come to an end of its own */
    WFA_REPLY_CUT,    /* it stopped early: too long, or it asks for something else first */
    WFA_REPLY_FAILED  /* the service says that something went wrong */
} wfa_reply_state;

/* What has been said so far. All zero but the limit, the dialect and the tokens (-1) to
 * begin with: wfa_reply_begin(). */
typedef struct wfa_reply {
    const struct wfa_dialect *dialect;
    wfa_text text;
    size_t limit;                        /* bytes of the text */
    int64_t input_tokens, output_tokens; /* -1: not told */
    wfa_reply_state state;
    int over;                            /* nothing more that matters will come */
    const char *failure_class;           /* of FAILED; static */
    char why[256]; /* of CUT the reason, of FAILED the message, in the service's words */
} wfa_reply;

typedef struct wfa_dialect {
    const char *name;
    const char *base_url;     /* of the service itself */
    const char *path;         /* behind the base URL */
    const char *key_header;   /* "name: ", and maybe a word before the key */
    const char *const *headers; /* further ones; ends with NULL */
    int64_t max_tokens;       /* when the configuration does not say */
    /* New, NULL when out of memory (or a text is no UTF-8). */
    json_t *(*body)(const wfa_chat_request *request);
    /* One event of the stream, or the whole reply of one that does not stream. -1 and an
     * error: this is not what the service sends. */
    int (*event)(wfa_reply *reply, const json_t *data, wfa_error *error);
    int (*whole)(wfa_reply *reply, const json_t *data, wfa_error *error);
} wfa_dialect;

extern const wfa_dialect wfa_anthropic, wfa_openai;

/* By name; NULL if there is none. */
const wfa_dialect *wfa_dialect_find(const char *name);

void wfa_reply_begin(wfa_reply *reply, const wfa_dialect *dialect, size_t limit);
void wfa_reply_free(wfa_reply *reply);

/* The data of one event of the stream; and the body of a reply that is no stream. */
int wfa_reply_event(wfa_reply *reply, const char *data, size_t length, wfa_error *error);
int wfa_reply_whole(wfa_reply *reply, const char *data, size_t length, wfa_error *error);

/* The message of an error object {"error": {"type", "message", …}}, or {"error": TEXT}, as
 * both services send it with a status that is not 200; "" if it is none. Plain UTF-8. */
void wfa_reply_error_text(const char *data, size_t length, char *text, size_t room);

/* For the dialects: adds to the text; and how it ends. A later end replaces an earlier. */
int wfa_reply_add(wfa_reply *reply, const json_t *text, wfa_error *error);
void wfa_reply_end(wfa_reply *reply, wfa_reply_state state, const char *why);
/* FAILED, with what the service's error object says; its type, or else its code, gives the
 * failure class. */
void wfa_reply_fail(wfa_reply *reply, const json_t *error_object);
/* A count of tokens; `fallback` if there is none. */
int64_t wfa_reply_tokens(const json_t *usage, const char *key, int64_t fallback);

#endif
