/* logic/schema_place.c: places and errors, for every reader of a keyword. */
#include "logic/schema_compile.h"

int32_t wf_schema_full(const wf_schema_compiler *c)
{
    return wf_arena_error(c->arena, c->error);
}

int32_t wf_schema_expected(const wf_schema_compiler *c, const wf_place *at, const char *what)
{
    return wf_fail_at(c->error, at, WFSM_SEMANTIC, "expected %s", what);
}

const wf_place *wf_schema_below(wf_schema_compiler *c, const wf_place *up, const char *key,
                                size_t length, size_t index)
{
    wf_place *place = wf_arena_take(c->arena, sizeof *place);

    if (place)
        *place = (wf_place){up, key, length, index};
    return place;
}

void *wf_schema_at(wf_schema *schema, size_t offset)
{
    return (char *)schema + offset;
}
