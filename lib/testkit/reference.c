#include "crash.h"
#include "../base/invariant.h"

#include <stdlib.h>
#include <string.h>

bool tk_reference_init(tk_reference *reference, size_t lines)
{
    *reference = (tk_reference){.count = lines};
    reference->lines = calloc(lines + 1, sizeof *reference->lines);
    return reference->lines != NULL;
}

void tk_reference_free(tk_reference *reference)
{
    free(reference->lines);
    tk_text_free(&reference->journal);
    tk_text_free(&reference->final);
    tk_text_free(&reference->effects);
    tk_text_free(&reference->places);
    *reference = (tk_reference){0};
}

void tk_reference_add_effect(tk_reference *reference, const char *effect, size_t length)
{
    size_t place = reference->effects.length;
    tk_text_bytes(&reference->places, (const char *)&place, sizeof place);
    tk_text_bytes(&reference->effects, effect, length);
    tk_text_bytes(&reference->effects, "", 1);
    reference->effect_count++;
    WF_INVARIANT(reference->places.failed ||
                 reference->places.length == reference->effect_count * sizeof place);
}

const char *tk_reference_effect(const tk_reference *reference, uint64_t number)
{
    size_t place;
    if (!number || number > reference->effect_count)
        return NULL;
    memcpy(&place, reference->places.data + (number - 1) * sizeof place, sizeof place);
    return reference->effects.data + place;
}

size_t tk_reference_line(const tk_reference *reference, uint64_t revision)
{
    size_t low = 0, high = reference->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reference->lines[middle].after >= revision)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
