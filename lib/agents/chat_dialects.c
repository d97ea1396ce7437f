/* The dialects that there are, by name. */
#include "chat.h"

#include <string.h>

static const wfa_dialect *const dialects[] = {&wfa_anthropic, &wfa_openai};

const wfa_dialect *wfa_dialect_find(const char *name)
{
    size_t index;

    for (index = 0; index < sizeof dialects / sizeof *dialects; index++)
        if (strcmp(dialects[index]->name, name) == 0)
            return dialects[index];
    return NULL;
}
