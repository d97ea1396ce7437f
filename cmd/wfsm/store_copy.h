/* store_copy.h: `wfsm store copy`, which copies many instances one after the other. */
#ifndef WFSM_STORE_COPY_H
#define WFSM_STORE_COPY_H

#include "wfsm/many.h"

/* The exit code. `ids` are those to copy; with none, all whose ids begin with `prefix` (or NULL). */
int store_copy(const char *from, const char *to, many *ids, const char *prefix);
#endif
