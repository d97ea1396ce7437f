/* crash_print.h: the output of crash-test. */
#ifndef WFSM_CRASH_PRINT_H
#define WFSM_CRASH_PRINT_H

#include <jansson.h>
#include <wfsm/testkit.h>
#include "wfsm/cli.h"

typedef struct crash_print {
    bool json, resumed;
    bool terminal;       /* progress is printed to stderr */
    json_t *violations;  /* with --json */
    uint64_t shown;
} crash_print;

void crash_print_begin(crash_print *print, bool json, bool resumed);
/* For wfsm_testkit_crash(). */
int32_t crash_print_violation(crash_print *print, const wfsm_testkit_violation *violation);
int32_t crash_print_progress(crash_print *print, uint64_t done, uint64_t all);
/* The counts; `print` is over. */
void crash_print_end(crash_print *print, const wfsm_testkit_crash_counts *counts);
#endif
