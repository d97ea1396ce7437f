/* verify/patches.c: how host functions can change the context. */
#include "verify/prepare.h"

enum { PATCHES_MOST = 256 };

static wf_data_classes values_of(wf_explorer *explorer, const wf_tracked *tracked)
{
    wf_data_classes data;
    bool forbidden = false;
    const wf_name *key = &explorer->machine->keys.list[tracked->slot];
    const wf_schema *schema = !explorer->machine->context_schema
                                  ? NULL
                                  : wf_schema_key(explorer->machine->context_schema, key->text,
                                                  key->length, &forbidden);
    wf_data_classes_find(&data, &explorer->arena, schema, tracked->wanted, NULL);
    if (forbidden)
        data.count = 0;
    return data;
}

static bool add_patch(wf_explorer *explorer, const wf_data_classes *values, const uint32_t *at)
{
    const wf_names *keys = &explorer->machine->keys;
    wf_member *members =
        wf_arena_take(&explorer->arena, (explorer->tracked_count + 1u) * sizeof *members);
    uint32_t count = 0;
    if (!members)
        return false;
    for (uint32_t i = 0; i < explorer->tracked_count; i++)
        if (at[i] < values[i].count) {
            const wf_name *key = &keys->list[explorer->tracked[i].slot];
            wf_member_set(&members[count++], key->text, key->length, values[i].list[at[i]]);
        }
    if (count > 0)
        explorer->patches[explorer->patch_count++] = wf_object(members, count);
    return true;
}

static bool next_patch(const wf_explorer *explorer, const wf_data_classes *values, uint32_t *at)
{
    for (uint32_t i = 0; i < explorer->tracked_count; i++) {
        if (++at[i] <= values[i].count)
            return true;
        at[i] = 0;
    }
    return false;
}

bool wf_find_patches(wf_explorer *explorer)
{
    wf_data_classes *values =
        wf_arena_zero(&explorer->arena, (explorer->tracked_count + 1u) * sizeof *values);
    uint32_t *at = wf_arena_zero(&explorer->arena, (explorer->tracked_count + 1u) * sizeof *at);
    explorer->patches =
        wf_arena_zero(&explorer->arena, PATCHES_MOST * sizeof *explorer->patches);
    if (!values || !at || !explorer->patches)
        return false;
    explorer->patches[0] = wf_absent();
    explorer->patch_count = 1;
    if (explorer->machine->functions.count == 0)
        return true;
    for (uint32_t i = 0; i < explorer->tracked_count; i++) {
        values[i] = values_of(explorer, &explorer->tracked[i]);
        at[i] = 0;
    }
    do {
        if (explorer->patch_count == PATCHES_MOST) {
            explorer->many_patches = true;
            return true;
        }
        if (!add_patch(explorer, values, at))
            return false;
    } while (next_patch(explorer, values, at));
    return true;
}
