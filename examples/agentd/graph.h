/* A machine document as a Mermaid diagram: its arrows between top-level states, with the words
 * that the document has for them. */
#ifndef AGENTD_GRAPH_H
#define AGENTD_GRAPH_H

#include <jansson.h>
#include <stdio.h>

/* With `additions` also what is beyond the published diagrams, dotted in no way: Mermaid's
 * state diagrams know one kind of arrow. `here` (or NULL) is a state to mark. */
void graph_print(FILE *out, const json_t *machine, int additions, const char *here);

#endif
