/* What an HTTP agent is, checked and with defaults filled in. */
#ifndef WFA_HTTP_CONFIG_H
#define WFA_HTTP_CONFIG_H

#include "agent_config.h"
#include "chat.h"

struct wfa_http_config {
    const wfa_dialect *dialect;
    char *url;      /* of the endpoint, whole */
    char *base_url; /* as it was given, or the dialect's */
    char *model;
    char *system;   /* its text, or NULL */
    char *key_env, *key_file, *ca_file; /* or NULL */
    const char *max_tokens_name;        /* static */
    int64_t max_tokens;                 /* 0: not said */
    int64_t price_input, price_output;  /* micro-units for a million tokens */
    int64_t connect_ms, idle_ms;        /* an idle_ms of 0: no limit */
    size_t max_reply;
    int stream;
};

/* NULL is allowed. */
void wfa_http_config_free(wfa_http_config *http);

/* Micro-units for so many tokens, rounded up. */
int64_t wfa_http_price(int64_t tokens, int64_t price);

#endif
