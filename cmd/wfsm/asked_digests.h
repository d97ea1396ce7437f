/* asked_digests.h: what the records of a journal ask people, as the digests that votes name. */
#ifndef WFSM_ASKED_DIGESTS_H
#define WFSM_ASKED_DIGESTS_H

#include <jansson.h>
#include "wfsm/cli.h"

/* Adds the digest of the input of each invocation that begins with this record. `record` is what `text`
 * says, an object. */
void asked_digests_add(json_t *digests, const json_t *record, const char *text);
/* Those of the invocation with this id; NULL if it began with no record that was added. */
const char *asked_digests_of(const json_t *digests, const char *instance,
                             const char *invocation);
/* Whether the id is one of this instance; *revision is that of the record with which it began. */
bool asked_is_of(const char *instance, const char *invocation, json_int_t *revision);
#endif
