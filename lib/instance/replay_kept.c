/* The checkpoints of a journal that is replayed. */
#include "instance/replay_parts.h"

#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"
#include "logic/json.h"

void wf_replay_free_kept(wf_replay *replay, const wf_kept *kept)
{
    wf_free(&replay->allocator, kept->id);
    wf_free(&replay->allocator, kept->text);
    wf_free(&replay->allocator, kept->artifacts);
    wfsm_machine_unref(kept->machine);
}

wf_kept *wf_replay_find(const wf_replay *replay, const char *id)
{
    for (size_t i = 0; i < replay->kept_count; i++)
        if (strcmp(replay->kept[i].id, id) == 0)
            return &replay->kept[i];
    return NULL;
}

const wf_kept *wf_replay_checkpoint(const wf_replay *replay, const char *id)
{
    return wf_replay_find(replay, id);
}

static wf_kept *new_kept(wf_replay *replay, const char *id)
{
    wf_kept *list = wf_grow(&replay->allocator, replay->kept, &replay->kept_capacity,
                            replay->kept_count + 1, sizeof *list);
    if (!list)
        return NULL;
    replay->kept = list;
    wf_kept *made = &list[replay->kept_count];
    *made = (wf_kept){.id = wf_copy_text(&replay->allocator, id, strlen(id))};
    if (!made->id)
        return NULL;
    replay->kept_count++;
    return made;
}

/* The artifacts of a checkpoint's input as the store has them; NULL when out of memory. */
static char *copy_artifacts(wf_replay *replay, const wf_value *input)
{
    const wf_value *list = wf_replay_member(input, "artifacts");
    wf_buffer out;
    if (!list)
        return wf_copy_text(&replay->allocator, "[]", 2);
    wf_buffer_init(&out, &replay->allocator);
    wf_json_write(&out, list);
    char *copy = out.failed ? NULL : wf_copy_text(&replay->allocator, out.data, out.length);
    wf_buffer_fini(&out);
    return copy;
}

int32_t wf_replay_keep(wf_replay *replay, const wf_value *input)
{
    const char *id = wf_replay_text(input, "id");
    wf_kept *kept = wf_replay_find(replay, id);
    if (!kept)
        kept = new_kept(replay, id);
    char *text = wf_copy_text(&replay->allocator, replay->full.data, replay->full.length);
    char *artifacts = copy_artifacts(replay, input);
    if (!kept || !text || !artifacts) {
        wf_free(&replay->allocator, text);
        wf_free(&replay->allocator, artifacts);
        return WFSM_NO_MEMORY;
    }
    wf_free(&replay->allocator, kept->text);
    wf_free(&replay->allocator, kept->artifacts);
    kept->text = text;
    kept->length = replay->full.length;
    kept->artifacts = artifacts;
    wfsm_machine_unref(kept->machine);
    kept->machine = wfsm_machine_ref(replay->machine);
    kept->revision = replay->snapshot.revision + 1;
    kept->now = replay->snapshot.now;
    return WFSM_OK;
}

/* A journal that was cut may not have the record that made this checkpoint. */
int32_t wf_replay_forget(wf_replay *replay, const char *id)
{
    wf_kept *kept = wf_replay_find(replay, id);
    WF_INVARIANT(kept || replay->cut);
    if (replay->cut && wf_names_add(&replay->gone, id, strlen(id)) == WF_NONE)
        return WFSM_NO_MEMORY;
    if (!kept)
        return WFSM_OK;
    wf_replay_free_kept(replay, kept);
    *kept = replay->kept[--replay->kept_count];
    return WFSM_OK;
}

bool wf_replay_may_have(const wf_replay *replay, const char *id)
{
    return replay->cut && wf_names_find(&replay->gone, id, strlen(id)) == WF_NONE;
}
