/* sarif.h: SARIF 2.1.0, for tools that show reviews. */
#ifndef WFSM_SARIF_H
#define WFSM_SARIF_H

#include <jansson.h>

/* A place in a file, as a member of "locations". Lines and columns below 1 count as 1. The column counts bytes, and
 * becomes one that counts characters. */
json_t *sarif_location(const char *file, int line, int column);
/* The whole: one run of a tool. Its rules are those that the results name. Takes `run` (the member
 * of "invocations") and the results away. */
json_t *sarif_whole(const char *tool, json_t *run, json_t *results);
#endif
