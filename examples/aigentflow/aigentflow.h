/* Shared by the files of aigentflow: exit codes, the command line, the commands. */
#ifndef AIGENTFLOW_H
#define AIGENTFLOW_H

#include <stdint.h>

#include <wfsm/wfsm.h>

#include "shared/error.h"
#include "shared/print_error.h"
#include "shared/rewind.h"
#include "settings.h"

/* How the program ends; its help explains them. */
enum {
    END_FINE = 0,  /* completed, or the query succeeded */
    END_OTHER = 1, /* another outcome, or there is nothing to do */
    END_USAGE = 2, /* command line or configuration */
    END_STORE = 3, /* the store or a machine document caused an error */
    END_ABORTED = 4, /* END_OTHER for the caller; success where it was requested */
    END_WAITS = 7,  /* a person is asked: approve, reject or answer */
    END_STOPPED = 130 /* by a signal; `resume` continues */
};

/* The command line. Arguments that were not given are NULL. */
typedef struct arguments {
    const char *config;
    const char *operand; /* the prompt of run; else the id of a task */
    const char *checkpoint; /* operand of checkpoint, restore and fork, behind the ids */
    const char *prompt_file, *epic, *id, *feature, *reason, *answer, *by;
    host_rewind back;   /* of restore and fork */
    const char *new_id; /* of fork */
    const char **artifacts; /* ends with NULL */
    int64_t design;         /* 0: none */
    int compete, json, verbose, force, yes;
    const char *agent; /* of init: the program for all agents */
} arguments;

int cmd_run(const arguments *given, const settings *with);
int cmd_approve(const arguments *given, const settings *with);
int cmd_answer(const arguments *given, const settings *with);
int cmd_reject(const arguments *given, const settings *with);
int cmd_abort(const arguments *given, const settings *with);
int cmd_resume(const arguments *given, const settings *with);
int cmd_status(const arguments *given, const settings *with);
int cmd_history(const arguments *given, const settings *with);
int cmd_checkpoint(const arguments *given, const settings *with);
int cmd_restore(const arguments *given, const settings *with);
int cmd_fork(const arguments *given, const settings *with);
int cmd_log(const arguments *given, const settings *with);
int cmd_clean(const arguments *given, const settings *with);
int cmd_pool(const arguments *given, const settings *with);
int cmd_agents(const arguments *given, const settings *with);
int cmd_init(const arguments *given, const settings *unread);
int cmd_doctor(const arguments *given, const settings *unread);

/* Print the error of the library, or of the host; END_STORE, END_USAGE. */
int library_failed(const char *what, const wfsm_error *error);
int host_failed(const host_error *error);

#endif
