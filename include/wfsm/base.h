/*
 * wfsm/base.h: what every other header needs: export macro, statuses, errors,
 * the allocator and the version.
 *
 * Conventions of the whole interface
 * - Every call that can fail returns a status (int32_t, WFSM_OK is 0). What became of an
 *   event is an out-parameter (an outcome), never a status.
 * - Text that is JSON crosses as (const char *, size_t) in UTF-8. Names and ids are
 *   NUL-terminated UTF-8 of 1 to 255 bytes.
 * - Results are borrowed: they stay valid until the next call on the same handle.
 * - Times are milliseconds since an epoch that the host chooses, never negative.
 * - Public structs begin with `size_t size`. Set it to sizeof before you pass the struct.
 *   Structs grow only at the end, and members beyond `size` count as zero.
 * - Every free function takes NULL. Every `error` may be NULL. A call that returns a status
 *   answers INVALID if its handle is NULL. A query then answers NULL, 0, or what its declaration
 *   says. The `length` of a text that a query returns may be NULL.
 * A declaration says since which release it exists only if that is not the first one, 0.1.
 */
#ifndef WFSM_BASE_H
#define WFSM_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
/* What the library exports. */
#define WFSM_API __attribute__((visibility("default")))
#else
#define WFSM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Statuses. The numbers are part of the ABI and are never reused.
 * wfsm_status_name() gives the word for each.
 */
enum wfsm_status {
    WFSM_OK = 0,
    WFSM_NO_MEMORY = 1,    /* an allocation failed; every object is as it was */
    WFSM_INVALID = 2,      /* an argument is NULL, out of range or of the wrong size */
    WFSM_SYNTAX = 3,       /* text is not JSON, or not UTF-8, or too deep or too large */
    WFSM_SEMANTIC = 4,     /* JSON is well formed, but not what was expected there */
    WFSM_NOT_FOUND = 5,    /* no such instance, checkpoint, machine, invocation, name */
    WFSM_EXISTS = 6,       /* such an id is already there */
    WFSM_BUSY = 7,         /* called from inside a callback of the same object */
    WFSM_CONFLICT = 8,     /* the store holds another revision or owner; nothing was written;
                              the instance is sealed until it is loaded again */
    WFSM_STORE_FAILED = 9, /* the store wrote nothing; every object is as it was */
    WFSM_STORE_UNKNOWN = 10, /* the store's answer was lost; sealed until loaded again */
    WFSM_SEALED = 11,      /* sealed by an earlier CONFLICT or UNKNOWN: load it again */
    WFSM_CORRUPT = 12,     /* stored bytes are not what was stored */
    WFSM_VERSION = 13,     /* a newer format or schema than this library knows, or
                              a companion library of another release */
    WFSM_LIMIT = 14,       /* a bound was reached: depth, steps, size, count */
    WFSM_DENIED = 15,      /* the document or the state of things forbids it */
    WFSM_IO = 16, /* the operating system refused (companion libraries and hosts only) */
    WFSM_HOST = 17 /* a host callback returned a failure */
};

/* The name of a status, "OK" or "NO_MEMORY"; "?" for an unknown number. Static. */
WFSM_API const char *wfsm_status_name(int32_t status);

/* Where an instance stands. */
enum wfsm_instance_status {
    WFSM_RUNNING = 1, /* takes inputs */
    WFSM_DONE = 2 /* reached a final state of the root; takes no input any more */
};

/* A time that never comes: no deadline. */
#define WFSM_NEVER INT64_MAX

/* Through which interface an input came. The host asserts it; wfsm does not find it out. */
enum wfsm_interface {
    WFSM_INTERFACE_ENGINE = 1, /* a call of the program that runs the instance */
    WFSM_INTERFACE_POST = 2, /* a post of another program */
    WFSM_INTERFACE_COMMAND = 3, /* a command that a person typed */
    WFSM_INTERFACE_PAGE = 4, /* a page in a browser */
    WFSM_INTERFACE_API = 5 /* an API that the host offers to programs */
};

/* What became of an input. Out-parameters are int32_t. */
enum wfsm_outcome {
    WFSM_TAKEN = 1,         /* at least one transition was taken, or the input did its work */
    WFSM_NO_TRANSITION = 2, /* nothing handles it here; nothing changed */
    WFSM_BLOCKED = 3,       /* a guard refused: wfsm_instance_blocked(); nothing changed */
    WFSM_FAILED = 4,        /* consumed, but the step failed; the record says so */
    WFSM_ENDED = 5,         /* taken, and the instance has ended; or it had ended before */
    WFSM_DUPLICATE = 6,     /* an event of this id is recorded already; nothing changed */
    WFSM_STALE = 7, /* no such invocation or attempt is outstanding; nothing changed */
    WFSM_STARTED = 8, /* the instance started */
    WFSM_RETRY = 9, /* the invocation failed and waits for its next attempt */
    WFSM_QUEUED = 10 /* a round of the engine is out; the next one takes the input */
};
/* "taken", "no_transition", "blocked", "failed", "ended", "duplicate", "stale", "started",
 * "retry", "queued". Static. */
WFSM_API const char *wfsm_outcome_name(int32_t outcome);

/* The version of the library at run time, "MAJOR.MINOR.PATCH". Static. */
WFSM_API const char *wfsm_version(void);
/* The ABI, which is the number in the soname: that of these headers, and that of the library at
 * run time. A program works with every library whose number is the one it was built with. */
#define WFSM_ABI_VERSION 1
/* WFSM_ABI_VERSION of the library at run time. */
WFSM_API int32_t wfsm_abi_version(void);
/* How the library was built: the index-th of the strings "NAME=VALUE". The names are stable:
 * "compiler", "pointer_bits", "assertions" (0 or 1), "sanitizers" ("" or their names). NULL
 * beyond the last. Static. */
WFSM_API const char *wfsm_build_option(size_t index);

/* What a text becomes part of. */
enum wfsm_escape {
    WFSM_ESCAPE_LINE = 0, /* one line of a terminal or a log */
    WFSM_ESCAPE_TEXT =
        1, /* several lines: line feeds and tabs stay. JSON stays JSON of the same
                             value */
    WFSM_ESCAPE_HTML = 2 /* the text or an attribute of HTML or SVG; line feeds and tabs stay */
};
/*
 * Writes a text that comes from outside as it can be shown. Each character that acts on a terminal or
 * turns the text around it becomes "\u" and four digits: C0 and C1 controls, DEL, bidi controls and
 * marks, line and paragraph separators. Bytes that are no UTF-8 become "\ufffd". HTML's &, <, >, " and '
 * become character references. `form` is an enum wfsm_escape; others count as LINE.
 *
 * Returns the bytes of the whole result without its NUL, also if `room` is too small: then the result
 * is cut between two characters. It always ends with a NUL, unless room is 0; out may then be NULL. A
 * NULL text counts as "".
 */
WFSM_API size_t wfsm_text_escape(int32_t form, const char *text, size_t length, char *out,
                                 size_t room);

/* Bytes of a digest in hexadecimal, with its NUL. */
#define WFSM_DIGEST_SIZE 65
/* Computes the digest that the library itself uses, BLAKE2b with 256 bits, of `length` bytes.
 * Use it for the subject of an approval, or to recognise anything else. digest has room for
 * WFSM_DIGEST_SIZE bytes. INVALID for NULL. */
WFSM_API int32_t wfsm_digest(const char *bytes, size_t length, char *digest);

/*
 * Memory. All three must be set, or the whole pointer NULL for the C library's.
 * `resize` is realloc; block may be NULL. `release` takes NULL. The struct is copied;
 * `user` must outlive every object made with it.
 */
typedef struct wfsm_allocator {
    size_t size;
    void *user; /* handed to all three */
    void *(*allocate)(void *user, size_t bytes); /* malloc; NULL: out of memory */
    void *(*resize)(void *user, void *block, size_t bytes); /* realloc */
    void (*release)(void *user, void *block); /* free */
} wfsm_allocator;

/*
 * What went wrong, and where. The caller makes it once and can reuse it for any number of
 * calls; filling it in never allocates. A successful call leaves it as it was.
 */
typedef struct wfsm_error wfsm_error;

/* New, and empty; you free it with wfsm_error_free(). NULL: out of memory, or the allocator is not
 * complete. */
WFSM_API wfsm_error *wfsm_error_new(const wfsm_allocator *allocator);
/* Frees it; NULL is fine. */
WFSM_API void wfsm_error_free(wfsm_error *error);
/* The status of the last failure; WFSM_OK before any, and for NULL. */
WFSM_API int32_t wfsm_error_status(const wfsm_error *error);
/* The message: one sentence without a full stop, of at most 511 bytes. It names the fault and what
 * was expected. "" before any failure, and for NULL. Borrowed until the error is filled in
 * again. */
WFSM_API const char *wfsm_error_message(const wfsm_error *error);
/* JSON pointer (RFC 6901) to the place; "" for the whole, when there is none, and for NULL.
 * Borrowed as the message is. */
WFSM_API const char *wfsm_error_pointer(const wfsm_error *error);
/* Line in the text, from 1; 0 when unknown. */
WFSM_API int32_t wfsm_error_line(const wfsm_error *error);
/* The column to wfsm_error_line(), from 1, in bytes; 0 when unknown. */
WFSM_API int32_t wfsm_error_column(const wfsm_error *error);
/* For authors of stores and agents: fills it in, and returns `status`. message is copied, and cut
 * at 511 bytes; NULL: "". error may be NULL. */
WFSM_API int32_t wfsm_error_set(wfsm_error *error, int32_t status, const char *message);

#ifdef __cplusplus
}
#endif
#endif
