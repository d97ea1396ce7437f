/* A model as an agent: the options of wfsm_agents_add_http(), checked and copied. */
#include "http_config.h"

#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"
#include "loopback.h"

enum { TIMEOUT_MS = 600000, CONNECT_MS = 10000, IDLE_MS = 120000 };
enum { OUTPUT = 1 << 20, REPLY = 1 << 27 };
enum { MOST_TOKENS = 100 * 1000 * 1000, MOST_PRICE = 1000 * 1000 * 1000 };
static const uint64_t most_reply = (uint64_t)1 << 40;

static int set_api(wfa_http_config *http, const char *name, wfa_option_error *wrong)
{
    if (!name)
        return wfa_option_fail(wrong, "api", "missing");
    http->dialect = wfa_dialect_find(name);
    if (http->dialect)
        return 0;
    return wfa_option_fail(wrong, "api",
                           "expected \"anthropic\" or \"openai\", found \"%.100s\"", name);
}

static int set_model(wfa_http_config *http, const char *model, wfa_option_error *wrong)
{
    if (!model)
        return wfa_option_fail(wrong, "model", "missing");
    if (!*model)
        return wfa_option_fail(wrong, "model",
                               "expected the name of a model, found an empty text");
    return wfa_option_text(model, &http->model, wrong);
}

/* ---- the address ---- */

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static int has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            return 1;
    return 0;
}

static int check_url(const char *url, wfa_option_error *wrong)
{
    if (!begins(url, "https://") && !begins(url, "http://"))
        return wfa_option_fail(wrong, "base_url",
                               "expected https://HOST or http://HOST and maybe a path");
    if (strpbrk(strstr(url, "://") + 3, "@?#\\ ") || has_control(url))
        return wfa_option_fail(wrong, "base_url",
                               "expected no user, key, query or blank in it");
    return 0;
}

/* Without the slashes at its end, the dialect's path behind it. */
static int join_url(wfa_http_config *http, wfa_option_error *wrong)
{
    size_t length = strlen(http->base_url);

    http->url = malloc(length + strlen(http->dialect->path) + 1);
    if (!http->url)
        return wfa_option_no_memory(wrong);
    while (length > 0 && http->base_url[length - 1] == '/')
        length--;
    memcpy(http->url, http->base_url, length);
    strcpy(http->url + length, http->dialect->path);
    return 0;
}

static int set_url(wfa_http_config *http, const char *given, wfa_option_error *wrong)
{
    const char *base = given ? given : http->dialect->base_url;

    if (check_url(base, wrong) != 0 || wfa_option_text(base, &http->base_url, wrong) != 0)
        return -1;
    return join_url(http, wrong);
}

/* ---- the key ---- */

static int check_plain(const wfa_http_config *http, wfa_option_error *wrong)
{
    if (begins(http->url, "https://") || wfa_url_is_loopback(http->url))
        return 0;
    return wfa_option_fail(wrong, "base_url",
                           "http:// would send the key in clear over the network; "
                           "expected https://, or an address of this machine");
}

static int set_key(wfa_http_config *http, const wfsm_http_options *options,
                   wfa_option_error *wrong)
{
    WF_INVARIANT(http->url); /* set_url() comes first: check_plain() looks at it */
    if (options->key_env && options->key_file)
        return wfa_option_fail(wrong, "key_file", "expected either key_env or key_file");
    if (options->key_env && (!*options->key_env || strchr(options->key_env, '=')))
        return wfa_option_fail(wrong, "key_env", "expected the name of a variable");
    if (wfa_option_text(options->key_env, &http->key_env, wrong) != 0 ||
        wfa_option_text(options->key_file, &http->key_file, wrong) != 0 ||
        wfa_option_text(options->ca_file, &http->ca_file, wrong) != 0)
        return -1;
    return http->key_env || http->key_file ? check_plain(http, wrong) : 0;
}

/* ---- limits ---- */

int64_t wfa_http_price(int64_t tokens, int64_t price)
{
    return tokens > 0 ? (tokens * price + 999999) / 1000000 : 0;
}

static int set_number(const char *key, int64_t given, int64_t most, int64_t *to,
                      wfa_option_error *wrong)
{
    if (given < 0 || given > most)
        return wfa_option_fail(wrong, key, "expected a number from 0 to %lld", (long long)most);
    *to = given;
    return 0;
}

static int set_tokens_name(wfa_http_config *http, const char *given, wfa_option_error *wrong)
{
    static const char *const names[] = {"max_tokens", "max_completion_tokens"};

    http->max_tokens_name = names[given && strcmp(given, names[1]) == 0];
    if (!given || (http->dialect == &wfa_openai && strcmp(given, http->max_tokens_name) == 0))
        return 0;
    return wfa_option_fail(wrong, "max_tokens_name",
                           "expected \"max_tokens\" or \"max_completion_tokens\", with the api "
                           "\"openai\", found \"%.100s\"",
                           given);
}

static int set_tokens(wfa_http_config *http, const wfsm_http_options *options,
                      wfa_option_error *wrong)
{
    if (set_number("max_tokens", options->max_tokens, MOST_TOKENS, &http->max_tokens, wrong) !=
            0 ||
        set_tokens_name(http, options->max_tokens_name, wrong) != 0 ||
        set_number("price_input", options->price_input, MOST_PRICE, &http->price_input,
                   wrong) != 0)
        return -1;
    if (http->max_tokens == 0)
        http->max_tokens = http->dialect->max_tokens;
    WF_INVARIANT(http->max_tokens >= 0 && http->max_tokens <= MOST_TOKENS);
    return set_number("price_output", options->price_output, MOST_PRICE, &http->price_output,
                      wrong);
}

static int set_limits(wfa_agent_config *config, const wfsm_http_options *options,
                      wfa_option_error *wrong)
{
    wfa_http_config *http = config->http;

    http->stream = !options->whole;
    if (wfa_option_ms("timeout_ms", options->timeout_ms, TIMEOUT_MS, &config->timeout_ms,
                      wrong) != 0 ||
        wfa_option_ms("connect_timeout_ms", options->connect_timeout_ms, CONNECT_MS,
                      &http->connect_ms, wrong) != 0 ||
        wfa_option_ms("idle_timeout_ms", options->idle_timeout_ms, http->stream ? IDLE_MS : 0,
                      &http->idle_ms, wrong) != 0 ||
        wfa_option_bytes("max_output_bytes", options->max_output_bytes, OUTPUT, WFA_MOST_BYTES,
                         &config->max_output, wrong) != 0)
        return -1;
    return wfa_option_bytes("max_reply_bytes", options->max_reply_bytes, REPLY, most_reply,
                            &http->max_reply, wrong);
}

int wfa_http_config_make(wfa_agent_config *config, const wfsm_http_options *options,
                         wfa_option_error *wrong)
{
    wfa_http_config *http = calloc(1, sizeof *http);

    config->type = WFA_AGENT_HTTP;
    config->http = http;
    config->input = WFA_STDIN_JSON;
    if (!http)
        return wfa_option_no_memory(wrong);
    if (set_api(http, options->api, wrong) != 0 ||
        set_model(http, options->model, wrong) != 0 ||
        set_url(http, options->base_url, wrong) != 0 || set_key(http, options, wrong) != 0 ||
        set_limits(config, options, wrong) != 0 || set_tokens(http, options, wrong) != 0 ||
        wfa_option_text(options->prompt, &config->prompt, wrong) != 0 ||
        wfa_option_text(options->system, &http->system, wrong) != 0)
        return -1;
    return wfa_option_answer(options->answer, WFA_ANSWER_LAST_BLOCK, &config->answer, wrong);
}

void wfa_http_config_free(wfa_http_config *http)
{
    if (!http)
        return;
    free(http->url);
    free(http->base_url);
    free(http->model);
    free(http->system);
    free(http->key_env);
    free(http->key_file);
    free(http->ca_file);
    free(http);
}
