#include "agents_toml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"

enum { MINUTE = 60 * 1000 };

/* ---- tables inside: lists of "KEY=VALUE" ---- */

static const char *joined(wfa_toml_agent *at, const char *key, const char *value)
{
    char *entry = malloc(strlen(key) + strlen(value) + 2);

    if (entry)
        (void)sprintf(entry, "%s=%s", key, value);
    return wfa_toml_own(at, entry);
}

static const char *read_variable(wfa_toml_agent *at, wfa_toml_agent *inner, const char *name)
{
    const char *value = "";

    if (!*name || strchr(name, '=')) {
        (void)wfa_toml_fail(inner, name, "expected the name of a variable");
        return NULL;
    }
    if (wfsm_table_string(inner->table, name, &value, at->error) != WFSM_OK)
        return NULL;
    value = wfa_toml_with_folder(at, value);
    return value ? joined(at, name, value) : NULL;
}

static const char *read_exit_class(wfa_toml_agent *at, wfa_toml_agent *inner, const char *code)
{
    const char *class = "";
    char *end;
    long number = strtol(code, &end, 10);

    if (code[0] < '0' || code[0] > '9' || *end || number < 1 || number > 255) {
        (void)wfa_toml_fail(inner, code, "expected an exit code from 1 to 255");
        return NULL;
    }
    if (wfsm_table_string(inner->table, code, &class, at->error) != WFSM_OK)
        return NULL;
    if (wfa_failure_class(class))
        return joined(at, code, class);
    (void)wfa_toml_fail(inner, code,
                        "expected network, timeout, auth, schema, exit, canceled or other, "
                        "found \"%.100s\"",
                        class);
    return NULL;
}

typedef const char *(*read_entry)(wfa_toml_agent *at, wfa_toml_agent *inner, const char *key);

/* *list is malloc'ed and ends with NULL; its texts are `at`'s. */
static int read_list(wfa_toml_agent *at, const char *key, read_entry read, const char ***list)
{
    wfa_toml_agent inner = *at;
    size_t index, count = 0;

    inner.table = NULL;
    if (wfsm_table_table(at->table, key, &inner.table, at->error) != WFSM_OK)
        return -1;
    while (wfsm_table_key(inner.table, count))
        count++;
    *list = calloc(count + 1, sizeof **list);
    if (!*list)
        return wfa_toml_no_memory(at);
    for (index = 0; index < count; index++) {
        (*list)[index] = read(at, &inner, wfsm_table_key(inner.table, index));
        if (!(*list)[index])
            return -1;
    }
    return 0;
}

/* ---- a program ---- */

/* A copy of the list with {dir} filled in; its texts are `at`'s. */
static int read_command(wfa_toml_agent *at, const char ***command)
{
    const char *const *words = NULL;
    size_t count = 0, index;

    if (wfsm_table_strings(at->table, "command", &words, &count, at->error) != WFSM_OK)
        return -1;
    *command = calloc(count + 1, sizeof **command);
    if (!*command)
        return wfa_toml_no_memory(at);
    for (index = 0; index < count; index++) {
        (*command)[index] = wfa_toml_with_folder(at, words[index]);
        if (!(*command)[index])
            return -1;
    }
    return 0;
}

static int read_stdin(wfa_toml_agent *at, int32_t *input)
{
    static const char *const inputs[] = {"json", "prompt", "none", NULL};
    int32_t word = -1;

    if (wfa_toml_choice(at, "stdin", inputs, &word) != 0)
        return -1;
    *input = word + 1; /* in the order of enum wfsm_process_input */
    WF_INVARIANT(*input <= WFSM_INPUT_NONE);
    return 0;
}

static int read_limits(wfa_toml_agent *at, wfsm_process_options *options)
{
    if (wfa_toml_ms(at, "timeout_ms", 0, &options->timeout_ms) != 0 ||
        wfa_toml_ms(at, "grace_ms", 0, &options->grace_ms) != 0 ||
        wfa_toml_bytes(at, "max_output_bytes", WFA_MOST_BYTES, &options->max_output_bytes) != 0)
        return -1;
    if (options->grace_ms == WFSM_NEVER) /* 0 in the file: SIGKILL at once */
        options->grace_ms = -1;
    return wfa_toml_bytes(at, "max_log_bytes", WFA_MOST_BYTES, &options->max_log_bytes);
}

/* Lists that the options of a program borrow. */
typedef struct lists {
    const char **command, **env, **exit_classes;
} lists;

/* The keys of coding agents are known only with such a kind. */
static int read_kind(wfa_toml_agent *at, wfsm_process_options *options)
{
    static const char *const accesses[] = {"read", "write", NULL};
    int32_t access = -1;

    if (wfsm_table_string(at->table, "kind", &options->kind, at->error) != WFSM_OK)
        return -1;
    if (!options->kind || strcmp(options->kind, "command") == 0)
        return wfsm_table_require(at->table, "command", at->error) == WFSM_OK ? 0 : -1;
    if (!wfa_coding_kind_named(options->kind))
        return 0; /* the error is that of wfsm_agents_add_process() */
    if (wfa_toml_choice(at, "access", accesses, &access) != 0 ||
        wfa_toml_text(at, "model", &options->model) != 0)
        return -1;
    options->access = access + 1; /* in the order of enum wfsm_agent_access */
    return 0;
}

static int read_process(wfa_toml_agent *at, wfa_agent_config *config, lists *own)
{
    wfsm_process_options options = {.size = sizeof options};
    wfa_option_error wrong;

    if (read_kind(at, &options) != 0 || read_command(at, &own->command) != 0 ||
        wfa_toml_text(at, "folder", &options.folder) != 0 ||
        wfa_toml_answer(at, &options.answer) != 0 ||
        wfa_toml_file(at, "prompt", &options.prompt) != 0 ||
        read_stdin(at, &options.input) != 0 || read_limits(at, &options) != 0 ||
        read_list(at, "env", read_variable, &own->env) != 0 ||
        wfsm_table_strings(at->table, "pass_env", &options.pass_env, NULL, at->error) !=
            WFSM_OK ||
        read_list(at, "exit_classes", read_exit_class, &own->exit_classes) != 0)
        return -1;
    options.command = own->command;
    options.env = own->env;
    options.exit_classes = own->exit_classes;
    if (wfa_process_config_make(config, &options, &wrong) == 0)
        return 0;
    return wfa_toml_option(at, &wrong);
}

static int read_program(wfa_toml_agent *at, wfa_agent_config *config)
{
    lists own = {NULL, NULL, NULL};
    int done = read_process(at, config, &own);

    free(own.command);
    free(own.env);
    free(own.exit_classes);
    return done;
}

/* The key rate_ms is known only with a rate. */
static int read_rate(wfa_toml_agent *at, wfa_agent_config *config)
{
    config->rate_ms = MINUTE;
    if (wfsm_table_int(at->table, "rate", 1, INT32_MAX, &config->rate, at->error) != WFSM_OK)
        return -1;
    if (config->rate == 0)
        return 0;
    return wfsm_table_int(at->table, "rate_ms", 1, WFA_MOST_MS, &config->rate_ms, at->error) ==
                   WFSM_OK
               ? 0
               : -1;
}

static int read_agent(wfa_toml_agent *at, wfa_agent_config *config)
{
    static const char *const types[] = {"process", "http", NULL};
    int32_t type = 0;

    if (wfa_toml_choice(at, "type", types, &type) != 0)
        return -1;
    if (read_rate(at, config) != 0)
        return -1;
    return type == 0 ? read_program(at, config) : wfa_toml_read_http(at, config);
}

int wfa_toml_read_agent(wfsm_settings *settings, wfsm_table *table, wfa_agent_config *config,
                        wfsm_error *error)
{
    wfa_toml_agent at = {.settings = settings, .table = table, .error = error};
    int done = read_agent(&at, config);

    while (at.owned_count > 0)
        free(at.owned[--at.owned_count]);
    free(at.owned);
    return done;
}
