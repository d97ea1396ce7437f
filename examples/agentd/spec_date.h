/* The date of an archived spec: the key "archived" of its front matter. */
#ifndef AGENTD_SPEC_DATE_H
#define AGENTD_SPEC_DATE_H

#include <stddef.h>

#include "shared/text.h"

/* Adds the text to `to`, with "archived: DATE" in its front matter. It replaces an existing
 * key, or is the last key, or gets a front matter of its own. All other bytes stay. -1: out of
 * memory. */
int spec_date(host_text *to, const char *text, size_t length, const char *date);

#endif
