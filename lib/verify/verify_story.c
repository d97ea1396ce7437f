#include "verify/verify_story.h"

#include "base/memory.h"
#include "logic/json.h"

enum { SHOWN_BYTES = 120 };

void wf_story_begin(wf_story *story, wf_kit *kit, const wfsm_allocator *allocator)
{
    *story = (wf_story){.kit = kit};
    wf_arena_init(&story->arena, allocator, 0);
    wf_buffer_init(&story->text, allocator);
    wf_buffer_init(&story->script, allocator);
    story->values =
        wf_arena_zero(&story->arena, (kit->tracked_count + 1u) * sizeof *story->values);
    story->failed = !story->values;
}

void wf_story_end(wf_story *story)
{
    wf_free(story->arena.allocator, story->lines);
    wf_buffer_fini(&story->text);
    wf_buffer_fini(&story->script);
    wf_arena_fini(&story->arena);
}

/* ---- pieces ---- */

static void add_json(wf_buffer *out, const wf_value *value)
{
    wf_json_write(out, value);
}

/* Long values are cut at a character's beginning. */
static void add_shown(wf_buffer *out, const wf_value *value)
{
    size_t before = out->length;
    wf_json_write(out, value);
    if (out->failed || out->length - before <= SHOWN_BYTES)
        return;
    size_t at = before + SHOWN_BYTES;
    while (at > before && ((unsigned char)out->data[at] & 0xC0) == 0x80)
        at--;
    out->length = at;
    wf_buffer_text(out, "…");
}

static void add_text(wf_buffer *out, const wf_value *text)
{
    wf_buffer_add(out, text->as.text, text->length);
}

static void add_invocation(wf_story *story, const wf_step *step, const wf_deed *deed)
{
    const wf_invocation *self = &step->snapshot->more->ledger.list[deed->place];
    const wf_name *name = &step->machine->invokes[self->invoke].id;
    wf_buffer_add(&story->text, name->text, name->length);
    wf_buffer_format(&story->script, "{\"%s\":\"sim/%llu/%u\"",
                     deed->kind == WF_DEED_RESULT ? "done" : "failed",
                     (unsigned long long)self->revision, (unsigned)self->ordinal);
}

static void tell_event(wf_story *story, const wf_deed *deed)
{
    wf_buffer_text(&story->text, "event ");
    add_text(&story->text, &deed->name);
    wf_buffer_text(&story->script, "{\"event\":");
    add_json(&story->script, &deed->name);
    if (deed->data.type == WF_NULL)
        return;
    wf_buffer_byte(&story->text, ' ');
    add_shown(&story->text, &deed->data);
    wf_buffer_text(&story->script, ",\"data\":");
    add_json(&story->script, &deed->data);
}

static void tell_usage(wf_story *story, const wf_deed *deed)
{
    if (deed->usage.type != WF_OBJECT)
        return;
    wf_buffer_text(&story->text, ", used ");
    add_shown(&story->text, &deed->usage);
    wf_buffer_text(&story->script, ",\"usage\":");
    add_json(&story->script, &deed->usage);
}

static void tell_start(wf_story *story, const wf_deed *deed)
{
    wf_buffer_text(&story->text, "start");
    wf_buffer_text(&story->script, "{\"start\":");
    add_json(&story->script, &deed->data);
    if (deed->data.type == WF_NULL)
        return;
    wf_buffer_text(&story->text, " with ");
    add_shown(&story->text, &deed->data);
}

void wf_story_before(wf_story *story, const wf_step *step, const wf_deed *deed)
{
    wf_buffer_clear(&story->text);
    wf_buffer_clear(&story->script);
    switch (deed->kind) {
    case WF_DEED_START:
        tell_start(story, deed);
        break;
    case WF_DEED_TIMER:
        wf_buffer_text(&story->text, "timer ");
        add_text(&story->text, &deed->name);
        wf_buffer_text(&story->script, "{\"fire\":true");
        break;
    case WF_DEED_BUDGET:
        wf_buffer_format(&story->text, "time is up for the budget \"%s\"",
                         step->machine->budgets[deed->place].name.text);
        wf_buffer_text(&story->script, "{\"fire\":true");
        break;
    case WF_DEED_RESULT:
        add_invocation(story, step, deed);
        wf_buffer_text(&story->text, " answers ");
        add_shown(&story->text, &deed->data);
        wf_buffer_text(&story->script, ",\"output\":");
        add_json(&story->script, &deed->data);
        tell_usage(story, deed);
        break;
    case WF_DEED_FAILURE:
        add_invocation(story, step, deed);
        wf_buffer_format(&story->text, " fails: %s", wf_class_name(deed->failure));
        wf_buffer_format(&story->script, ",\"class\":\"%s\"", wf_class_name(deed->failure));
        tell_usage(story, deed);
        break;
    case WF_DEED_CHECKPOINT:
        wf_buffer_text(&story->text, "a checkpoint is kept");
        wf_buffer_text(&story->script, "{\"checkpoint\":\"c\"");
        break;
    case WF_DEED_RESTORE:
        wf_buffer_text(&story->text, "back to the checkpoint");
        wf_buffer_text(&story->script, "{\"restore\":\"c\"");
        break;
    default:
        tell_event(story, deed);
        break;
    }
}

void wf_story_vote(wf_story *story, const wf_value *given, bool last)
{
    const wf_value *by = wf_value_get_z(given, "by");
    const wf_value *decision = wf_value_get_z(given, "decision");
    wf_buffer_text(&story->text, story->text.length > 0 ? ", " : "");
    add_text(&story->text, by);
    wf_buffer_format(&story->text, " %ss", decision->as.text);
    wf_buffer_text(&story->script, "{\"event\":\"" WF_APPROVAL_EVENT "\",\"data\":");
    add_json(&story->script, given);
    wf_buffer_text(&story->script, last ? "" : "}\n");
}

/* ---- what came of it ---- */

static void add_answers(wf_story *story, const wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    for (size_t i = 0; i < step->answer_count; i++) {
        const wf_answered *self = &step->answers[i];
        const wf_names *names = self->action ? &machine->functions : &machine->guards;
        wf_buffer_text(&story->script, i == 0 ? ",\"host\":[" : ",");
        wf_buffer_format(&story->text, "%s%s ", i == 0 ? " (" : ", ",
                         names->list[self->number].text);
        if (self->failed) {
            wf_buffer_text(&story->script, "\"fail\"");
            wf_buffer_text(&story->text, "fails");
            continue;
        }
        add_json(&story->script, &self->value);
        add_shown(&story->text, &self->value);
    }
    if (step->answer_count > 0) {
        wf_buffer_text(&story->script, "]");
        wf_buffer_text(&story->text, ")");
    }
}

static bool is_leaf(const wf_state *state)
{
    return state->type == WF_ATOMIC || state->type == WF_FINAL;
}

static void add_configuration(wf_story *story, const wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    bool first = true;
    for (uint32_t s = wf_set_next(step->snapshot->active, machine->words, 0); s != WF_NONE;
         s = wf_set_next(step->snapshot->active, machine->words, s + 1)) {
        if (!is_leaf(&machine->states[s]))
            continue;
        wf_buffer_text(&story->text, first ? " → " : " + ");
        wf_buffer_add(&story->text, machine->states[s].path.text,
                      machine->states[s].path.length);
        first = false;
    }
}

static void add_changes(wf_story *story, const wf_step *step)
{
    const wf_kit *kit = story->kit;
    const char *between = "; ";
    for (uint32_t i = 0; i < kit->tracked_count && story->values; i++) {
        const wf_value *now = &step->snapshot->slots[kit->tracked[i].slot];
        wf_value *told = &story->values[i];
        if (wf_value_equal(now, told))
            continue;
        wf_buffer_format(&story->text, "%s%s = ", between,
                         kit->machine->keys.list[kit->tracked[i].slot].text);
        add_shown(&story->text, now);
        between = ", ";
        *told = now->type == WF_ABSENT ? *now : wf_value_clone(&story->arena, now);
    }
}

static void add_line(wf_story *story)
{
    const wfsm_allocator *allocator = story->arena.allocator;
    wf_story_line *lines =
        wf_grow(allocator, story->lines, &story->capacity, story->count + 1, sizeof *lines);
    if (!lines || story->text.failed || story->script.failed) {
        story->failed = true;
        return;
    }
    story->lines = lines;
    lines[story->count++] = (wf_story_line){
        wf_arena_text(&story->arena, story->text.data, story->text.length),
        wf_arena_text(&story->arena, story->script.data, story->script.length), story->cycle};
    story->failed |= story->arena.failed;
}

void wf_story_after(wf_story *story, const wf_step *step, const wf_deed *deed, int32_t outcome,
                    int32_t status)
{
    (void)deed;
    add_answers(story, step);
    wf_buffer_byte(&story->script, '}');
    if (status != WFSM_OK) {
        wf_buffer_text(&story->text, ": it fails");
        add_line(story);
        return;
    }
    if (outcome == WFSM_RETRY)
        wf_buffer_text(&story->text, ", and is tried again");
    if (outcome == WFSM_FAILED)
        wf_buffer_text(&story->text, ": the step fails");
    if (outcome == WFSM_NO_TRANSITION || outcome == WFSM_BLOCKED)
        wf_buffer_text(&story->text, ": nothing reacts");
    for (size_t i = 0; i < step->error_count; i++)
        wf_buffer_format(&story->text, " (error.execution: %.300s)", step->errors[i]);
    add_configuration(story, step);
    add_changes(story, step);
    if (step->snapshot->status == WFSM_DONE)
        wf_buffer_text(&story->text, "; the instance has ended");
    add_line(story);
}

void wf_story_leg(wf_story *story, size_t number, size_t cycle)
{
    story->cycle = number == cycle;
}

void wf_story_write(const wf_story *story, const int64_t *times, wf_buffer *text,
                    wf_buffer *script)
{
    for (size_t i = 0; i < story->count; i++) {
        int64_t passed = i == 0 ? 0 : times[i] - times[i - 1];
        if (story->lines[i].cycle)
            wf_buffer_text(text, "    and from here round and round:\n");
        wf_buffer_format(text, "%3u. %s\n", (unsigned)i, story->lines[i].text);
        if (passed > 0)
            wf_buffer_format(script, "{\"advance\":%lld}\n", (long long)passed);
        wf_buffer_format(script, "%s\n", story->lines[i].script);
    }
}
