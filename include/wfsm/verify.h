/*
 * wfsm/verify.h: explores the state space of one instance of a machine: every event that an
 * active state handles, every result and failure of every invocation, every timer in every order
 * that time allows, every answer of the host. It runs the same step as a real instance.
 * doc/verification.md describes what is abstracted, and what "holds" means.
 * Part of libwfsm-tools.
 */
#ifndef WFSM_VERIFY_H
#define WFSM_VERIFY_H

#include <wfsm/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of the search so far. */
typedef struct wfsm_verify_counts {
    size_t size;
    uint64_t states; /* different states */
    uint64_t moves;  /* steps that were run to find them */
    uint64_t depth;  /* inputs of the shortest trace to the last of them */
    uint64_t edges;  /* different edges from one state to another */
    uint64_t memory; /* bytes held for all of them */
    uint64_t key_bytes; /* of `memory`: the keys of all states */
    uint64_t waiting;   /* states whose successors are not explored yet */
    uint64_t changes;   /* moves that changed something */
} wfsm_verify_counts;

/* Called from time to time, also within a step that takes long, and at the end of a search that was
 * not ended before. Anything but 0 ends the search; then there are no more calls. */
typedef int32_t (*wfsm_verify_progress)(void *user, const wfsm_verify_counts *counts);

/* Who is assumed to act in a run that continues for ever, of: agents that are at work, timers that are
 * pending, budgets of time, and people who are asked (in a state with the tag awaiting_input, or as an
 * agent). Nothing is assumed about the answers. */
enum wfsm_fairness {
    WFSM_FAIRNESS_WEAK = 0, /* each that can act without a break from some time on; one that is
                               withdrawn and started again may never act */
    WFSM_FAIRNESS_STRONG = 1, /* each that can act again and again */
    WFSM_FAIRNESS_NONE = 2 /* nobody */
};

/* Zero or NULL takes the default. Everything is borrowed for the call. */
typedef struct wfsm_verify_options {
    size_t size;
    uint64_t max_states; /* 10,000,000 */
    uint64_t max_memory; /* bytes, 2 GiB */
    /* How far a number of the context, or the length of a list, may exceed what the document
     * itself names: 100. The successors of states beyond it are not explored. */
    uint64_t bound;
    /* 1: timers fire when they are due, before anything else happens. Agents begin at once, and take
     * `timeoutMs` at most. */
    int32_t punctual;
    int32_t restores; /* 1: a checkpoint may be taken at any time, and the last one restored
                         where the document allows it */
    int32_t first; /* 1: the first error that is found ends the search */
    int32_t open; /* 1: events that the document itself raises also come from outside */
    const char *inputs; /* a JSON list of objects, each an input of the start; NULL: no input */
    size_t inputs_length; /* bytes of inputs */
    wfsm_verify_progress progress; /* about every 5,000 moves, and 100 over symbols */
    void *user; /* passed to progress */
    int32_t fairness; /* enum wfsm_fairness: who is assumed to act */
    int32_t cases; /* 1: wfsm_verification_case() has test cases */
    /* Machines that an invocation with the `src` "machine:ID" may start, for properties of
     * `instances`. Since 0.1. */
    wfsm_machine *const *machines;
    size_t machine_count; /* in machines. Since 0.1 */
    /* Threads that search together, up to 256; 0 and 1: only the caller's. The result is the same,
     * whatever their number. The machine's allocator is called by all of them at once. */
    uint32_t jobs;
    /* 1: moves of regions that do not touch each other are tried in every order. */
    int32_t no_reduction;
} wfsm_verify_options;

/* The result of the whole, or of one property. */
enum wfsm_verdict {
    WFSM_HOLDS = 1, /* the whole state space was explored, or what was not is proved */
    WFSM_VIOLATED = 2, /* there is a counterexample */
    WFSM_UNDECIDED = 3 /* there was none before a bound was reached */
};
/* "holds", "violated", "undecided". Static. */
WFSM_API const char *wfsm_verdict_name(int32_t verdict);

/* The result of a verification: immutable, owned by the caller. */
typedef struct wfsm_verification wfsm_verification;

/* A diagnostic, with a shortest trace if it has one. Strings are borrowed from the
 * verification. */
typedef struct wfsm_verify_diagnostic {
    size_t size;
    int32_t severity; /* 1: an error; 2: a warning; 3: a note */
    const char *rule; /* "property", "deadlock"; stable words, listed in
                             doc/verification.md */
    const char *property; /* the name of a violated property, or NULL */
    const char *message; /* one sentence */
    const char *state; /* dotted path of the state it is about, or "" */
    const char *pointer; /* JSON pointer into the document, "" if there is no better place */
    int32_t line; /* of the pointer, from 1 */
    int32_t column; /* from 1, in bytes */
    int32_t steps; /* inputs of the trace, after the start; -1: there is no trace */
    int32_t replayed; /* 1: without any abstraction the trace ends in the same state, or
                             violates the property;
                             0: it may be one that cannot happen */
    const char *trace; /* the trace for people, a line for each input; or "" */
    const char *script; /* the trace for `wfsm simulate --by-hand`, a line each; or "" */
    const char *start; /* the input of the start, JSON, or "" for none */
} wfsm_verify_diagnostic;

/* The result of one property of the document. */
typedef struct wfsm_verify_property {
    size_t size;
    const char *name; /* in the document */
    const char *kind; /* "never", "leadsTo", … */
    const char *description; /* or "" */
    int32_t verdict; /* enum wfsm_verdict */
    int32_t vacuous; /* 1: it holds, but what it is about never happens */
} wfsm_verify_property;

/* Whether some run took a transition, or had an answer of a guard. */
enum wfsm_seen {
    WFSM_SEEN_NOT_ASKED = 0, /* there is no guard; or `taken` of a branch */
    WFSM_SEEN_ONCE = 1, /* in some run */
    WFSM_SEEN_NEVER = 2, /* in no run */
    WFSM_SEEN_UNKNOWN = 3 /* in no run that was tried; not all were tried */
};

/* The coverage of a transition, or of a branch of the action `choose`. Strings are borrowed from the
 * verification. */
typedef struct wfsm_verify_coverage {
    size_t size;
    const char *state; /* dotted path of the source, "" for the root */
    const char *event; /* as in the document; "" for `always`, and actions of states */
    const char *guard; /* for people; "" for none */
    const char *pointer; /* JSON pointer into the document, to the list that it is part of */
    int32_t line; /* of the pointer, from 1 */
    int32_t column; /* from 1, in bytes */
    int32_t branch; /* 1: a branch of an action `choose` there */
    int32_t taken; /* enum wfsm_seen: the transition was taken */
    int32_t was_true; /* enum wfsm_seen: the guard said yes */
    int32_t was_false; /* enum wfsm_seen: it said no, or could not be evaluated */
    const char *target; /* dotted paths of the targets, joined by ", "; "" for none */
} wfsm_verify_coverage; /* Since 0.1. */

/*
 * Explores the state space. WFSM_OK with *verification new, also when a property is violated or a
 * bound was reached; it holds a reference to the machine. The allocator is the machine's.
 * Fails with INVALID, NO_MEMORY, SYNTAX and SEMANTIC (an input), LIMIT (a start that the
 * document does not survive is a diagnostic, not an error), VERSION (libwfsm is of another
 * release).
 */
WFSM_API int32_t wfsm_verify(wfsm_verification **verification, wfsm_machine *machine,
                             const wfsm_verify_options *options, wfsm_error *error);
/* Frees it; NULL is fine. */
WFSM_API void wfsm_verification_free(wfsm_verification *verification);

/* enum wfsm_verdict of the whole. VIOLATED: there is an error among the diagnostics. UNDECIDED:
 * there is none, and a bound was reached. 0 for NULL. */
WFSM_API int32_t wfsm_verification_verdict(const wfsm_verification *verification);
/* Which bound was reached, one sentence; "" if none was. Borrowed from the verification. */
WFSM_API const char *wfsm_verification_bound(const wfsm_verification *verification);
/* Fills in *counts, whose size you set. INVALID. */
WFSM_API int32_t wfsm_verification_counts(const wfsm_verification *verification,
                                          wfsm_verify_counts *counts);
/* How many diagnostics there are. The next two fill in a struct whose size you set; NOT_FOUND
 * beyond the last, INVALID. The index is from 0. */
WFSM_API size_t wfsm_verification_count(const wfsm_verification *verification);
/* Fills in the index-th diagnostic, errors first, then warnings. */
WFSM_API int32_t wfsm_verification_get(const wfsm_verification *verification, size_t index,
                                       wfsm_verify_diagnostic *diagnostic);
/* The document's properties, in its order. */
WFSM_API int32_t wfsm_verification_property(const wfsm_verification *verification, size_t index,
                                            wfsm_verify_property *property);
/* The coverage of the index-th transition or branch of `choose`. Transitions come first, then branches,
 * both in the order of the document. Initial and history transitions are left out: they have no choice. */
WFSM_API int32_t wfsm_verification_coverage(const wfsm_verification *verification, size_t index,
                                            wfsm_verify_coverage *coverage);
/* The index-th of a small set of runs, from 0, as lines for `wfsm simulate --by-hand`: together they
 * take every transition that the search took, and have every answer that a guard gave there. NULL
 * beyond the last, and without the option `cases`. Borrowed from the verification. Since 0.1. */
WFSM_API const char *wfsm_verification_case(const wfsm_verification *verification,
                                            size_t index);
/* The index-th sentence, from 0, about what was abstracted or left out; NULL beyond the last.
 * Borrowed from the verification. */
WFSM_API const char *wfsm_verification_note(const wfsm_verification *verification,
                                            size_t index);

#ifdef __cplusplus
}
#endif
#endif
