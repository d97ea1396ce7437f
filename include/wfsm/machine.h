/*
 * wfsm/machine.h: definitions. A machine is compiled once from a JSON document (XState v5's
 * vocabulary, W3C SCXML's algorithm; see doc/machine-format.md), is immutable afterwards and
 * may be shared by threads: its reference count is atomic.
 */
#ifndef WFSM_MACHINE_H
#define WFSM_MACHINE_H

#include <wfsm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled document. Immutable, and shared by reference counts, which are atomic. */
typedef struct wfsm_machine wfsm_machine;

/* Bounds of loading; 0 takes the default. */
typedef struct wfsm_machine_limits {
    size_t size;
    uint64_t max_bytes;  /* of the text, 64 MiB */
    uint32_t max_states; /* 100,000 */
    uint32_t max_depth;  /* of nested states, 1,000 */
} wfsm_machine_limits;

/*
 * Compiles `text`. On success *machine is new (one reference). limits and allocator may be
 * NULL. Fails with SYNTAX, SEMANTIC (the error names JSON pointer, line and column, and what
 * was expected), LIMIT, NO_MEMORY, INVALID. Nothing that is not understood is ignored.
 */
WFSM_API int32_t wfsm_machine_load(wfsm_machine **machine, const char *text, size_t length,
                                   const wfsm_machine_limits *limits,
                                   const wfsm_allocator *allocator, wfsm_error *error);

/* One reference more; returns its argument. Thread-safe. */
WFSM_API wfsm_machine *wfsm_machine_ref(wfsm_machine *machine);
/* One reference less; the last frees. Thread-safe. NULL is fine. */
WFSM_API void wfsm_machine_unref(wfsm_machine *machine);

/* Borrowed for the life of the machine. */
WFSM_API const char *wfsm_machine_id(const wfsm_machine *machine);
/* "" when the document has none. */
WFSM_API const char *wfsm_machine_version(const wfsm_machine *machine);
/* 64 lower-case hexadecimal digits: BLAKE2b-256 (RFC 7693) of the document without
 * description, meta, properties and $schema, order kept, insignificant space removed. */
WFSM_API const char *wfsm_machine_fingerprint(const wfsm_machine *machine);
/* The document, as it was given. Borrowed. */
WFSM_API const char *wfsm_machine_document(const wfsm_machine *machine, size_t *length);

/* How many states there are, the root among them. They are numbered in document order; 0 is
 * the root, whose path is "". */
WFSM_API size_t wfsm_machine_state_count(const wfsm_machine *machine);
/* The dotted path of the index-th state; NULL beyond the end. Borrowed for the life of the
 * machine. */
WFSM_API const char *wfsm_machine_state_path(const wfsm_machine *machine, size_t index);

/* The number of an event that the document names, for wfsm_instance_send_number(); -1 for
 * any other. Good for machines of the same fingerprint. */
WFSM_API int32_t wfsm_machine_event(const wfsm_machine *machine, const char *name);

/*
 * Lint: everything that is wrong with a document, and what is suspicious about it.
 * Severity is 1 for an error (the document cannot be loaded) and 2 for a warning.
 */
typedef struct wfsm_diagnostics wfsm_diagnostics;

/* One of them. Strings are borrowed from the diagnostics. */
typedef struct wfsm_diagnostic {
    size_t size;
    int32_t severity;      /* 1: an error; 2: a warning */
    int32_t line;          /* of the text, from 1 */
    int32_t column;        /* from 1, in bytes */
    const char *rule;      /* "unreachable-state"; stable words, listed in doc/lint.md */
    const char *message;   /* one sentence */
    const char *pointer;   /* JSON pointer */
} wfsm_diagnostic;

/* On WFSM_OK *diagnostics is new, in order of the text. A document that is not even JSON is
 * one diagnostic of rule "syntax". Fails only with NO_MEMORY and INVALID. */
WFSM_API int32_t wfsm_machine_check(wfsm_diagnostics **diagnostics, const char *text,
                                    size_t length, const wfsm_allocator *allocator,
                                    wfsm_error *error);
/* How many there are. */
WFSM_API size_t wfsm_diagnostics_count(const wfsm_diagnostics *diagnostics);
/* Fills in *diagnostic (its size set by the caller); strings are borrowed from diagnostics. */
WFSM_API int32_t wfsm_diagnostics_get(const wfsm_diagnostics *diagnostics, size_t index,
                                      wfsm_diagnostic *diagnostic);
/* Frees them; NULL is fine. */
WFSM_API void wfsm_diagnostics_free(wfsm_diagnostics *diagnostics);

/* What a document names and its host supplies. */
enum wfsm_uses {
    WFSM_USES_GUARDS = 1, /* host guards */
    WFSM_USES_ACTIONS = 2, /* host functions among the actions */
    WFSM_USES_AGENTS = 3  /* agents that it may invoke */
};

/* The index-th of these names, each once; NULL beyond the last. `kind` is an enum wfsm_uses.
 * Borrowed for the life of the machine. */
WFSM_API const char *wfsm_machine_uses(const wfsm_machine *machine, int32_t kind, size_t index);

/*
 * Builder: the same document by calls. Every piece of data is JSON text in the vocabulary of
 * the document, so that a builder has nothing of its own to learn or to get wrong.
 * States are addressed by dotted path; parents must exist.
 */
typedef struct wfsm_builder wfsm_builder;

/* *builder is new, for a machine of this id; freed by wfsm_builder_free(). */
WFSM_API int32_t wfsm_builder_new(wfsm_builder **builder, const char *machine_id,
                                  const wfsm_allocator *allocator, wfsm_error *error);
/* Frees it; NULL is fine. The machines that it made stay. */
WFSM_API void wfsm_builder_free(wfsm_builder *builder);
/* Adds a state. type is NULL, "parallel", "final" or "history". */
WFSM_API int32_t wfsm_builder_state(wfsm_builder *builder, const char *path, const char *type,
                                    wfsm_error *error);
/* Sets one key of a state ("" is the root) to a JSON value: "initial", "entry", "tags", … */
WFSM_API int32_t wfsm_builder_set(wfsm_builder *builder, const char *path, const char *key,
                                  const char *json, size_t length, wfsm_error *error);
/* Appends a transition (JSON: a target string or an object) for an event descriptor. */
WFSM_API int32_t wfsm_builder_on(wfsm_builder *builder, const char *path, const char *event,
                                 const char *json, size_t length, wfsm_error *error);
/* Compiles what was built; the builder stays usable. *machine is new. */
WFSM_API int32_t wfsm_builder_machine(wfsm_builder *builder, wfsm_machine **machine,
                                      wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
