/* The file BASE.run: who a child process is and, later, how it ended. What a host must
 * know about the processes of the host before it. */
#ifndef WFA_RUN_RECORD_H
#define WFA_RUN_RECORD_H

#include <stdint.h>

#include "agent_error.h"
#include "process_identity.h"

#define WFA_TOKEN_SIZE 64

typedef struct wfa_run_record {
    char token[WFA_TOKEN_SIZE]; /* "-" for none */
    char identity[WFA_IDENTITY_SIZE];
    int64_t started; /* wall clock, ms */
    int end;         /* an wfa_child_end; 0 while it runs, as far as anybody knows */
    int code;        /* exit code or signal number */
} wfa_run_record;

int wfa_run_record_write(const char *path, const wfa_run_record *record, wfa_error *error);

/* *found is 0, and all is well, when there is no such file. */
int wfa_run_record_read(const char *path, wfa_run_record *record, int *found, wfa_error *error);

#endif
