/* Shared by the files of the coordinator: exit codes, the command line, the commands. */
#ifndef COORDINATOR_H
#define COORDINATOR_H

#include <stdint.h>

#include <wfsm/wfsm.h>

#include "shared/print_error.h"
#include "shared/rewind.h"
#include "settings.h"

/* How the program ends; its help explains them. */
enum {
    END_FINE = 0,    /* approved, or the query succeeded */
    END_OTHER = 1,   /* another outcome, or the project does not have the approved change */
    END_USAGE = 2,   /* command line or configuration */
    END_STORE = 3,   /* the store or the machine document caused an error */
    END_WAITS = 7,   /* a proposal waits for a person */
    END_STOPPED = 130 /* by a signal; `resume` continues */
};

/* The command line. Arguments that were not given are NULL. */
typedef struct arguments {
    const char *config, *task, *task_file, *workspace;
    const char *message; /* of the operator */
    const char *mode;    /* "proposal" or "implementation" */
    const char *id; /* --id, or the operand */
    const char *agent; /* of init: the program for all roles */
    host_rewind back;  /* of restore and fork */
    const char *new_id; /* of fork */
    int yes, force, json;
} arguments;

int cmd_run(const arguments *given, const settings *with);
int cmd_resume(const arguments *given, const settings *with);
int cmd_status(const arguments *given, const settings *with);
int cmd_list(const arguments *given, const settings *with);
int cmd_confirm(const arguments *given, const settings *with);
int cmd_followup(const arguments *given, const settings *with);
int cmd_abort(const arguments *given, const settings *with);
int cmd_restore(const arguments *given, const settings *with);
int cmd_fork(const arguments *given, const settings *with);
int cmd_init(const arguments *given, const settings *with);
int cmd_doctor(const arguments *given, const settings *unread); /* reads no settings */
int cmd_clean(const arguments *given, const settings *with);
int cmd_log(const arguments *given, const settings *with);
int cmd_history(const arguments *given, const settings *with);

/* Prints the error of a call of the library, and returns the exit code for it. */
int library_failed(const char *what, const wfsm_error *error);

#endif
