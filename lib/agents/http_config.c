#include "http_config.h"

#include <stdlib.h>
#include <string.h>

#include "agent_reader.h"

enum { MOST_MS = 1000 * 60 * 60 * 24, MOST_TOKENS = 100 * 1000 * 1000 };
enum { MOST_PRICE = 1000 * 1000 * 1000 };
static const int64_t most_reply = (int64_t)1 << 40;

static int read_api(const wfa_agent_reader *at, wfa_http_config *http)
{
    const char *name;

    if (wfa_table_require(at->table, "api", at->error) != 0 ||
        wfa_table_string(at->table, "api", "", &name, at->error) != 0)
        return -1;
    http->dialect = wfa_dialect_find(name);
    if (http->dialect)
        return 0;
    return wfa_table_fail(at->table, "api", at->error,
                          "expected \"anthropic\" or \"openai\", found \"%s\"", name);
}

static int read_model(const wfa_agent_reader *at, wfa_http_config *http)
{
    if (wfa_table_require(at->table, "model", at->error) != 0 ||
        wfa_table_string(at->table, "model", "", &http->model, at->error) != 0)
        return -1;
    if (*http->model)
        return 0;
    return wfa_table_fail(at->table, "model", at->error,
                          "expected the name of a model, found an empty text");
}

/* ---- the address ---- */

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* http://127.0.0.1, [::1] or localhost, with a port or without. */
static int is_this_machine(const char *url)
{
    static const char *const hosts[] = {"127.0.0.1", "[::1]", "localhost", NULL};
    const char *host = strstr(url, "://") + 3;
    size_t index;

    for (index = 0; hosts[index]; index++) {
        char behind = host[begins(host, hosts[index]) ? strlen(hosts[index]) : 0];
        if (begins(host, hosts[index]) && (!behind || behind == ':' || behind == '/'))
            return 1;
    }
    return 0;
}

static int check_url(const wfa_agent_reader *at, const char *url)
{
    if (!begins(url, "https://") && !begins(url, "http://"))
        return wfa_table_fail(at->table, "base_url", at->error,
                              "expected https://HOST or http://HOST and maybe a path");
    if (strpbrk(strstr(url, "://") + 3, "@?# \t\r\n"))
        return wfa_table_fail(at->table, "base_url", at->error,
                              "expected no user, key, query or blank in it");
    return 0;
}

/* Without the slashes at its end, the dialect's path behind it. */
static int join_url(const wfa_agent_reader *at, wfa_http_config *http, const char *base)
{
    size_t length = strlen(base);
    char *url = malloc(length + strlen(http->dialect->path) + 1);

    while (length > 0 && base[length - 1] == '/')
        length--;
    if (url) {
        memcpy(url, base, length);
        strcpy(url + length, http->dialect->path);
    }
    http->url = wfa_agent_own(at, url);
    return http->url ? 0 : -1;
}

static int read_url(const wfa_agent_reader *at, wfa_http_config *http)
{
    const char *base;

    if (wfa_table_string(at->table, "base_url", http->dialect->base_url, &base, at->error) !=
            0 ||
        check_url(at, base) != 0)
        return -1;
    return join_url(at, http, base);
}

/* ---- the key ---- */

static int read_file_name(const wfa_agent_reader *at, const char *key, const char **value)
{
    const char *text;

    if (wfa_table_string(at->table, key, NULL, &text, at->error) != 0)
        return -1;
    *value = text ? wfa_agent_text(at, text) : NULL;
    return text && !*value ? -1 : 0;
}

static int check_plain(const wfa_agent_reader *at, const wfa_http_config *http, int plain)
{
    if (plain || begins(http->url, "https://") || is_this_machine(http->url))
        return 0;
    return wfa_table_fail(at->table, "base_url", at->error,
                          "http:// would send the key in clear over the network; "
                          "plain_http = true allows it");
}

static int read_key(const wfa_agent_reader *at, wfa_http_config *http)
{
    int plain;

    if (wfa_table_string(at->table, "key_env", NULL, &http->key_env, at->error) != 0 ||
        read_file_name(at, "key_file", &http->key_file) != 0 ||
        read_file_name(at, "ca_file", &http->ca_file) != 0 ||
        wfa_table_bool(at->table, "plain_http", 0, &plain, at->error) != 0)
        return -1;
    if (http->key_env && http->key_file)
        return wfa_table_fail(at->table, "key_file", at->error,
                              "expected either key_env or key_file");
    if (http->key_env && (!*http->key_env || strchr(http->key_env, '=')))
        return wfa_table_fail(at->table, "key_env", at->error,
                              "expected the name of a variable");
    return http->key_env || http->key_file ? check_plain(at, http, plain) : 0;
}

/* ---- limits ---- */

int64_t wfa_http_price(int64_t tokens, int64_t price)
{
    return tokens > 0 ? (tokens * price + 999999) / 1000000 : 0;
}

static int read_tokens(const wfa_agent_reader *at, wfa_http_config *http)
{
    static const char *const names[] = {"max_tokens", "max_completion_tokens", NULL};
    int name = 0;

    if (wfa_table_int(at->table, "max_tokens", http->dialect->max_tokens, 1, MOST_TOKENS,
                      &http->max_tokens, at->error) != 0)
        return -1;
    if (http->dialect == &wfa_openai &&
        wfa_agent_read_choice(at, "max_tokens_name", names, 0, &name) != 0)
        return -1;
    http->max_tokens_name = names[name];
    if (wfa_table_int(at->table, "price_input", 0, 0, MOST_PRICE, &http->price_input,
                      at->error) != 0)
        return -1;
    return wfa_table_int(at->table, "price_output", 0, 0, MOST_PRICE, &http->price_output,
                         at->error);
}

static int read_limits(const wfa_agent_reader *at, wfa_http_config *http)
{
    int64_t output, reply;

    if (wfa_table_bool(at->table, "stream", 1, &http->stream, at->error) != 0 ||
        wfa_table_int(at->table, "timeout_ms", 600000, 0, MOST_MS, &at->agent->timeout_ms,
                      at->error) != 0 ||
        wfa_table_int(at->table, "connect_timeout_ms", 10000, 1, MOST_MS, &http->connect_ms,
                      at->error) != 0 ||
        wfa_table_int(at->table, "idle_timeout_ms", http->stream ? 120000 : 0, 0, MOST_MS,
                      &http->idle_ms, at->error) != 0 ||
        wfa_table_int(at->table, "max_output_bytes", 1 << 20, 1, 1 << 30, &output, at->error) !=
            0 ||
        wfa_table_int(at->table, "max_reply_bytes", 1 << 27, 1, most_reply, &reply,
                      at->error) != 0)
        return -1;
    at->agent->max_output = (size_t)output;
    http->max_reply = (size_t)reply;
    return read_tokens(at, http);
}

static int read_texts(const wfa_agent_reader *at, wfa_http_config *http)
{
    if (wfa_agent_read_file(at, "prompt", &at->agent->prompt) != 0 ||
        wfa_agent_read_file(at, "system", &http->system) != 0)
        return -1;
    return wfa_agent_read_answer_mode(at, WFA_ANSWER_LAST_BLOCK);
}

int wfa_agent_read_http(const wfa_agent_reader *at)
{
    wfa_http_config *http = calloc(1, sizeof *http);

    at->agent->http = http;
    if (!http)
        return wfa_agent_no_memory(at);
    at->agent->input = WFA_STDIN_JSON;
    if (read_api(at, http) != 0 || read_model(at, http) != 0 || read_url(at, http) != 0 ||
        read_key(at, http) != 0 || read_limits(at, http) != 0)
        return -1;
    return read_texts(at, http);
}
