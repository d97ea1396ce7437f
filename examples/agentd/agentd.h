/* Shared by the files of agentd: exit codes, the command line, the commands. */
#ifndef AGENTD_H
#define AGENTD_H

#include <wfsm/wfsm.h>

#include "shared/error.h"
#include "shared/rewind.h"

/* How the program ends; its help and its man page explain them. */
enum {
    END_DONE = 0,      /* the command did what was asked */
    END_PERSON = 1,    /* a person is needed, and the phase is unchanged */
    END_USAGE = 2,     /* command line or configuration */
    END_STORE = 3,     /* the store or a file caused an error */
    END_REFUSED = 4,   /* not in this phase, or something would be lost */
    END_REJECTED = 5,  /* the proposal is rejected */
    END_BUSY = 6,      /* another process works on the change */
    END_WAITS = 7,     /* of a person's decision: approve or reject */
    END_STOPPED = 130  /* by a signal; the same command continues */
};

/* The command line. Arguments that were not given are NULL or 0. */
typedef struct arguments {
    const char *id;          /* of a change; of graph: what to draw */
    const char *description; /* of approve and reject: the reason */
    int again;     /* plan --again, impl --review */
    int overwrite; /* files that a person has edited may be overwritten */
    int accept;    /* impl --accept: what was edited since the challenge counts as approved */
    int skills;    /* init --skills */
    int yes;       /* approve, reject, init --yes: without a question */
    const char *agent; /* init --agent: the program for all roles */
    int json;      /* for programs */
    host_rewind back;   /* of restore and fork */
    const char *new_id; /* of fork */
} arguments;

int cmd_init(const arguments *given);
int cmd_plan(const arguments *given);
int cmd_impl(const arguments *given);
int cmd_archive(const arguments *given);
int cmd_approve(const arguments *given);
int cmd_reject(const arguments *given);
int cmd_resume(const arguments *given);
int cmd_restore(const arguments *given);
int cmd_fork(const arguments *given);
int cmd_status(const arguments *given);
int cmd_list(const arguments *given);
int cmd_log(const arguments *given);
int cmd_clean(const arguments *given);
int cmd_diff(const arguments *given);
int cmd_graph(const arguments *given);
int cmd_mcp(const arguments *given);
int cmd_doctor(const arguments *given);

/* "agentd: …" on stderr. */
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the error of the host or of the library. Returns `code`, or END_STORE. */
int host_failed(const host_error *error, int code);
int library_failed(const char *what, const wfsm_error *error);

#endif
