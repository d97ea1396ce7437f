/* The programs that are known. */
#include <string.h>

#include "coding.h"

const wfa_coding_kind *wfa_coding_kind_named(const char *name)
{
    static const wfa_coding_kind *const kinds[] = {&wfa_coding_claude, &wfa_coding_codex,
                                                   &wfa_coding_gemini};
    size_t index;

    for (index = 0; index < sizeof kinds / sizeof kinds[0]; index++)
        if (strcmp(kinds[index]->name, name) == 0)
            return kinds[index];
    return NULL;
}
