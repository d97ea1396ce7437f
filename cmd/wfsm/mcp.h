/*
 * mcp.h: `wfsm mcp`, a server of the Model Context Protocol over stdio. It is a thin layer: each tool is a
 * command of wfsm that runs in a process of its own, so a document or a store can neither stop the server
 * nor block it.
 *
 *   cmd_mcp.c        the command line, and the loop
 *   mcp_rpc.c        who may ask for what (rpc.h has the lines of JSON-RPC)
 *   mcp_run.c        commands in processes of their own
 *   mcp_machines.c   the documents, each a tool that starts its workflow
 *   mcp_tools.c      the list of tools, and their calls
 *   mcp_ask.c        a person decides, by elicitation
 *   mcp_tasks.c      tasks of the protocol, which are instances
 *   mcp_resources.c  documents, states and journals
 */
#ifndef WFSM_MCP_H
#define WFSM_MCP_H

#include <jansson.h>
#include <sys/types.h>
#include "wfsm/many.h"
#include "wfsm/rpc.h"

/* Errors of JSON-RPC. */
enum mcp_error {
    MCP_REQUEST = RPC_REQUEST,
    MCP_METHOD = RPC_METHOD,
    MCP_PARAMS = RPC_PARAMS,
    MCP_INTERNAL = RPC_INTERNAL,
    MCP_NOT_FOUND = -32002 /* of a resource */
};

/* The most bytes of what a command prints, and the most commands at once. */
enum { MCP_OUTPUT = 4 << 20, MCP_RUNS = 64 };

/* How many instances a page of a list has. */
enum { MCP_PAGE = 100 };
#define MCP_PAGE_AND_ONE "101"

typedef struct mcp mcp;
typedef struct mcp_run mcp_run;

/* A command that runs. */
struct mcp_run {
    pid_t process;
    int out, errors;       /* -1: it has ended */
    cli_text said, failed; /* what it printed to standard output and error */
    bool too_much;
    json_t *request; /* the id to answer; NULL: nobody */
    json_t *about;   /* what `done` needs; may be NULL */
    char *file;      /* to be deleted at the end; may be NULL */
    bool waits;      /* it changes nothing, and may take for ever */
    void (*done)(mcp *self, mcp_run *run, int code);
    mcp_run *next;
};

/* A question to the client. */
typedef struct mcp_question {
    json_int_t id;
    json_t *request; /* that waits for it */
    json_t *about;
    json_t *task; /* whose result is wanted; NULL: the decision is */
    struct mcp_question *next;
} mcp_question;

typedef struct mcp_machine {
    char *tool;     /* start_NAME */
    json_t *source; /* the document */
    char *path;
    char *text; /* of the file */
} mcp_machine;

struct mcp {
    const char *store, *person, *agents;
    bool read_only;
    mcp_machine *machines;
    size_t machine_count;
    rpc rpc; /* its `out` is standard output, of which commands have another */
    bool greeted, ready;
    bool has_tasks;    /* the revision of the protocol has them */
    bool can_ask;      /* the client supports elicitation */
    bool in_tool;      /* the arguments of a tool are being read */
    mcp_run *runs;
    size_t run_count;
    mcp_question *questions;
    json_int_t last_question;
    pid_t worker; /* 0: none */
    int worker_out; /* what it prints is dropped. -1: there is none, or it has ended */
};

/* ---- mcp_rpc.c ---- */
/* Answers go to `out`. */
void mcp_begin(mcp *self, FILE *out);
/* Both answer a request, and take the result away. `request` NULL: nobody is answered. */
void mcp_answer(mcp *self, const json_t *request, json_t *result);
void mcp_fail(mcp *self, const json_t *request, int code, const char *format, ...)
    CLI_PRINTF(4, 5);
/* Answers that the arguments are wrong. Since revision 2025-11-25 this is a result of the tool, so that a model can
 * correct them. Before, and for requests other than tool calls, it is the error MCP_PARAMS. */
void mcp_refuse(mcp *self, const json_t *request, const char *format, ...) CLI_PRINTF(3, 4);
/* A message to the client; takes it away. */
void mcp_write(mcp *self, json_t *message);
/* A string of params; NULL after answering that it is missing or wrong. "" is no string. */
const char *mcp_text(mcp *self, const json_t *request, const json_t *params, const char *key);
/* The same for one that may be missing: *fine is false after an answer. */
const char *mcp_optional(mcp *self, const json_t *request, const json_t *params,
                         const char *key, bool *fine);

/* ---- mcp_run.c ---- */
/* Starts a command: words end with NULL. `input` is its standard input, or NULL. The rest of *made is set by
 * the caller. NULL after answering the request. */
mcp_run *mcp_start(mcp *self, const json_t *request, const char *const *words,
                   const char *input);
/* Starts the command that lists a page of instances, from params.cursor on. NULL as mcp_start(). */
mcp_run *mcp_list(mcp *self, const json_t *request, const json_t *params);
/* Adds nextCursor to an answer if the list that the command printed continues after the page. */
void mcp_add_cursor(json_t *result, const json_t *listed);
/* Waits for the next bytes of the client or of a command, and acts on them. False at the end of standard input, or of
 * the worker. */
bool mcp_turn(mcp *self, bool reads);
/* Ends the command that answers this request. */
void mcp_cancel(mcp *self, const json_t *request);
void mcp_end_waiting(mcp *self);
/* Runs the worker in a process of its own that lives as long as the server. */
void mcp_spawn(mcp *self, const char *const *words);
/* Ends it. */
void mcp_end_worker(mcp *self);

/* ---- mcp_machines.c ---- */
/* Reads a document, or those in a folder; false with the reason said. */
bool mcp_read_machines(mcp *self, const char *path);
void mcp_free_machines(mcp *self);
const mcp_machine *mcp_machine_of(const mcp *self, const char *tool);
/* Its tool, as the list of tools has it. */
json_t *mcp_machine_tool(const mcp *self, const mcp_machine *machine);

/* ---- mcp_tools.c ---- */
void mcp_tools_list(mcp *self, const json_t *request, const json_t *params);
void mcp_tools_call(mcp *self, const json_t *request, const json_t *params);
/* The result of a tool: a text, and an object if the text is one. */
json_t *mcp_result(const char *text, bool is_error);
/* What a command has said, as the result of a tool. */
void mcp_tell(mcp *self, mcp_run *run, int code);

/* ---- mcp_ask.c ---- */
void mcp_ask(mcp *self, const json_t *request, const json_t *arguments);
/* The same on behalf of a task whose result somebody waits for; then its result is waited for. */
void mcp_ask_for_task(mcp *self, const json_t *request, const char *id);
/* The client's answer to a question. */
void mcp_answered(mcp *self, const json_t *message);
void mcp_forget_questions(mcp *self);
/* The request is not to be answered any more: its question is withdrawn. */
void mcp_withdraw(mcp *self, const json_t *request);

/* ---- mcp_tasks.c ---- */
void mcp_tasks(mcp *self, const json_t *request, const char *method, const json_t *params);
/* The answer to a call that starts a workflow as a task. */
void mcp_task_started(mcp *self, mcp_run *run, int code);

/* Answers with the result of a task when it has ended. */
void mcp_task_wait(mcp *self, const json_t *request, const char *id);

/* ---- mcp_resources.c ---- */
void mcp_resources(mcp *self, const json_t *request, const char *method, const json_t *params);
#endif
