/* The local agents of the documents: what agentd itself does in a change's folder.
 *
 *     look      what is there, for the agent that is asked next
 *     save      writes the proposer's files
 *     report    writes CHALLENGE.md or REVIEW.md, and reads its verdict
 *     validate  the format of proposal.md, and small repairs
 *     archive   the four steps of the archive
 *
 * Each may be killed at any instant and begun again: a file that holds already what is to be
 * written is as it should be. */
#ifndef AGENTD_BUILTIN_H
#define AGENTD_BUILTIN_H

#include <jansson.h>
#include <wfsm/engine.h>

#include "place.h"

/* Adds them all; the place is borrowed and must outlive the engine. */
int32_t builtin_add(wfsm_engine *engine, const place *at, wfsm_error *error);

/* ---- for its own files ---- */

/* One piece of work: a new object, or NULL and an error. The input is borrowed. */
typedef json_t *(*builtin_work)(const place *at, const char *id, const json_t *input,
                                int64_t now, host_error *error);

json_t *builtin_look(const place *at, const char *id, const json_t *input, int64_t now,
                     host_error *error);
json_t *builtin_save(const place *at, const char *id, const json_t *input, int64_t now,
                     host_error *error);
json_t *builtin_report(const place *at, const char *id, const json_t *input, int64_t now,
                       host_error *error);
json_t *builtin_validate(const place *at, const char *id, const json_t *input, int64_t now,
                         host_error *error);
json_t *builtin_archive(const place *at, const char *id, const json_t *input, int64_t now,
                        host_error *error);

/* A text to be written: a path below the change's folder, and what is in it. */
typedef struct builtin_text {
    const char *path, *text;
    size_t length;
} builtin_text;

/* Writes the texts, all or, where one would be written over that a person has edited, none:
 * then *edited, a new array, has their paths. *digests is new: `known` with those of the
 * texts. */
int builtin_write(const place *at, const char *id, const builtin_text *texts, size_t count,
                  const json_t *known, int overwrite, json_t **digests, json_t **edited,
                  host_error *error);

#endif
