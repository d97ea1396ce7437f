/*
 * wfsm/agents.h: agents that are programs, chat models behind HTTP, or lists of commands. A
 * companion library (-lwfsm-agents) for programs that run an engine.
 *
 * A wfsm_agents is a collection of named agents. You describe each agent by a struct, or read
 * all of them from a TOML file; you register the collection on an engine; then you call
 * wfsm_engine_run() and wfsm_agents_wait() in turn:
 *
 *     wfsm_agents_new(&agents, error);
 *     wfsm_agents_load_toml(agents, "agents.toml", error);
 *     wfsm_agents_register(agents, engine, &options, error);
 *     while (wfsm_engine_run(engine, wfsm_agents_now(), error) == WFSM_OK && …)
 *         wfsm_agents_wait(agents, wfsm_engine_deadline(engine) - wfsm_agents_now());
 *     wfsm_engine_free(engine);
 *     wfsm_agents_free(agents);
 *
 * doc/agents.md is the guide; examples/embed/agents.c is the whole program.
 *
 * - Times are milliseconds. Times of day count from 1970, as wfsm_agents_now() does, and the
 *   engine has to be given the same clock.
 * - A collection belongs to one thread at a time. The library starts no thread and installs no
 *   signal handler. libcurl may use a thread of its own to resolve names.
 * - A program that uses process agents must not ignore SIGCHLD, and must not reap processes
 *   that it did not start.
 * - Memory comes from malloc(): the libraries below this one (jansson, libcurl, toml++) take
 *   theirs from it, too. Calls that run out of it return WFSM_NO_MEMORY and change nothing.
 */
#ifndef WFSM_AGENTS_H
#define WFSM_AGENTS_H

#include <wfsm/engine.h>
#include <wfsm/progress.h>
#include <wfsm/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A collection of named agents, with everything that they run. */
typedef struct wfsm_agents wfsm_agents;

/*
 * *agents is new and empty; you free it with wfsm_agents_free(). INVALID, NO_MEMORY.
 */
WFSM_API int32_t wfsm_agents_new(wfsm_agents **agents, wfsm_error *error);
/*
 * Kills the programs that are still at work, gives up HTTP calls, and frees the collection.
 * Free the engine first: it tells its agents to stop. NULL is allowed.
 */
WFSM_API void wfsm_agents_free(wfsm_agents *agents);

/* What a program gets on its standard input. */
enum wfsm_process_input {
    WFSM_INPUT_DEFAULT = 0, /* PROMPT if there is a prompt and no argument of the command
                               contains "{prompt}", NONE if one does, JSON without a prompt */
    WFSM_INPUT_JSON = 1,    /* the invocation, one JSON object on one line */
    WFSM_INPUT_PROMPT = 2,  /* the prompt */
    WFSM_INPUT_NONE = 3     /* nothing */
};

/* Where in the output of a program or a model the result stands. */
enum wfsm_agent_answer {
    WFSM_ANSWER_DEFAULT = 0,   /* JSON for programs, LAST_BLOCK for models */
    WFSM_ANSWER_JSON = 1,      /* the output is one JSON object */
    WFSM_ANSWER_LAST_BLOCK = 2 /* the last JSON object of the output, in a block or without */
};

/* What a coding agent may do in its folder. */
enum wfsm_agent_access {
    WFSM_ACCESS_DEFAULT = 0, /* READ */
    WFSM_ACCESS_READ = 1,    /* it reads */
    WFSM_ACCESS_WRITE = 2    /* it edits files */
};

/*
 * An agent that is a program: it is started once for each attempt, without a shell, in a
 * process group of its own. doc/process-agents.md says what the program sees. It survives your
 * process; the next one finds it by its run files (wfsm_agents_options.runs).
 *
 * 0 and NULL take the default. Everything is copied.
 */
typedef struct wfsm_process_options {
    size_t size;
    const char *const
        *command; /* required: the program, looked up in the absolute folders of PATH,
                                   and its arguments; ends with NULL. "{prompt}" in an argument is replaced */
    const char *prompt; /* a prompt; its marks ({input}, {output_schema}, {id},
                                   {attempt}, {instance}, {state}) are replaced. Default: none */
    int32_t input; /* enum wfsm_process_input */
    int32_t answer; /* enum wfsm_agent_answer */
    const char *folder; /* where it works; {instance} and {worktree} are replaced.
                                   Default: wfsm_agents_options.folder */
    const char *const
        *env; /* "NAME=value", ends with NULL. A program gets of your environment only
                               HOME, LANG, LANGUAGE, LC_*, LOGNAME, PATH (without what is not
                               absolute), SHELL, TERM, TMPDIR, TZ and USER */
    const char *const *pass_env; /* and the variables of these names; ends with NULL */
    const char *const *exit_classes; /* "75=network": failure classes of exit codes from 1 to
                                        255, ends with NULL; the others are "exit" */
    int64_t timeout_ms; /* for an attempt; default 600,000; WFSM_NEVER: no limit */
    int64_t grace_ms; /* from SIGTERM to SIGKILL; default 5,000; -1: SIGKILL at once */
    uint64_t max_output_bytes; /* on stdout; default 1 MiB, at most 1 GiB */
    uint64_t max_log_bytes; /* on stderr; default 64 MiB, at most 1 GiB */
    /* "claude", "codex" or "gemini": a coding agent, whose flags and output the library knows
     * (doc/agents.md). `command` is then not required; its default is the program of that name, and
     * the flags are added behind it. `answer` is then LAST_BLOCK, `max_output_bytes` 64 MiB, and the
     * prompt is always on stdin. "command" and NULL: any other program. */
    const char *kind;
    int32_t access; /* enum wfsm_agent_access; only with such a kind */
    const char *model; /* the model's name; only with such a kind. Default: the program's */
} wfsm_process_options;

/*
 * Adds a program under a name: the name that machines use as `src`. EXISTS: the name is taken.
 * INVALID: the message names the member and what was expected. NO_MEMORY.
 */
WFSM_API int32_t wfsm_agents_add_process(wfsm_agents *agents, const char *name,
                                         const wfsm_process_options *options,
                                         wfsm_error *error);

/*
 * An agent that is a chat model behind HTTP: it is asked once for each attempt, and the JSON
 * object in its answer is the result. doc/http-agents.md says what is sent. A call ends with
 * your process; the next one asks again if the machine says so (`onUnknown`).
 *
 * 0 and NULL take the default. Everything is copied.
 */
typedef struct wfsm_http_options {
    size_t size;
    const char *api; /* required: "anthropic" or "openai" (chat completions) */
    const char *model; /* required: the model's name */
    const char *base_url; /* https://, or http:// if there is no key or the host is a loopback
                             address, which is never asked through a proxy. Default: the
                             service's own */
    const char *key_env; /* the environment variable that holds the key */
    const char *key_file; /* or the file that does. Default: no key */
    const char *prompt; /* as in wfsm_process_options; default: the invocation as JSON */
    const char *system; /* the system prompt; default: none */
    int32_t answer; /* enum wfsm_agent_answer */
    int32_t whole; /* 1: the reply comes at once; 0: it is streamed */
    const char *max_tokens_name; /* openai: "max_tokens" (default) or "max_completion_tokens" */
    int64_t max_tokens; /* of the answer; default: 8192 (anthropic), the service's (openai) */
    int64_t price_input; /* of a million tokens, in micro-units; counted as usage "micros" */
    int64_t price_output; /* of a million tokens of the answer, in the same way */
    const char *ca_file; /* certificates to trust; default: the system's */
    int64_t connect_timeout_ms; /* until connected; default 10,000 */
    int64_t idle_timeout_ms; /* without a byte; default 120,000, with `whole` no limit;
                                   WFSM_NEVER: no limit */
    int64_t timeout_ms; /* for an attempt; default 600,000; WFSM_NEVER: no limit */
    uint64_t max_output_bytes; /* of the answer; default 1 MiB, at most 1 GiB */
    uint64_t max_reply_bytes; /* of the whole reply; default 128 MiB, at most 1 TiB */
} wfsm_http_options;

/*
 * Adds a model under a name. The key is read by wfsm_agents_register(), and never stored or
 * shown. EXISTS, INVALID, NO_MEMORY as wfsm_agents_add_process().
 */
WFSM_API int32_t wfsm_agents_add_http(wfsm_agents *agents, const char *name,
                                      const wfsm_http_options *options, wfsm_error *error);

/*
 * An agent that runs commands of your choosing, one after the other.
 *
 * `plan` names the commands of an invocation: it stores JSON text that stays valid until the
 * next call of `plan`, in *json and *length: {"folder": where they work, "commands":
 * [{"argv": […], "timeout_ms"?, "kind"?, "skip"?}, …]}. A command with "skip" is not run; the
 * text of "skip" is its reason. Any status but WFSM_OK fails the invocation with the message
 * of `error`. Without `plan` the input of the invocation is the plan.
 *
 * `answer` makes the invocation's result of the commands' results, a JSON array: it calls
 * wfsm_call_done() or wfsm_call_failed(). Without it the result is
 * {"passed": whether all that ran ended with 0, "results": the array}. Each result is
 * {"argv", "kind"?, "exit_code" (null: not ended by itself), "reason", "tail" (the end of
 * its output), …}; doc/agents.md lists the members.
 */
typedef int32_t (*wfsm_commands_plan)(void *user, wfsm_call *call, const char **json,
                                      size_t *length, wfsm_error *error);
/* Makes the result of an invocation: see above. */
typedef int32_t (*wfsm_commands_answer)(void *user, wfsm_call *call, const char *results,
                                        size_t length);

/* 0 and NULL take the default. Copied. */
typedef struct wfsm_commands_options {
    size_t size;
    int64_t timeout_ms; /* of a command without its own; default 600,000; WFSM_NEVER: none */
    uint64_t max_output_bytes; /* on stdout, and as many on stderr; default 1 MiB, at most
                                  1 GiB */
    int32_t all; /* 1: runs every command; 0: stops behind the first that fails */
    wfsm_commands_plan plan; /* or NULL */
    wfsm_commands_answer answer; /* or NULL */
    void *user; /* handed to both; must outlive the engine */
    const char *const *pass_env; /* as in wfsm_process_options. Default: none */
} wfsm_commands_options;

/* Adds such an agent under a name. EXISTS, INVALID, NO_MEMORY. options may be NULL. */
WFSM_API int32_t wfsm_agents_add_commands(wfsm_agents *agents, const char *name,
                                          const wfsm_commands_options *options,
                                          wfsm_error *error);

/*
 * Adds the agents of a TOML file, one for each table [agents.NAME]. The keys are those of
 * doc/agents.md; paths may begin with "{dir}", the folder of the file. The message of an error
 * is "FILE:LINE:COLUMN: …" and says what was expected. An unknown key anywhere in the file is
 * an error. INVALID: an argument is NULL. SYNTAX: the file is not TOML. SEMANTIC: a key or value is
 * wrong, or a name is taken. IO: the file cannot be read. LIMIT: it has more than 1 MiB. NO_MEMORY.
 * After an error no agent was added.
 */
WFSM_API int32_t wfsm_agents_load_toml(wfsm_agents *agents, const char *path,
                                       wfsm_error *error);
/*
 * Does the same for a file that you have opened, so that it can hold settings of yours. It
 * reads the table "agents" and leaves unknown keys elsewhere to wfsm_settings_check(), which
 * you call when you have read your own. The settings are borrowed for the call.
 */
WFSM_API int32_t wfsm_agents_load(wfsm_agents *agents, wfsm_settings *settings,
                                  wfsm_error *error);

/* Adds the agent `name` once more as `copy`. NOT_FOUND, EXISTS, INVALID, NO_MEMORY. */
WFSM_API int32_t wfsm_agents_copy(wfsm_agents *agents, const char *name, const char *copy,
                                  wfsm_error *error);
/* Removes an agent that is not registered yet. NOT_FOUND, INVALID, BUSY (registered). */
WFSM_API int32_t wfsm_agents_remove(wfsm_agents *agents, const char *name, wfsm_error *error);
/* The name of the index-th agent, in the order in which they were added; NULL behind the last.
 * Borrowed until the collection changes. */
WFSM_API const char *wfsm_agents_name(const wfsm_agents *agents, size_t index);
/*
 * What an agent is, as a JSON object: "type" ("process", "http" or "commands") and the
 * settings in force, under the names of the TOML keys; prompts are texts, not file names.
 * Borrowed until the next call on the collection. NULL, and 0 in *length: there is no such agent, or
 * out of memory. length may be NULL.
 */
WFSM_API const char *wfsm_agents_describe(wfsm_agents *agents, const char *name,
                                          size_t *length);

/* Is told now and then with one line on what a model does: wfsm_progress_note(), for example. It
 * must not call the engine. */
typedef void (*wfsm_agents_tell)(void *user, const char *instance, const char *line);

/* What the agents of a collection share. 0 and NULL take the default. Copied. */
typedef struct wfsm_agents_options {
    size_t size;
    const char *runs; /* the folder for the files of all runs; made when it is missing,
                           for its owner only. A link, a folder that belongs to somebody else or that
                           others may write to is refused.
                           Required with programs and commands. Use one folder for one store */
    const char *folder; /* where programs work that have no folder; {instance} is replaced.
                           Must exist. Default: where your process works */
    wfsm_store *store; /* the engine's. If it is given, wfsm_agents_sweep() is done, and a
                           model is told what was wrong with its last answer. Must outlive the
                           engine. Default: none */
    wfsm_agents_tell tell; /* default: none */
    void *user; /* handed to tell */
} wfsm_agents_options;

/*
 * Adds all agents to an engine, which the collection must outlive. options may be NULL. You can call
 * this once, also if it fails; agents cannot be added to the collection afterwards. INVALID: an
 * argument is NULL, the options have no size, or `runs` is missing. EXISTS: the engine has an agent
 * of that name. IO: the folder of runs, or a key file. BUSY: registered before. NO_MEMORY. After a
 * failure the engine may have some of the agents: free it before the collection.
 */
WFSM_API int32_t wfsm_agents_register(wfsm_agents *agents, wfsm_engine *engine,
                                      const wfsm_agents_options *options, wfsm_error *error);
/*
 * Fills in *callbacks, whose size you set, with the four callbacks of a registered agent. Use them in
 * an agent of your own that passes its call on to it. They live as long as the collection. INVALID:
 * an argument is NULL, or the collection is not registered yet. NOT_FOUND: there is no such agent.
 */
WFSM_API int32_t wfsm_agents_callbacks(wfsm_agents *agents, const char *name,
                                       wfsm_agent *callbacks, wfsm_error *error);

/*
 * Waits until a program or an HTTP call has something new, a signal arrived, or so many
 * milliseconds went by; enforces time limits and limits of output. Returns how many programs
 * and calls have ended. 0 or less does not wait, so `deadline - wfsm_agents_now()` is right
 * for every deadline. Call it in a loop: it may return early, and does so every 50 ms while
 * programs run.
 */
WFSM_API int32_t wfsm_agents_wait(wfsm_agents *agents, int64_t milliseconds);
/* How many programs and HTTP calls are at work. */
WFSM_API size_t wfsm_agents_working(const wfsm_agents *agents);
/*
 * Waits until the programs that were told to stop have ended, for so many milliseconds at most.
 * wfsm_agents_free() kills those that are left. Returns how many are left.
 */
WFSM_API size_t wfsm_agents_drain(wfsm_agents *agents, int64_t milliseconds);
/*
 * Stops the programs that an earlier process left at work and that no invocation of the store
 * is waiting for; *stopped (may be NULL) is how many. INVALID: the collection is not
 * registered, or was registered without a store or a folder of runs. IO: the folder cannot be read.
 * NO_MEMORY.
 */
WFSM_API int32_t wfsm_agents_sweep(wfsm_agents *agents, size_t *stopped, wfsm_error *error);
/* The time of day in milliseconds since 1970. */
WFSM_API int64_t wfsm_agents_now(void);
/* Milliseconds of a clock that does not jump when somebody sets the time of day; for
 * wfsm_engine_options.clock. It does not use `user`. */
WFSM_API int64_t wfsm_agents_clock(void *user);

/*
 * Sessions. An engine needs a name for its session that no other engine has or had
 * (wfsm_engine_options.session). It is the owner of the engine's instances. The name that this
 * library makes is "HOST/RANDOM/PROCESS:START:BOOT", so anybody on the same host can tell whether
 * the owner is still there.
 */

/* Bytes of an owner's name with its NUL. */
#define WFSM_OWNER_SIZE 256
/* Bytes of the text about an owner with its NUL. */
#define WFSM_OWNER_TEXT_SIZE 272

/* What can be said about an owner. */
enum wfsm_owner_state {
    WFSM_OWNER_NONE = 0, /* the name is "" */
    WFSM_OWNER_ALIVE = 1, /* a process of this host, and it is there */
    WFSM_OWNER_GONE = 2, /* a process of this host, and it has ended */
    WFSM_OWNER_ELSEWHERE = 3 /* another host's, or no name of this library */
};

/* Writes a new name for a session of this process to `name`, which has room for WFSM_OWNER_SIZE
 * bytes. Every call makes another name. Returns it. */
WFSM_API const char *wfsm_session_name(char *name);
/* Tells whether an owner is still there: an enum wfsm_owner_state. NULL counts as "". */
WFSM_API int32_t wfsm_owner_state(const char *name);
/* Writes "process 42 on HOST" to `text`, which has room for WFSM_OWNER_TEXT_SIZE bytes, or the
 * name as it is, or "nobody". Returns it. */
WFSM_API const char *wfsm_owner_describe(const char *name, char *text);
/*
 * Frees the instances of a process that was killed. If the owner of this instance is GONE, its row is
 * deleted from the store, so that wfsm_engine_adopt() does not have to wait until the owner has
 * lapsed. WFSM_OK also if the owner is alive or there is no such instance. INVALID: an argument is
 * NULL. Otherwise what the store answers.
 */
WFSM_API int32_t wfsm_owner_release(wfsm_store *store, const char *instance, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
