/* store/write_state.c: what an instance keeps as JSON, by the table of step/durable.c: whole in a
 * snapshot, and in a record what a step has changed. */
#include "store/record_parts.h"

#include <string.h>
#include "logic/json.h"

/* ---- fields ---- */

/* The text of a number that stands for a word or a name. */
static const char *name_of(const wfsm_machine *machine, const wf_field *field, uint32_t number)
{
    switch (field->type) {
    case WF_FIELD_WORD:
        return field->word(number);
    case WF_FIELD_STATE:
        return machine->states[number].path.text;
    case WF_FIELD_INVOKE:
        return machine->invokes[number].id.text;
    case WF_FIELD_AGENT:
        return machine->agents.list[number].text;
    default:
        return machine->budgets[number].name.text;
    }
}

static void write_field(wf_buffer *out, const wfsm_machine *machine, const wf_field *field,
                        const void *entry)
{
    if (field->type == WF_FIELD_VALUE) {
        wf_write_key(out, field->name);
        wf_json_write(out, wf_field_at(field, entry));
        return;
    }
    int64_t number = wf_field_get(field, entry);
    if (field->type >= WF_FIELD_WORD && !wf_field_is_none(field, entry)) {
        wf_write_string(out, field->name, name_of(machine, field, (uint32_t)number));
        return;
    }
    wf_write_key(out, field->name);
    if (field->type == WF_FIELD_FLAG)
        wf_buffer_text(out, number != 0 ? "true" : "false");
    else if (field->type >= WF_FIELD_WORD || number == WFSM_NEVER)
        wf_buffer_text(out, "null");
    else
        wf_json_write_int(out, number);
}

/* Appends the fields from `from` on as members. With `before`, the ids and what differs from it;
 * else all that are not none. */
static void write_fields(wf_buffer *out, const wfsm_machine *machine, const wf_kind *kind,
                         const void *entry, const void *before)
{
    for (uint32_t i = kind->by_name; i < kind->field_count; i++) {
        const wf_field *field = &kind->fields[i];
        bool differs =
            before && (field->flags & WF_FIXED) == 0 && !wf_field_same(field, entry, before);
        bool whole =
            !before && ((field->flags & WF_NEEDED) != 0 || !wf_field_is_none(field, entry));
        bool told = (field->flags & WF_ID) != 0 ||
                    ((field->flags & WF_TOLD) != 0 && !wf_field_is_none(field, entry));
        if (differs || whole || told)
            write_field(out, machine, field, entry);
    }
}

/* One entry as an object, which follows others in a list. With `before`, its id, what it is, and
 * what differs. */
static void write_entry(wf_buffer *out, const wfsm_machine *machine, const wf_kind *kind,
                        const void *entry, const void *before)
{
    if (kind->by_name)
        wf_write_name(
            out, name_of(machine, kind->fields, (uint32_t)wf_field_get(kind->fields, entry)));
    else
        wf_write_comma(out);
    wf_buffer_byte(out, '{');
    write_fields(out, machine, kind, entry, before);
    wf_buffer_byte(out, '}');
}

/* ---- lists ---- */

/* Begins the list before its first element. */
static void begin(wf_buffer *out, const wf_kind *kind, const char *key, bool *any)
{
    if (!*any) {
        wf_write_key(out, key);
        wf_buffer_byte(out, kind->by_name ? '{' : '[');
    }
    *any = true;
}

static void end(wf_buffer *out, const wf_kind *kind, bool any)
{
    if (any)
        wf_buffer_byte(out, kind->by_name ? '}' : ']');
}

void wf_write_entries(wf_buffer *out, const wfsm_machine *machine, const wf_kind *kind,
                      const wf_list *list)
{
    wf_buffer_byte(out, kind->by_name ? '{' : '[');
    for (size_t i = 0; i < list->count; i++)
        write_entry(out, machine, kind, list->entries[i], NULL);
    end(out, kind, true);
}

/* Entries keep their order and new ones come last, so that one pass over both lists finds what is
 * new, changed or gone. The entry with the id of `like`, from *at on, or NULL if there is none;
 * then *at is not moved. */
static const void *find_in(const wf_kind *kind, const wf_list *list, const void *like,
                           size_t *at)
{
    for (size_t i = *at; i < list->count; i++)
        if (wf_same_id(kind, list->entries[i], like)) {
            *at = i + 1;
            return list->entries[i];
        }
    return NULL;
}

static bool differs(const wf_kind *kind, const void *now, const void *before)
{
    return !before || (now != before && !wf_entry_same(kind, now, before));
}

static void write_set(wf_buffer *out, const wfsm_machine *machine, const wf_kind *kind,
                      const wf_list *now, const wf_list *before)
{
    size_t i = kind->appends ? before->count : 0, at = i;
    bool any = false, only_new = false;
    for (; i < now->count; i++) {
        const void *old = only_new ? NULL : find_in(kind, before, now->entries[i], &at);
        only_new |= !old;
        if (!differs(kind, now->entries[i], old))
            continue;
        begin(out, kind, kind->name, &any);
        write_entry(out, machine, kind, now->entries[i], old);
    }
    end(out, kind, any);
}

/* The id of an entry: a number or a name, or an array if it has several parts. */
static void write_id(wf_buffer *out, const wfsm_machine *machine, const wf_kind *kind,
                     const void *entry)
{
    bool several = (kind->fields[1].flags & WF_ID) != 0;
    if (several) {
        wf_write_comma(out);
        wf_buffer_byte(out, '[');
    }
    for (uint32_t i = 0; i < kind->field_count && (kind->fields[i].flags & WF_ID) != 0; i++) {
        int64_t number = wf_field_get(&kind->fields[i], entry);
        wf_write_comma(out);
        if (kind->fields[i].type < WF_FIELD_WORD)
            wf_json_write_int(out, number);
        else
            wf_write_text(out, name_of(machine, &kind->fields[i], (uint32_t)number));
    }
    if (several)
        wf_buffer_byte(out, ']');
}

static void write_cleared(wf_buffer *out, const wfsm_machine *machine, const wf_kind *kind,
                          const wf_list *now, const wf_list *before)
{
    size_t left = 0;
    bool any = false;
    for (size_t i = 0; i < before->count; i++) {
        if (left < now->count && wf_same_id(kind, now->entries[left], before->entries[i])) {
            left++;
            continue;
        }
        begin(out, kind, kind->cleared, &any);
        write_id(out, machine, kind, before->entries[i]);
    }
    end(out, kind, any);
}

/* ---- the whole ---- */

/* A snapshot lists what differs from an instance in which everything is none. */
void wf_write_state(wf_buffer *out, const wf_snapshot *snapshot)
{
    static const wf_list nothing = {0};
    const wfsm_machine *machine = snapshot->machine;
    write_fields(out, machine, wf_kind_of(WF_KINDS), &snapshot->extras->singles, NULL);
    wf_write_key(out, "configuration");
    wf_write_configuration(out, machine, snapshot->active);
    wf_write_histories(out, machine, snapshot->extras->histories, NULL);
    wf_write_key(out, "context");
    wf_write_context(out, snapshot);
    for (int i = 0; i < WF_KINDS; i++)
        write_set(out, machine, wf_kind_of(i), wf_list_of(snapshot->extras, wf_kind_of(i)),
                  &nothing);
}

static void write_states(wf_buffer *out, const wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    const wf_snapshot *now = step->snapshot;
    size_t bytes = machine->words * sizeof(uint64_t);
    if (memcmp(now->active, step->before.active, bytes) != 0) {
        wf_write_key(out, "from");
        wf_write_configuration(out, machine, step->before.active);
        wf_write_key(out, "configuration");
        wf_write_configuration(out, machine, now->active);
    }
    wf_write_histories(out, machine, now->extras->histories, step->before.histories);
}

static void write_list_changes(wf_buffer *out, const wf_step *step, int number)
{
    const wf_kind *kind = wf_kind_of(number);
    const wf_list *now = wf_list_of(step->snapshot->extras, kind);
    const wf_list before = wf_draft_before(step, number);
    if (kind->cleared)
        write_cleared(out, step->machine, kind, now, &before);
    write_set(out, step->machine, kind, now, &before);
}

void wf_write_changes(wf_buffer *out, const wf_step *step)
{
    const wf_extras *extras = step->snapshot->extras;
    write_states(out, step);
    wf_write_context_changes(out, step);
    for (int i = 0; i < WF_KINDS; i++)
        if (step->before.touched[i] || (i == WF_BUDGETS && extras->budgets.count > 0))
            write_list_changes(out, step, i);
    /* Most steps change none of these. */
    if (memcmp(&extras->singles, &step->before.singles, sizeof extras->singles) != 0)
        write_fields(out, step->machine, wf_kind_of(WF_KINDS), &extras->singles,
                     &step->before.singles);
}
