/* logic/expr_path.c: paths: their parts, and what the first of them means. */
#include "logic/expr_tree.h"

#include <string.h>

#include "base/invariant.h"

/* As JavaScript takes it: digits without a leading zero. */
static uint32_t array_index(const char *text, size_t length)
{
    uint64_t index = 0;

    if (length == 0 || length > 10 || (length > 1 && text[0] == '0'))
        return WF_NONE;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return WF_NONE;
        index = index * 10 + (uint64_t)(text[i] - '0');
    }
    return index < WF_NONE ? (uint32_t)index : WF_NONE;
}

void wf_path_part_fill(wf_path_part *part, const char *key, size_t length)
{
    part->key = key;
    part->length = (uint32_t)length;
    part->hash = wf_hash(key, length);
    part->index = array_index(key, length);
}

bool wf_path_parse(wf_arena *arena, const char *text, size_t length, wf_path_part **parts,
                   uint32_t *count)
{
    char *copy = wf_arena_text(arena, text, length), *end;
    uint32_t dots = 0;
    bool only_dots;

    for (size_t i = 0; i < length; i++)
        dots += text[i] == '.';
    only_dots = length > 0 && dots == length; /* "." is one empty key, ".." are two */
    *parts = copy ? wf_arena_take(arena, (dots + 1u) * sizeof **parts) : NULL;
    if (!*parts)
        return false;
    *count = only_dots ? dots : dots + 1;
    end = copy + length;
    for (uint32_t i = 0; i < *count; i++) {
        char *dot = memchr(copy, '.', (size_t)(end - copy));
        char *stop = dot ? dot : end;

        wf_path_part_fill(&(*parts)[i], copy, (size_t)(stop - copy));
        *stop = '\0';
        copy = stop + 1;
    }
    WF_INVARIANT(copy == end + !only_dots); /* the parts are the whole text */
    return true;
}

static bool is_key(const wf_path_part *part, const char *key)
{
    return part->length == strlen(key) && memcmp(part->key, key, part->length) == 0;
}

static enum wf_origin root_origin(const wf_path_part *parts, uint32_t count, uint32_t *used)
{
    if (is_key(parts, "event"))
        return WF_FROM_EVENT;
    if (is_key(parts, "instance"))
        return WF_FROM_INSTANCE;
    if (is_key(parts, "budgets"))
        return WF_FROM_BUDGETS;
    if (is_key(parts, "failure"))
        return WF_FROM_FAILURE;
    if (is_key(parts, "item"))
        return WF_FROM_ITEM;
    if (is_key(parts, "index"))
        return WF_FROM_INDEX;
    if (!is_key(parts, "context"))
        return WF_FROM_NOTHING;
    if (count == 1)
        return WF_FROM_CONTEXT;
    *used = 2;
    return WF_FROM_SLOT;
}

enum wf_origin wf_path_origin(enum wf_env env, const wf_path_part *parts, uint32_t count,
                              uint32_t *used)
{
    *used = 1;
    if (env == WF_ENV_ROOT)
        return root_origin(parts, count, used);
    if (env == WF_ENV_PAIR)
        return is_key(parts, "current")       ? WF_FROM_CURRENT
               : is_key(parts, "accumulator") ? WF_FROM_ACCUMULATOR
                                              : WF_FROM_NOTHING;
    *used = 0;
    return WF_FROM_DATA;
}

enum wf_origin wf_env_whole(enum wf_env env)
{
    return env == WF_ENV_ROOT ? WF_FROM_ROOT : env == WF_ENV_DATA ? WF_FROM_DATA : WF_FROM_PAIR;
}

bool wf_path_is_whole(const wf_value *path)
{
    return path->type <= WF_NULL || (path->type == WF_STRING && path->length == 0);
}
