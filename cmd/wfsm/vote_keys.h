/* vote_keys.h: the public keys of people, and the votes of a journal that they signed. */
#ifndef WFSM_VOTE_KEYS_H
#define WFSM_VOTE_KEYS_H

#include <jansson.h>
#include "wfsm/cli.h"

/* Reads a file with a line "NAME KEY" for each key; a person may have several. Empty lines and lines
 * that begin with '#' are skipped. {NAME: [KEY, …]}, or NULL after printing an error. */
json_t *vote_keys_read(const char *path);

/* The vote in a record if it was counted: {revision, time, invocation, by, decision, digest,
 * verdict, reason?, signed?}, borrowed from the record but for the first two; else NULL. New. */
json_t *vote_counted(const json_t *record);

enum { VOTE_WHY_BYTES = 600 };
/* True if one of the keys of the voter has signed the vote. Otherwise `why` is a sentence. */
bool vote_is_signed(const json_t *keys, const char *instance, const json_t *vote,
                    char why[VOTE_WHY_BYTES]);
#endif
