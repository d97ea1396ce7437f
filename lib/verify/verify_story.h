/* verify/verify_story.h: a way in words, and as lines for `wfsm simulate --by-hand`. */
#ifndef WF_TOOLS_VERIFY_STORY_H
#define WF_TOOLS_VERIFY_STORY_H

#include "base/buffer.h"
#include "verify/verify_way.h"

typedef struct wf_story_line {
    const char *text, *script;
    bool cycle; /* the first of the legs that go round */
} wf_story_line;

typedef struct wf_story {
    wf_kit *kit;
    wf_arena arena;
    wf_buffer text, script; /* of the leg at hand */
    wf_value *values;       /* of what counts of the context, as they were last told */
    wf_story_line *lines;
    size_t count, capacity;
    bool cycle;
    bool failed;
} wf_story;

void wf_story_begin(wf_story *story, wf_kit *kit, const wfsm_allocator *allocator);
void wf_story_end(wf_story *story);
/* A leg begins: its number, and the one from which on it goes round. */
void wf_story_leg(wf_story *story, size_t number, size_t cycle);
/* What is done, told before the step, and what came of it, in its open draft. */
void wf_story_before(wf_story *story, const wf_step *step, const wf_deed *deed);
/* A person's vote, in place of `before`: the last one decides. */
void wf_story_vote(wf_story *story, const wf_value *given, bool last);
void wf_story_after(wf_story *story, const wf_step *step, const wf_deed *deed, int32_t outcome,
                    int32_t status);
/* All of it, with the time of each leg. */
void wf_story_write(const wf_story *story, const int64_t *times, wf_buffer *text,
                    wf_buffer *script);
#endif
