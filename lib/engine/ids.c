/* engine/ids.c: what an agent's name and an invocation's id say. */
#include "engine/ids.h"

#include <string.h>

/* An instance's id may itself hold slashes, so the last two are looked for. */
size_t wf_instance_part(const char *invocation)
{
    size_t length = strlen(invocation);

    for (int slashes = 0; slashes < 2 && length > 0; slashes++) {
        while (length > 0 && invocation[length - 1] != '/')
            length--;
        length -= length > 0;
    }
    return length;
}
