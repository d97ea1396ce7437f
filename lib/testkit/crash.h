/*
 * crash.h: one play of a script on a store that may fail. Everything that happens is a
 * function of the script, so a play is held against the one without faults: the reference.
 */
#ifndef TESTKIT_CRASH_H
#define TESTKIT_CRASH_H

#include <wfsm/testkit.h>
#include "text.h"

/* What the reference saw of a line; line 0 is the start. */
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
    tk_text places;  /* of each in `effects`, size_t */
    uint64_t effect_count;
} tk_reference;

typedef struct tk_run {
    const wfsm_testkit_crash_options *options;
    wfsm_testkit_crash_counts *counts;
    tk_reference *reference;
    wfsm_testkit_witness *witness; /* or NULL */
    bool learning;                 /* this is the play that makes the reference */
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
    uint64_t acknowledged; /* the revision that was told last */
    uint64_t delivered;    /* the number of the last effect that was delivered */
    int32_t handled;       /* faults that were recovered from */
    int32_t ended;         /* what ends everything: out of memory, a function of the host */
    bool broken;           /* a violation that makes going on senseless */
} tk_run;

/* reference.c */
bool tk_reference_init(tk_reference *reference, size_t lines);
void tk_reference_free(tk_reference *reference);
void tk_reference_add_effect(tk_reference *reference, const char *effect, size_t length);
/* NULL beyond the last; numbers from 1. */
const char *tk_reference_effect(const tk_reference *reference, uint64_t number);
/* The first line that leads to this revision. */
size_t tk_reference_line(const tk_reference *reference, uint64_t revision);

/* crash_check.c: each counts as an invariant. */
bool tk_must(tk_run *run, bool holds, const char *format, ...) TK_PRINTF(3, 4);
/* The state of the instance, as text. */
void tk_describe(tk_run *run, tk_text *out);
/* The play has come to its end: the store is held against the reference, or becomes it. */
void tk_check_end(tk_run *run);
/* A commit is told to the caller, an effect to its receiver. */
int32_t tk_acknowledged(tk_run *run);
int32_t tk_delivered(tk_run *run, uint64_t number, const char *effect, size_t length);

/* crash_line.c: the present line; a status other than WFSM_OK when it must be recovered. */
int32_t tk_play_line(tk_run *run);

/* crash_run.c: plays from wherever the store stands to the end, and checks. */
int32_t tk_play(tk_run *run);
#endif
