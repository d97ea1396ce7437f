/* draw/rule_text.h: rules as people write them. */
#ifndef WF_DRAW_RULE_TEXT_H
#define WF_DRAW_RULE_TEXT_H

#include "base/buffer.h"
#include "logic/value.h"

/*
 * Appends a JsonLogic rule as one line of infix text: {"===": [{"var": "context.n"}, 3]} is
 * `context.n === 3`. What has no short form stays JSON; what nests too deep for a reader is
 * "…". For people only: it is not read back.
 */
void wf_rule_text(wf_buffer *out, const wf_value *rule);
#endif
