/* What an agent is, as its table of the configuration says. One of type "http" is told in
 * http_config.h; any other is a program:
 *
 *     [agents.coder]
 *     type = "process"            # the default
 *     command = ["{dir}/coder.sh", "--fast"]   # required; no shell
 *     prompt = "{dir}/coder.md"   # a file: what a program is told that takes prompts
 *     stdin = "json"              # or "prompt", or "none"; the default is "prompt" with a
 *                                 # prompt, "none" when the command names it, else "json"
 *     answer = "json"             # or "last-json-block"; default "json"
 *     folder = "{dir}/work"       # where it works; default: what the host says
 *     timeout_ms = 600000         # default 600,000; 0 for none
 *     grace_ms = 5000             # from SIGTERM to SIGKILL; default 5,000
 *     max_output_bytes = 1048576  # on stdout; default 1 MiB
 *     max_log_bytes = 67108864    # on stderr; default 64 MiB
 *     env = { LANG = "C" }        # added to the host's environment
 *     exit_classes = { 75 = "network" }   # exit code = failure class; others are "exit"
 *
 * {dir} is the folder of the TOML file, in command, prompt, folder and values of env.
 * In an argument of the command {prompt} is the prompt, for programs that do not read it
 * from stdin; in the folder {instance} is the instance's id, made fit for a file name, and
 * {worktree} the text worktreePath of the input, or what the host says.
 * doc/process-agents.md tells the whole. */
#ifndef WFA_AGENT_CONFIG_H
#define WFA_AGENT_CONFIG_H

#include "config.h"
#include "json_answer.h"

typedef enum wfa_agent_stdin {
    WFA_STDIN_JSON,
    WFA_STDIN_PROMPT,
    WFA_STDIN_NONE
} wfa_agent_stdin;

typedef enum wfa_agent_type { WFA_AGENT_PROCESS, WFA_AGENT_HTTP } wfa_agent_type;

typedef struct wfa_http_config wfa_http_config;

typedef struct wfa_exit_class {
    int code;
    const char *failure_class;
} wfa_exit_class;

/* Texts are its own or the configuration's, which must outlive it. */
typedef struct wfa_agent_config {
    const char *name;
    wfa_agent_type type;
    wfa_http_config *http; /* NULL for a program */
    const char **command; /* ends with NULL; {dir} is replaced, {prompt} is not yet */
    const char *folder;   /* or NULL */
    const char **env;     /* "NAME=value", ends with NULL */
    const char *prompt;   /* its text, not yet filled; or NULL */
    wfa_agent_stdin input;
    wfa_answer_mode answer;
    int64_t timeout_ms, grace_ms;
    size_t max_output, max_log;
    wfa_exit_class *exit_classes;
    size_t exit_class_count;

    char **owned; /* texts to free */
    size_t owned_count;
} wfa_agent_config;

/* Reads one agent from its table; `name` is borrowed like the rest. After a failure, as
 * after success, wfa_agent_config_clear() is allowed. */
int wfa_agent_config_read(wfa_agent_config *agent, wfa_config *config, wfa_table *table,
                          const char *name, wfa_error *error);
void wfa_agent_config_clear(wfa_agent_config *agent);

/* Reads all tables of [agents], in alphabetical order. *agents is malloc'ed and freed with
 * wfa_agents_free(). */
int wfa_agents_read(wfa_config *config, wfa_agent_config **agents, size_t *count,
                    wfa_error *error);
void wfa_agents_free(wfa_agent_config *agents, size_t count);

/* The failure class of an exit code: from exit_classes, else "exit". */
const char *wfa_agent_exit_class(const wfa_agent_config *agent, int code);

#endif
