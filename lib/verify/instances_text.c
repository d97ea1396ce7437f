/* verify/instances_text.c: why something is not known of a child. */
#include "verify/instances.h"

const char *wf_instances_text(wf_instances *self, const char *format, const char *one,
                              const char *two)
{
    wf_arena *arena = &self->report->arena;
    wf_buffer text;
    wf_buffer_init(&text, arena->allocator);
    wf_buffer_format(&text, format, one, two);
    const char *copy = text.failed ? NULL : wf_arena_text(arena, text.data, text.length);
    arena->failed |= !copy;
    wf_buffer_fini(&text);
    return copy;
}
