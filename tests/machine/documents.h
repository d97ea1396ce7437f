/* documents.h: what the tests of machine documents share. */
#ifndef TEST_DOCUMENTS_H
#define TEST_DOCUMENTS_H

#include <stddef.h>
#include <wfsm/machine.h>

/* The whole file, NUL-terminated, to be freed; NULL if there is none. */
char *read_file(const char *folder, const char *name, const char *suffix, size_t *length);

/* Loads a document written with ' for ". Fails the test if that does not work. */
wfsm_machine *load_quoted(const char *text);

/* Checks a document written with ' for ": "LINE:COLUMN rule pointer" of each diagnostic,
 * one on a line. Static; until the next call. */
const char *check_quoted(const char *text);

/* The message of the first error of a document written with ' for ". Static. */
const char *refusal_of(const char *text);
#endif
