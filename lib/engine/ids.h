/* engine/ids.h: what an agent's name and an invocation's id say. */
#ifndef WF_ENGINE_IDS_H
#define WF_ENGINE_IDS_H

#include <stddef.h>

/* The length of the instance's id in an invocation's id, "INSTANCE/REVISION/ORDINAL-INCARNATION". */
size_t wf_instance_part(const char *invocation);
#endif
