/* A machine document as a Mermaid diagram: arrows between the top-level states, with the labels
 * of the document. */
#ifndef AGENTD_GRAPH_H
#define AGENTD_GRAPH_H

#include <jansson.h>
#include <stdio.h>

/* With `additions`, also the transitions that the published diagrams do not have. They look the
 * same, because Mermaid's state diagrams have only one kind of arrow. `here` (or NULL) is a
 * state to mark. */
void graph_print(FILE *out, const json_t *machine, int additions, const char *here);

#endif
