/* The tools of `agentd mcp`, for the agents of a change and for assistants.
 *
 * They read what there is, and write documents that an agent proposes. None decides: a person does, by
 * `agentd approve` and `agentd reject`. */
#ifndef AGENTD_MCP_TOOLS_H
#define AGENTD_MCP_TOOLS_H

#include "place.h"
#include "wfsm/rpc.h"

typedef struct mcp_tools {
    const place *at;
    char *change; /* the only one that can be named; NULL: all can */
    rpc rpc;
} mcp_tools;

/* Both are requests of the protocol, and are answered. */
void mcp_tools_list(mcp_tools *self, const json_t *request);
void mcp_tools_call(mcp_tools *self, const json_t *request, const json_t *params);

#endif
