/* The configuration that `coordinator init` writes. */
#ifndef INIT_TEXT_H
#define INIT_TEXT_H

#include "shared/text.h"

enum { ROLES = 3 };
extern const char *const role_names[ROLES]; /* coder, reviewer, tester */

/* The whole file, for a kind of program for each role. -1 when out of memory. */
int init_text_make(host_text *text, const char *const kinds[ROLES]);
/* The lines for .gitignore; the list ends with NULL. */
extern const char *const ignored_lines[];

#endif
