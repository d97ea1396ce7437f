#include "verify/minimize.h"

#include <string.h>
#include "base/memory.h"

/* Longer lists stay as they are. After so many lists none is kept any more. */
enum { LONGEST = 16, LISTS_MOST = 1 << 16 };

bool wf_minimized_init(wf_minimized *self, const wfsm_allocator *allocator)
{
    return wf_intern_init(&self->lists, allocator);
}

void wf_minimized_fini(wf_minimized *self)
{
    if (self->lists.arena.allocator)
        wf_free(self->lists.arena.allocator, self->left);
    wf_intern_fini(&self->lists);
}

/* ---- what follows ---- */

static bool follows(wf_terms *terms, wf_arena *scratch, const wf_literal *list, uint32_t count,
                    uint32_t which)
{
    wf_literal others[LONGEST + 1];
    memcpy(others, list, count * sizeof *list);
    others[which] = wf_literal_complement(&others[which]);
    return wf_solve(terms, others, count, WF_REFUTE, scratch, NULL) == WF_UNSAT;
}

static uint32_t leave_out(wf_terms *terms, wf_arena *scratch, wf_literal *list, uint32_t count)
{
    for (uint32_t i = count; i-- > 0 && count > 1;) {
        if (!follows(terms, scratch, list, count, i))
            continue;
        memmove(&list[i], &list[i + 1], (count - i - 1) * sizeof *list);
        count--;
    }
    return count;
}

/* ---- what is kept ---- */

/* A copy, because a text that is kept has a NUL after its end. */
static uint32_t number_of(wf_minimized *self, const wf_literal *list, uint32_t count)
{
    wf_literal ended[LONGEST + 1];
    const wf_value bytes = {.type = WF_STRING,
                            .length = (uint32_t)(count * sizeof *list),
                            .as.text = (const char *)ended};
    memcpy(ended, list, bytes.length);
    memset(&ended[count], 0, sizeof ended[count]);
    return wf_intern_add(&self->lists, &bytes);
}

/* Where the number of what is left of a list is kept; NULL when out of memory. */
static uint32_t *place_of(wf_minimized *self, uint32_t number)
{
    uint32_t *left = wf_grow(self->lists.arena.allocator, self->left, &self->capacity,
                             (size_t)number + 1, sizeof *left);
    if (!left)
        return NULL;
    self->left = left;
    while (self->count <= number)
        left[self->count++] = 0;
    return &left[number];
}

static void use(const wf_minimized *self, uint32_t number, wf_literal *list, uint32_t *count)
{
    const wf_value *bytes = &self->lists.list[number];
    memcpy(list, bytes->as.text, bytes->length);
    *count = bytes->length / (uint32_t)sizeof *list;
}

bool wf_minimize(wf_minimized *self, wf_terms *terms, wf_arena *scratch, wf_literal *list,
                 uint32_t *count)
{
    if (*count < 2 || *count > LONGEST)
        return true;
    if (self->lists.count >= LISTS_MOST) {
        *count = leave_out(terms, scratch, list, *count);
        return true;
    }
    uint32_t number = number_of(self, list, *count);
    uint32_t *place = number == WF_NONE ? NULL : place_of(self, number);
    if (!place)
        return false;
    if (*place != 0) {
        use(self, *place, list, count);
        return true;
    }
    *count = leave_out(terms, scratch, list, *count);
    uint32_t left = number_of(self, list, *count);
    if (left != WF_NONE)
        *place = left;
    return left != WF_NONE;
}
