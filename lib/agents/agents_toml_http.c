/* An agent of the type "http" in a TOML file. */
#include "agents_toml.h"

#include <string.h>

static int read_flag(wfa_toml_agent *at, const char *key, int32_t *value)
{
    return wfsm_table_bool(at->table, key, value, at->error) == WFSM_OK ? 0 : -1;
}

static int read_number(wfa_toml_agent *at, const char *key, int64_t least, int64_t most,
                       int64_t *value)
{
    return wfsm_table_int(at->table, key, least, most, value, at->error) == WFSM_OK ? 0 : -1;
}

static int read_string(wfa_toml_agent *at, const char *key, const char **value)
{
    return wfsm_table_string(at->table, key, value, at->error) == WFSM_OK ? 0 : -1;
}

static int read_api(wfa_toml_agent *at, const char **api)
{
    static const char *const apis[] = {"anthropic", "openai", NULL};
    int32_t index = 0;

    if (wfsm_table_require(at->table, "api", at->error) != WFSM_OK ||
        wfa_toml_choice(at, "api", apis, &index) != 0)
        return -1;
    *api = apis[index];
    return 0;
}

static int read_service(wfa_toml_agent *at, wfsm_http_options *options)
{
    if (read_api(at, &options->api) != 0 ||
        wfsm_table_require(at->table, "model", at->error) != WFSM_OK ||
        read_string(at, "model", &options->model) != 0 ||
        read_string(at, "base_url", &options->base_url) != 0 ||
        read_string(at, "key_env", &options->key_env) != 0 ||
        wfa_toml_text(at, "key_file", &options->key_file) != 0 ||
        wfa_toml_text(at, "ca_file", &options->ca_file) != 0)
        return -1;
    return 0;
}

static int read_limits(wfa_toml_agent *at, wfsm_http_options *options)
{
    int32_t stream = 1;

    if (read_flag(at, "stream", &stream) != 0 ||
        wfa_toml_ms(at, "timeout_ms", 0, &options->timeout_ms) != 0 ||
        wfa_toml_ms(at, "connect_timeout_ms", 1, &options->connect_timeout_ms) != 0 ||
        wfa_toml_ms(at, "idle_timeout_ms", 0, &options->idle_timeout_ms) != 0 ||
        wfa_toml_bytes(at, "max_output_bytes", WFA_MOST_BYTES, &options->max_output_bytes) != 0)
        return -1;
    options->whole = !stream;
    return wfa_toml_bytes(at, "max_reply_bytes", (uint64_t)1 << 40, &options->max_reply_bytes);
}

/* The key max_tokens_name is known only with the one API that has two names for it. */
static int read_tokens(wfa_toml_agent *at, wfsm_http_options *options)
{
    static const char *const names[] = {"max_tokens", "max_completion_tokens", NULL};
    int32_t name = -1;

    if (read_number(at, "max_tokens", 1, 100 * 1000 * 1000, &options->max_tokens) != 0)
        return -1;
    if (strcmp(options->api, "openai") == 0 &&
        wfa_toml_choice(at, "max_tokens_name", names, &name) != 0)
        return -1;
    if (name >= 0)
        options->max_tokens_name = names[name];
    if (read_number(at, "price_input", 0, 1000 * 1000 * 1000, &options->price_input) != 0)
        return -1;
    return read_number(at, "price_output", 0, 1000 * 1000 * 1000, &options->price_output);
}

int wfa_toml_read_http(wfa_toml_agent *at, wfa_agent_config *config)
{
    wfsm_http_options options = {.size = sizeof options};
    wfa_option_error wrong;

    if (read_service(at, &options) != 0 || read_limits(at, &options) != 0 ||
        read_tokens(at, &options) != 0 || wfa_toml_file(at, "prompt", &options.prompt) != 0 ||
        wfa_toml_file(at, "system", &options.system) != 0 ||
        wfa_toml_answer(at, &options.answer) != 0)
        return -1;
    if (wfa_http_config_make(config, &options, &wrong) == 0)
        return 0;
    return wfa_toml_option(at, &wrong);
}
