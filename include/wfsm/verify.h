/*
 * wfsm/verify.h: everything that can happen to one instance of a machine, tried out: every
 * event that an active state handles, every result and failure of every invocation, every
 * timer in every order that time allows, every answer of the host. The step that is run is
 * the one of production. doc/verification.md says what is abstracted, and what "holds" means.
 * Part of libwfsm-tools.
 */
#ifndef WFSM_VERIFY_H
#define WFSM_VERIFY_H

#include <wfsm/machine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far it has come. */
typedef struct wfsm_verify_counts {
    size_t size;
    uint64_t states; /* different ones */
    uint64_t moves;  /* steps that were run to find them */
    uint64_t depth;  /* inputs on the shortest way to the last of them */
    uint64_t edges;  /* different moves from a state to another */
    uint64_t memory; /* bytes held for all of them */
    uint64_t key_bytes; /* of `memory`: the states' own, all together */
    uint64_t waiting;   /* states whose moves were not tried yet */
    uint64_t changes;   /* moves that changed something */
} wfsm_verify_counts;

/* Told on the way, and at the end of a search that nothing has ended before; on the way
 * anything but 0 ends it there, and nothing more is told. */
typedef int32_t (*wfsm_verify_progress)(void *user, const wfsm_verify_counts *counts);

/* Zero or NULL takes the default. Everything is borrowed for the call. */
typedef struct wfsm_verify_options {
    size_t size;
    uint64_t max_states; /* 10,000,000 */
    uint64_t max_memory; /* bytes, 2 GiB */
    /* A number of the context, or the length of a list, may grow so far beyond what the
     * document itself names: 100. States beyond are not gone on from. */
    uint64_t bound;
    int32_t punctual; /* 1: timers fire when they are due, before anything else happens */
    int32_t restores; /* 1: a checkpoint may be kept at any time, the last one gone back to
                         where the document allows it */
    int32_t first;    /* 1: the first error that is found ends the search */
    int32_t open; /* 1: also events that the document raises by itself come from outside */
    const char *inputs; /* a JSON list of objects: ways to start; NULL: without an input */
    size_t inputs_length; /* bytes of inputs */
    wfsm_verify_progress progress; /* about every 5,000 moves */
    void *user; /* handed to progress */
} wfsm_verify_options;

/* What became of the whole, or of one property. */
enum wfsm_verdict {
    WFSM_HOLDS = 1,    /* everything was tried */
    WFSM_VIOLATED = 2, /* there is a way to break it */
    WFSM_UNDECIDED = 3 /* none was found before a bound was reached */
};
/* "holds", "violated", "undecided". Static. Since 0.1. */
WFSM_API const char *wfsm_verdict_name(int32_t verdict);

/* What came of it: immutable, owned by the caller. */
typedef struct wfsm_verification wfsm_verification;

/* Something that was found, with the shortest way there where there is one. Strings are
 * borrowed from the verification. */
typedef struct wfsm_verify_diagnostic {
    size_t size;
    int32_t severity;     /* 1: an error; 2: a warning; 3: a note */
    const char *rule;     /* "property", "deadlock"; stable words, listed in
                             doc/verification.md */
    const char *property; /* the name of a violated property, or NULL */
    const char *message;  /* one sentence */
    const char *state;    /* dotted path of the state it is about, or "" */
    const char *pointer;  /* JSON pointer into the document, "" if there is no better place */
    int32_t line;         /* of the pointer, from 1 */
    int32_t column;       /* from 1, in bytes */
    int32_t steps;        /* inputs after the start on the way; -1: there is no way to show */
    int32_t replayed;     /* 1: run without any abstraction the way ends the same; 0: it may
                             be one that cannot happen */
    const char *trace;    /* the way for people, a line for each input; or "" */
    const char *script;   /* the way for `wfsm simulate --by-hand`, a line each; or "" */
    const char *start;    /* the input of the start, JSON, or "" for none */
} wfsm_verify_diagnostic;

/* What became of one property of the document. */
typedef struct wfsm_verify_property {
    size_t size;
    const char *name;        /* in the document */
    const char *kind;        /* "never", "leadsTo", … */
    const char *description; /* or "" */
    int32_t verdict;         /* enum wfsm_verdict */
} wfsm_verify_property;

/*
 * Tries out everything. WFSM_OK with *verification new, also when something is violated or a
 * bound was reached; it holds a reference to the machine. The allocator is the machine's.
 * Fails with INVALID, NO_MEMORY, SYNTAX and SEMANTIC (an input), LIMIT (a start that the
 * document does not survive is a diagnostic, not an error), VERSION (libwfsm is of another
 * release). Since 0.1.
 */
WFSM_API int32_t wfsm_verify(wfsm_verification **verification, wfsm_machine *machine,
                             const wfsm_verify_options *options, wfsm_error *error);
/* Frees it; NULL is fine. */
WFSM_API void wfsm_verification_free(wfsm_verification *verification);

/* VIOLATED: there is an error among the diagnostics. UNDECIDED: there is none, and a bound was
 * reached. Since 0.1. */
WFSM_API int32_t wfsm_verification_verdict(const wfsm_verification *verification);
/* Which bound was reached, one sentence; "" if none was. */
WFSM_API const char *wfsm_verification_bound(const wfsm_verification *verification);
/* Fills in *counts, its size set by the caller. */
WFSM_API int32_t wfsm_verification_counts(const wfsm_verification *verification,
                                          wfsm_verify_counts *counts);
/* How many diagnostics there are. The next two fill in a struct whose size the caller set; NOT_FOUND
 * beyond the last. */
WFSM_API size_t wfsm_verification_count(const wfsm_verification *verification);
/* Fills in the index-th diagnostic, errors first, then warnings. */
WFSM_API int32_t wfsm_verification_get(const wfsm_verification *verification, size_t index,
                                       wfsm_verify_diagnostic *diagnostic);
/* The document's properties, in its order. */
WFSM_API int32_t wfsm_verification_property(const wfsm_verification *verification, size_t index,
                                            wfsm_verify_property *property);
/* The index-th sentence about what was abstracted or left out; NULL beyond the last. */
WFSM_API const char *wfsm_verification_note(const wfsm_verification *verification,
                                            size_t index);

#ifdef __cplusplus
}
#endif
#endif
