/* The file BASE.run: who a child process is and, later, how it ended. What a host must
 * know about the processes of the host before it. */
#ifndef HK_RUN_RECORD_H
#define HK_RUN_RECORD_H

#include <stdint.h>

#include "error.h"
#include "process_identity.h"

#define HK_TOKEN_SIZE 64

typedef struct hk_run_record {
    char token[HK_TOKEN_SIZE]; /* "-" for none */
    char identity[HK_IDENTITY_SIZE];
    int64_t started; /* wall clock, ms */
    int end;         /* an hk_child_end; 0 while it runs, as far as anybody knows */
    int code;        /* exit code or signal number */
} hk_run_record;

int hk_run_record_write(const char *path, const hk_run_record *record, hk_error *error);

/* *found is 0, and all is well, when there is no such file. */
int hk_run_record_read(const char *path, hk_run_record *record, int *found, hk_error *error);

#endif
