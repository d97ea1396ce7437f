/* A program as an agent: the options of wfsm_agents_add_process(), checked and copied. */
#include "agent_config.h"

#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_MS = 600000, GRACE_MS = 5000, OUTPUT = 1 << 20, LOG = 1 << 26 };
enum { CODING_OUTPUT = 1 << 26 }; /* events hold what its commands print */

static size_t count(const char *const *list)
{
    size_t number = 0;

    while (list && list[number])
        number++;
    return number;
}

static int set_kind(wfa_agent_config *config, const wfsm_process_options *options,
                    wfa_option_error *wrong)
{
    const char *kind = options->kind ? options->kind : "command";

    config->coding = wfa_coding_kind_named(kind);
    if (!config->coding && strcmp(kind, "command") != 0)
        return wfa_option_fail(wrong, "kind",
                               "expected \"claude\" or \"codex\" or \"gemini\" or "
                               "\"command\", found \"%.100s\"",
                               kind);
    if (options->access < WFSM_ACCESS_DEFAULT || options->access > WFSM_ACCESS_WRITE)
        return wfa_option_fail(wrong, "access", "expected an enum wfsm_agent_access, found %d",
                               (int)options->access);
    if (!config->coding && options->access != WFSM_ACCESS_DEFAULT)
        return wfa_option_fail(wrong, "access", "only claude, codex and gemini have it");
    if (!config->coding && options->model)
        return wfa_option_fail(wrong, "model", "only claude, codex and gemini have it");
    config->may_write = options->access == WFSM_ACCESS_WRITE;
    return wfa_option_text(options->model, &config->model, wrong);
}

/* A coding agent is the program of its name unless the command says otherwise. */
static int set_command(wfa_agent_config *config, const wfsm_process_options *options,
                       wfa_option_error *wrong)
{
    const char *const usual[] = {config->coding ? config->coding->name : NULL, NULL};

    if (config->coding && count(options->command) == 0)
        return wfa_option_list(usual, &config->command, wrong);
    if (count(options->command) == 0 || !options->command[0][0])
        return wfa_option_fail(wrong, "command",
                               "expected a program and its arguments, found none");
    return wfa_option_list(options->command, &config->command, wrong);
}

static int names_prompt(const wfa_agent_config *config)
{
    size_t index;

    for (index = 0; config->command[index]; index++)
        if (strstr(config->command[index], "{prompt}"))
            return 1;
    return 0;
}

/* A prompt goes to stdin, unless the command has a place for it. */
static wfa_agent_stdin usual_stdin(const wfa_agent_config *config)
{
    if (!config->prompt)
        return WFA_STDIN_JSON;
    return names_prompt(config) ? WFA_STDIN_NONE : WFA_STDIN_PROMPT;
}

static int set_stdin(wfa_agent_config *config, int32_t given, wfa_option_error *wrong)
{
    static const wfa_agent_stdin modes[] = {[WFSM_INPUT_JSON] = WFA_STDIN_JSON,
                                            [WFSM_INPUT_PROMPT] = WFA_STDIN_PROMPT,
                                            [WFSM_INPUT_NONE] = WFA_STDIN_NONE};

    if (given < WFSM_INPUT_DEFAULT || given > WFSM_INPUT_NONE)
        return wfa_option_fail(wrong, "stdin", "expected an enum wfsm_process_input, found %d",
                               (int)given);
    config->input = given == WFSM_INPUT_DEFAULT ? usual_stdin(config) : modes[given];
    if (config->coding && (names_prompt(config) || config->input == WFA_STDIN_NONE))
        return wfa_option_fail(wrong, names_prompt(config) ? "command" : "stdin",
                               "a coding agent gets its prompt on stdin");
    if (config->prompt)
        return 0;
    if (config->input == WFA_STDIN_PROMPT)
        return wfa_option_fail(wrong, "stdin", "\"prompt\" needs the key prompt");
    if (names_prompt(config))
        return wfa_option_fail(wrong, "command", "{prompt} needs the key prompt");
    return 0;
}

static int set_env(wfa_agent_config *config, const char *const *given, wfa_option_error *wrong)
{
    size_t index;

    for (index = 0; index < count(given); index++)
        if (given[index][0] == '=' || !strchr(given[index], '='))
            return wfa_option_fail(wrong, "env", "expected NAME=value, found \"%.100s\"",
                                   given[index]);
    return wfa_option_list(given, &config->env, wrong);
}

/* The names that are given, and those that the kind's program is configured by. */
static int set_pass_env(wfa_agent_config *config, const char *const *given,
                        wfa_option_error *wrong)
{
    const char *const *own = config->coding ? config->coding->pass_env : NULL;
    const char **both = calloc(count(given) + count(own) + 1, sizeof *both);
    size_t index;
    int done;

    if (!both)
        return wfa_option_no_memory(wrong);
    for (index = 0; index < count(given); index++)
        both[index] = given[index];
    for (index = 0; index < count(own); index++)
        both[count(given) + index] = own[index];
    done = wfa_option_names("pass_env", both, &config->pass_env, wrong);
    free(both);
    return done;
}

/* "75=network" */
static int set_exit_class(wfa_exit_class *to, const char *given, wfa_option_error *wrong)
{
    char *end;
    long code = strtol(given, &end, 10);

    to->failure_class = *end == '=' ? wfa_failure_class(end + 1) : NULL;
    to->code = (int)code;
    if (given[0] >= '0' && given[0] <= '9' && code >= 1 && code <= 255 && to->failure_class)
        return 0;
    return wfa_option_fail(wrong, "exit_classes",
                           "expected CODE=CLASS, with an exit code from 1 to 255 and one of "
                           "network, timeout, auth, schema, exit, canceled and other, found "
                           "\"%.100s\"",
                           given);
}

static int set_exit_classes(wfa_agent_config *config, const char *const *given,
                            wfa_option_error *wrong)
{
    size_t index, number = count(given);

    config->exit_classes = calloc(number + 1, sizeof *config->exit_classes);
    if (!config->exit_classes)
        return wfa_option_no_memory(wrong);
    for (index = 0; index < number; index++)
        if (set_exit_class(&config->exit_classes[index], given[index], wrong) != 0)
            return -1;
    config->exit_class_count = number;
    return 0;
}

static int set_limits(wfa_agent_config *config, const wfsm_process_options *options,
                      wfa_option_error *wrong)
{
    int64_t grace = options->grace_ms == -1 ? WFSM_NEVER : options->grace_ms;

    if (wfa_option_ms("timeout_ms", options->timeout_ms, TIMEOUT_MS, &config->timeout_ms,
                      wrong) != 0 ||
        wfa_option_ms("grace_ms", grace, GRACE_MS, &config->grace_ms, wrong) != 0 ||
        wfa_option_bytes("max_output_bytes", options->max_output_bytes,
                         config->coding ? CODING_OUTPUT : OUTPUT, WFA_MOST_BYTES,
                         &config->max_output, wrong) != 0)
        return -1;
    return wfa_option_bytes("max_log_bytes", options->max_log_bytes, LOG, WFA_MOST_BYTES,
                            &config->max_log, wrong);
}

int wfa_process_config_make(wfa_agent_config *config, const wfsm_process_options *options,
                            wfa_option_error *wrong)
{
    config->type = WFA_AGENT_PROCESS;
    if (set_kind(config, options, wrong) != 0 || set_command(config, options, wrong) != 0 ||
        wfa_option_text(options->folder, &config->folder, wrong) != 0 ||
        wfa_option_text(options->prompt, &config->prompt, wrong) != 0 ||
        wfa_option_answer(options->answer,
                          config->coding ? WFA_ANSWER_LAST_BLOCK : WFA_ANSWER_JSON,
                          &config->answer, wrong) != 0 ||
        set_stdin(config, options->input, wrong) != 0 ||
        set_env(config, options->env, wrong) != 0 ||
        set_pass_env(config, options->pass_env, wrong) != 0 ||
        set_exit_classes(config, options->exit_classes, wrong) != 0)
        return -1;
    return set_limits(config, options, wrong);
}
