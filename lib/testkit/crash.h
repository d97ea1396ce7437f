/* testkit/crash.h: one run of a script on a store that may fail. The result depends on the
 * script alone, so each run is compared with the reference, which is the run without
 * faults. */
#ifndef TESTKIT_CRASH_H
#define TESTKIT_CRASH_H

#include <wfsm/testkit.h>
#include "text.h"

/* What the reference saw at a line. Line 0 is the start. */
typedef struct tk_line {
    uint64_t before, input, after; /* revision before it, after its input, after its timers */
    int64_t begins;                /* the clock */
    int32_t status, outcome;       /* of its input */
} tk_line;

typedef struct tk_reference {
    tk_line *lines; /* count + 1 */
    size_t count;   /* of the script's lines */
    tk_text journal, final;
    tk_text effects; /* each with its NUL */
    tk_text places;  /* the offset of each in `effects`, a size_t */
    uint64_t effect_count;
} tk_reference;

typedef struct tk_run {
    const wfsm_testkit_crash_options *options;
    wfsm_testkit_crash_counts *counts;
    tk_reference *reference;
    wfsm_testkit_witness *witness; /* or NULL */
    bool learning;                 /* this run makes the reference */
    wfsm_testkit_plan plan;
    int32_t second;      /* the fault after the first, or NONE */
    uint64_t second_gap; /* calls between the two */
    int32_t fault;       /* for reports */
    uint64_t at;
    wfsm_store *inner, *store;
    wfsm_instance *instance;
    wfsm_error *error;
    size_t line;
    int64_t now;
    uint64_t acknowledged; /* the last revision that was acknowledged */
    uint64_t delivered;    /* the number of the last effect that was delivered */
    int32_t handled;       /* faults that were recovered from */
    int32_t ended; /* the status that ended the run: out of memory, or of a host's function */
    bool broken; /* an invariant was violated, so the rest of the run proves nothing */
} tk_run;

/* reference.c */
bool tk_reference_init(tk_reference *reference, size_t lines);
void tk_reference_free(tk_reference *reference);
void tk_reference_add_effect(tk_reference *reference, const char *effect, size_t length);
/* Effects are numbered from 1. NULL beyond the last. */
const char *tk_reference_effect(const tk_reference *reference, uint64_t number);
/* The first line of the script that leads to this revision. */
size_t tk_reference_line(const tk_reference *reference, uint64_t revision);

/* crash_check.c: each counts as an invariant. */
bool tk_must(tk_run *run, bool holds, const char *format, ...) TK_PRINTF(3, 4);
/* Writes the state of the instance as text. */
void tk_describe(tk_run *run, tk_text *out);
/* At the end of a run: compares the store with the reference, or makes it the reference. */
void tk_check_end(tk_run *run);
/* A commit was acknowledged; an effect was delivered. */
int32_t tk_acknowledged(tk_run *run);
int32_t tk_delivered(tk_run *run, uint64_t number, const char *effect, size_t length);

/* crash_line.c: runs the present line. A status other than WFSM_OK asks for recovery. */
int32_t tk_play_line(tk_run *run);

/* crash_run.c: runs the script from the state of the store to its end, and checks. */
int32_t tk_play(tk_run *run);
#endif
