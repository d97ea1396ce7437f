/* asked.h: the questions to people in a store: outstanding invocations whose agent is a person. */
#ifndef WFSM_ASKED_H
#define WFSM_ASKED_H

#include <jansson.h>
#include "wfsm/stored.h"

/* Those of one instance, an array of what wfsm_instance_invocations() tells of them; new, NULL
 * when the instance cannot be loaded, which was said. */
json_t *asked_of(wfsm_store *store, const stored_head *head);
/* The one with this id, borrowed; NULL if it is not there. */
const json_t *asked_find(const json_t *asked, const char *invocation);
/* A member's text, "" if it has none. */
const char *asked_text(const json_t *object, const char *key);
/* Votes so far that approve, or that do not. */
size_t asked_votes(const json_t *asked, const char *decision);
/* How many it takes: `key` is quorum or rejections. */
json_int_t asked_count(const json_t *asked, const char *key);
#endif
