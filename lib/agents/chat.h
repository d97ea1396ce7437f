/* What is said to a chat model over HTTP, and what it says, in the words of two services:
 * Anthropic's Messages API, and the chat completions that OpenAI began and many servers
 * speak. Nothing here touches the network: a dialect makes the body of the request and reads
 * the events of the stream, or the one JSON object of a server that does not stream. */
#ifndef HK_CHAT_H
#define HK_CHAT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "text.h"

typedef struct hk_chat_question {
    const char *model;
    const char *system;          /* or NULL */
    const char *prompt;
    int64_t max_tokens;          /* 0: the service's own limit */
    const char *max_tokens_name; /* OpenAI's dialect has had two names for it */
    int stream;
} hk_chat_question;

typedef enum hk_reply_state {
    HK_REPLY_OPEN,   /* not at its end */
    HK_REPLY_WHOLE,  /* the model has come to an end of its own */
    HK_REPLY_CUT,    /* it was made to stop: too long, or wants something else first */
    HK_REPLY_FAILED  /* the service says that something went wrong */
} hk_reply_state;

/* What has been said so far. All zero but the limit, the dialect and the tokens (-1) to
 * begin with: hk_reply_begin(). */
typedef struct hk_reply {
    const struct hk_dialect *dialect;
    hk_text text;
    size_t limit;                        /* bytes of the text */
    int64_t input_tokens, output_tokens; /* -1: not told */
    hk_reply_state state;
    int over;                            /* nothing more that matters will come */
    const char *failure_class;           /* of FAILED; static */
    char why[256]; /* of CUT the reason, of FAILED the message, in the service's words */
} hk_reply;

typedef struct hk_dialect {
    const char *name;
    const char *base_url;     /* of the service itself */
    const char *path;         /* behind the base URL */
    const char *key_header;   /* "name: ", and maybe a word before the key */
    const char *const *headers; /* further ones; ends with NULL */
    int64_t max_tokens;       /* when the configuration does not say */
    /* New, NULL when out of memory (or a text is no UTF-8). */
    json_t *(*body)(const hk_chat_question *question);
    /* One event of the stream, or the whole reply of one that does not stream. -1 and an
     * error: this is not what the service sends. */
    int (*event)(hk_reply *reply, const json_t *data, hk_error *error);
    int (*whole)(hk_reply *reply, const json_t *data, hk_error *error);
} hk_dialect;

extern const hk_dialect hk_anthropic, hk_openai;

/* By name; NULL if there is none. */
const hk_dialect *hk_dialect_find(const char *name);

void hk_reply_begin(hk_reply *reply, const hk_dialect *dialect, size_t limit);
void hk_reply_free(hk_reply *reply);

/* The data of one event of the stream; and the body of a reply that is no stream. */
int hk_reply_event(hk_reply *reply, const char *data, size_t length, hk_error *error);
int hk_reply_whole(hk_reply *reply, const char *data, size_t length, hk_error *error);

/* The message of an error object {"error": {"type", "message", …}}, or {"error": TEXT}, as
 * both services send it with a status that is not 200; "" if it is none. Plain UTF-8. */
void hk_reply_error_text(const char *data, size_t length, char *text, size_t room);

/* For the dialects: adds to the text; and how it ends. A later end replaces an earlier. */
int hk_reply_add(hk_reply *reply, const json_t *text, hk_error *error);
void hk_reply_end(hk_reply *reply, hk_reply_state state, const char *why);
/* FAILED, with what the service's error object says; its type, or else its code, gives the
 * failure class. */
void hk_reply_fail(hk_reply *reply, const json_t *error_object);
/* A count of tokens; `fallback` if there is none. */
int64_t hk_reply_tokens(const json_t *usage, const char *key, int64_t fallback);

#endif
