/* verify_print.h: what verify tells. */
#ifndef WFSM_VERIFY_PRINT_H
#define WFSM_VERIFY_PRINT_H

#include <jansson.h>
#include <stdio.h>
#include <wfsm/verify.h>
#include "wfsm/cli.h"

typedef struct verify_progress {
    uint64_t seconds; /* the search ends then; 0: no limit */
    bool terminal; /* it is told, on stderr */
    int64_t began; /* seconds */
} verify_progress;

/* `seconds` is set by the caller before. */
void verify_progress_begin(verify_progress *progress);
/* A wfsm_verify_progress, whose user is the progress. */
int32_t verify_progress_tell(void *user, const wfsm_verify_counts *counts);
void verify_progress_end(const verify_progress *progress);

/* "error", "warning", "note". Static. */
const char *verify_severity(const wfsm_verify_diagnostic *diagnostic);

/* To stdout. */
void verify_print_text(const wfsm_verification *found, const char *file);
void verify_print_json(FILE *out, const wfsm_verification *found);
void verify_print_sarif(FILE *out, const wfsm_verification *found, const char *file);
void verify_print_junit(FILE *out, const wfsm_verification *found, const char *file);
/* A page of its own. `options` are those of the command that change what is searched; NULL: none. */
void verify_print_html(FILE *out, const wfsm_verification *found, wfsm_machine *machine,
                       const char *file, const char *options);
/* False: there is no diagnostic of that index, or it has no trace. */
bool verify_print_script(FILE *out, const wfsm_verification *found, size_t index);
/* The test cases of the verification, in a folder that is made if there is none. False after printing
 * an error. */
bool verify_write_tests(const char *folder, const wfsm_verification *found,
                        wfsm_machine *machine);
/* Prints and frees it; NULL: out of memory. */
void verify_print_whole(FILE *out, json_t *whole);
#endif
