/* What an HTTP agent is, as its table of the configuration says:
 *
 *     [agents.reviewer]
 *     type = "http"
 *     api = "anthropic"                     # or "openai"; required
 *     model = "some-model"                  # required
 *     base_url = "https://api.anthropic.com"
 *     key_env = "ANTHROPIC_API_KEY"         # or key_file = "{dir}/key"; or none
 *     prompt = "{dir}/reviewer.md"          # a file; default: the invocation as JSON
 *     system = "{dir}/system.md"            # a file; default: none
 *     answer = "last-json-block"            # or "json"; default "last-json-block"
 *     stream = true
 *     max_tokens = 8192                     # default 8192 (openai: what the service has)
 *     max_tokens_name = "max_tokens"        # openai only
 *     price_input = 3000000                 # micro-units for a million tokens; 0: not told
 *     price_output = 15000000
 *     ca_file = "{dir}/ca.pem"              # default: what the system trusts
 *     plain_http = false                    # a key over http:// beyond this machine
 *     connect_timeout_ms = 10000
 *     idle_timeout_ms = 120000              # 0 for none, the default without stream
 *     timeout_ms = 600000                   # for all of it; 0 for none
 *     max_output_bytes = 1048576            # of the answer's text
 *     max_reply_bytes = 134217728           # of what comes over the network for it
 *
 * doc/http-agents.md tells the whole. */
#ifndef WFA_HTTP_CONFIG_H
#define WFA_HTTP_CONFIG_H

#include "agent_config.h"
#include "chat.h"

struct wfa_http_config {
    const wfa_dialect *dialect;
    const char *url;    /* of the endpoint, whole */
    const char *model;
    const char *system; /* its text, or NULL */
    const char *key_env, *key_file, *ca_file; /* or NULL */
    const char *max_tokens_name;
    int64_t max_tokens; /* 0: not said */
    int64_t price_input, price_output; /* micro-units for a million tokens */
    int64_t connect_ms, idle_ms;
    size_t max_reply;
    int stream;
};

/* Micro-units for so many tokens, rounded up. */
int64_t wfa_http_price(int64_t tokens, int64_t price);

#endif
