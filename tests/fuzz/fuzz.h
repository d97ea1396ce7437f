/* Shared by the fuzz targets. Each is one fuzz_*.c with LLVMFuzzerTestOneInput. A law that does
 * not hold ends the process, as libFuzzer expects. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "fuzz_entry.h"
#include "logic/json.h"
#include "base/digest.h"
#include "step/snapshot.h"

/* Ends the process with a message unless `holds`. */
void fuzz_expect(bool holds, const char *law);

/* Both texts are printed when they differ. */
void fuzz_same(const char *left, const char *right, const char *law);
/* The library's own text was read; the error and the text are printed if not. */
void fuzz_accept(bool read, const wfsm_error *error, const char *text);

/* A parsed document and what it lives in. */
typedef struct fuzz_json {
    wfsm_allocator allocator;
    wf_arena arena;
    wf_value value;
} fuzz_json;
/* False (and nothing to free) when the bytes are no JSON. */
bool fuzz_parse(fuzz_json *out, const uint8_t *data, size_t size);
void fuzz_drop(fuzz_json *json);

/* As JSON text, NUL-terminated, freed by the caller. */
char *fuzz_text(const wf_value *value);
char *fuzz_snapshot_text(const wf_snapshot *snapshot);

/* All instances here have this id, and digests of no record. */
#define FUZZ_ID "one"
extern const char fuzz_digest[WF_DIGEST_HEX];
/* Into a snapshot that is initialised here; false: refused, *error says why. */
bool fuzz_read(wf_snapshot *snapshot, wfsm_machine *machine, const wfsm_allocator *allocator,
               const char *text, size_t length, wfsm_error *error);

/* What is decoded is legal, and writing and reading it again gives the same bytes. */
void fuzz_check_snapshot(const wf_snapshot *snapshot);
/* Active states form a tree with one child of each compound and all of each parallel one. */
bool fuzz_legal(const wf_snapshot *snapshot);
#endif
