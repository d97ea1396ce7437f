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

/* Limits of loading. Set `size`; 0 takes the default. */
typedef struct wfsm_machine_limits {
    size_t size;
    uint64_t max_bytes;  /* of the text, 64 MiB */
    uint32_t max_states; /* 100,000 */
    uint32_t max_depth;  /* of nested states, 1,000 */
} wfsm_machine_limits;

/*
 * Compiles `text`, a document of `length` bytes, which is borrowed for the call. On WFSM_OK
 * *machine is new, and you give it back with wfsm_machine_unref(). limits and allocator may be
 * NULL. A key or value that is not understood is an error, and never ignored. INVALID: an
 * argument is NULL, or limits or allocator are not complete. SYNTAX: the text is not JSON.
 * SEMANTIC: it is not a machine; the error has the JSON pointer, line and column, and names the
 * expected value. LIMIT: the text is larger or deeper than the limits allow. NO_MEMORY.
 */
WFSM_API int32_t wfsm_machine_load(wfsm_machine **machine, const char *text, size_t length,
                                   const wfsm_machine_limits *limits,
                                   const wfsm_allocator *allocator, wfsm_error *error);

/* Takes one more reference, and returns its argument, which may be NULL. Thread-safe. */
WFSM_API wfsm_machine *wfsm_machine_ref(wfsm_machine *machine);
/* Gives one reference back. The last one frees the machine. Thread-safe. NULL is fine. */
WFSM_API void wfsm_machine_unref(wfsm_machine *machine);

/* Questions. Texts are borrowed while the machine lives. */
/* The id of the document. */
WFSM_API const char *wfsm_machine_id(const wfsm_machine *machine);
/* The `version` of the document; "" if it has none. */
WFSM_API const char *wfsm_machine_version(const wfsm_machine *machine);
/* 64 lower-case hexadecimal digits: BLAKE2b-256 (RFC 7693) of the document without
 * description, meta, properties and $schema, order kept, insignificant space removed. */
WFSM_API const char *wfsm_machine_fingerprint(const wfsm_machine *machine);
/* The document, byte for byte as it was given. */
WFSM_API const char *wfsm_machine_document(const wfsm_machine *machine, size_t *length);

/* How many states there are, the root among them. They are numbered in document order; 0 is
 * the root, whose path is "". */
WFSM_API size_t wfsm_machine_state_count(const wfsm_machine *machine);
/* The dotted path of the index-th state, from 0; NULL beyond the last. */
WFSM_API const char *wfsm_machine_state_path(const wfsm_machine *machine, size_t index);

/* The number of an event that the document names, for wfsm_instance_send_number(); -1 for any other
 * name, and for NULL. Machines of the same fingerprint have the same numbers. */
WFSM_API int32_t wfsm_machine_event(const wfsm_machine *machine, const char *name);

/*
 * Lint: everything that is wrong with a document, and what is suspicious about it.
 * Severity is 1 for an error (the document cannot be loaded), 2 for a warning, and 3 for a note: what
 * other implementations of JsonLogic answer differently.
 */
typedef struct wfsm_diagnostics wfsm_diagnostics;

/* One diagnostic. Strings are borrowed from the diagnostics. */
typedef struct wfsm_diagnostic {
    size_t size;
    int32_t severity; /* 1: an error; 2: a warning; 3: a note */
    int32_t line; /* of the text, from 1 */
    int32_t column; /* from 1, in bytes */
    const char *rule; /* "unreachable-state"; stable words, listed in doc/lint.md */
    const char *message; /* one sentence */
    const char *pointer; /* JSON pointer */
} wfsm_diagnostic;

/* Checks a document, which is borrowed for the call. On WFSM_OK *diagnostics is new, in the
 * order of the text, and you free it with wfsm_diagnostics_free(). A text that is not JSON is
 * one diagnostic of rule "syntax", and one that is larger than the default limits is one of
 * rule "limit". INVALID: an argument is NULL, or the allocator is not complete. NO_MEMORY. */
WFSM_API int32_t wfsm_machine_check(wfsm_diagnostics **diagnostics, const char *text,
                                    size_t length, const wfsm_allocator *allocator,
                                    wfsm_error *error);
/* How many there are. */
WFSM_API size_t wfsm_diagnostics_count(const wfsm_diagnostics *diagnostics);
/* Fills in *diagnostic, whose size you set, with the index-th diagnostic, from 0. NOT_FOUND beyond
 * the last; INVALID. */
WFSM_API int32_t wfsm_diagnostics_get(const wfsm_diagnostics *diagnostics, size_t index,
                                      wfsm_diagnostic *diagnostic);
/* Frees them; NULL is fine. */
WFSM_API void wfsm_diagnostics_free(wfsm_diagnostics *diagnostics);

/* What a document names and its host supplies. */
enum wfsm_uses {
    WFSM_USES_GUARDS = 1, /* host guards */
    WFSM_USES_ACTIONS = 2, /* host functions among the actions */
    WFSM_USES_AGENTS = 3 /* agents that it may invoke */
};

/* The index-th of these names, from 0, each once; NULL beyond the last, and for any other kind.
 * `kind` is an enum wfsm_uses. Borrowed while the machine lives. */
WFSM_API const char *wfsm_machine_uses(const wfsm_machine *machine, int32_t kind, size_t index);

/* Bounds of the key `attributes` of a document: how many there are, the bytes of a name, and the bytes
 * of a string that is the value of one. Since 0.1. */
enum { WFSM_ATTRIBUTES = 16, WFSM_ATTRIBUTE_NAME = 64, WFSM_ATTRIBUTE_BYTES = 255 };

/* How long a store keeps ended instances of a document, and how many records: the key `retention` of
 * the document. wfsm_store_sweep() applies it. Since 0.1. */
typedef struct wfsm_retention {
    size_t size;
    int64_t after_ms; /* how long after its end an instance goes; WFSM_NEVER: it stays */
    uint64_t records; /* compaction keeps at least so many, the last ones; 0: none is done */
    int32_t removes; /* such an instance is 1: removed; 0: archived */
} wfsm_retention;

/* Fills in what the document says. The caller sets `size`. INVALID: an argument is NULL, or the size is not
 * set. Since 0.1. */
WFSM_API int32_t wfsm_machine_retention(const wfsm_machine *machine, wfsm_retention *retention);

/*
 * Builder: the same document by calls. Every piece of data is JSON text in the vocabulary of the
 * document (doc/machine-format.md), and is copied. States are addressed by dotted path; "" is the
 * root. What a piece means is checked by wfsm_builder_machine(). Belongs to one thread at a time.
 */
typedef struct wfsm_builder wfsm_builder;

/* *builder is new, for a machine of this id, 1 to 255 bytes of UTF-8; you free it with
 * wfsm_builder_free(). INVALID, NO_MEMORY. */
WFSM_API int32_t wfsm_builder_new(wfsm_builder **builder, const char *machine_id,
                                  const wfsm_allocator *allocator, wfsm_error *error);
/* Frees it; NULL is fine. The machines that it made stay. */
WFSM_API void wfsm_builder_free(wfsm_builder *builder);
/* Adds a state below its parent, which must be there. type is "parallel", "final" or "history";
 * NULL: an atomic or compound state. INVALID: the path does not end in a key, or there is no such
 * type. EXISTS: the state is there. NOT_FOUND: its parent is not. NO_MEMORY. */
WFSM_API int32_t wfsm_builder_state(wfsm_builder *builder, const char *path, const char *type,
                                    wfsm_error *error);
/* Sets one key of a state to a JSON value: "initial", "entry", "tags", … A second call replaces the
 * value. INVALID: an argument is NULL, or the key is "states". NOT_FOUND: there is no such state.
 * SYNTAX, LIMIT: json is not JSON, or too deep. EXISTS: the key is "on", and wfsm_builder_on() was
 * called for this state. NO_MEMORY. */
WFSM_API int32_t wfsm_builder_set(wfsm_builder *builder, const char *path, const char *key,
                                  const char *json, size_t length, wfsm_error *error);
/* Appends a transition for an event descriptor: JSON, a target or an object. INVALID, NOT_FOUND,
 * SYNTAX, LIMIT, NO_MEMORY as wfsm_builder_set(). EXISTS: the state's "on" was set. */
WFSM_API int32_t wfsm_builder_on(wfsm_builder *builder, const char *path, const char *event,
                                 const char *json, size_t length, wfsm_error *error);
/* Compiles what was built. *machine is new, as after wfsm_machine_load(), which also has the
 * errors; they have a pointer, but no line. The builder can be used further. */
WFSM_API int32_t wfsm_builder_machine(wfsm_builder *builder, wfsm_machine **machine,
                                      wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
