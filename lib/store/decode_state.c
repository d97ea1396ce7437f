/* store/decode_state.c: what an instance keeps, by the table of step/durable.c. */
#include "store/decode_parts.h"

#include <inttypes.h>
#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"

/* ---- fields ---- */

static uint32_t find_invoke(const wfsm_machine *machine, const char *id)
{
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (strcmp(machine->invokes[i].id.text, id) == 0)
            return i;
    return WF_NONE;
}

static uint32_t find_word(const wf_field *field, const char *text)
{
    for (uint32_t i = (uint32_t)field->least; field->word(i); i++)
        if (strcmp(field->word(i), text) == 0)
            return i;
    return WF_NONE;
}

/* The number that a word or a name stands for, or WF_NONE. */
static uint32_t find_name(const wf_decoder *decoder, const wf_field *field,
                          const wf_value *name)
{
    const wfsm_machine *machine = decoder->machine;
    if (name->type != WF_STRING)
        return WF_NONE;
    switch (field->type) {
    case WF_FIELD_WORD:
        return find_word(field, name->as.text);
    case WF_FIELD_STATE:
        return wf_names_find(&machine->paths, name->as.text, name->length);
    case WF_FIELD_INVOKE:
        return find_invoke(machine, name->as.text);
    case WF_FIELD_AGENT:
        return wf_names_find(&machine->agents, name->as.text, name->length);
    default:
        return wf_names_find(&machine->budget_names, name->as.text, name->length);
    }
}

static int32_t read_number(const wf_decoder *decoder, const wf_field *field,
                           const wf_value *value, void *entry)
{
    int64_t number;
    if (!wf_is_number(value, &number) || number < field->least || number > field->most)
        return wf_corrupt(decoder,
                          "expected a whole number from %" PRId64 " to %" PRId64 " as \"%s\"",
                          field->least, field->most, field->name);
    wf_field_set(field, entry, number);
    return WFSM_OK;
}

static int32_t read_name(const wf_decoder *decoder, const wf_field *field,
                         const wf_value *value, void *entry)
{
    static const char *const what[] = {[WF_FIELD_WORD] =
                                           "one of the words that doc/records.md lists",
                                       [WF_FIELD_STATE] = "the path of a state",
                                       [WF_FIELD_INVOKE] = "an invoke of the document",
                                       [WF_FIELD_AGENT] = "an agent of the document",
                                       [WF_FIELD_BUDGET] = "a budget of the document"};
    uint32_t number = find_name(decoder, field, value);
    if (number == WF_NONE)
        return wf_corrupt(decoder, "expected %s as \"%s\"", what[field->type], field->name);
    wf_field_set(field, entry, number);
    return WFSM_OK;
}

/* The value stays where it is; it is copied with its entry. */
static int32_t read_value(const wf_decoder *decoder, const wf_field *field,
                          const wf_value *value, void *entry)
{
    if (field->value != WF_ABSENT && value->type != field->value)
        return wf_corrupt(decoder, "expected %s as \"%s\"", wf_type_name(field->value),
                          field->name);
    *(wf_value *)wf_field_at(field, entry) = *value;
    return WFSM_OK;
}

static int32_t read_field(const wf_decoder *decoder, const wf_field *field,
                          const wf_value *value, void *entry)
{
    if (field->since > decoder->format)
        return wf_corrupt(decoder, "format %" PRId64 " has no \"%s\"", decoder->format,
                          field->name);
    if (value->type == WF_NULL && (field->flags & WF_NEEDED) == 0) {
        wf_field_clear(field, entry);
        return WFSM_OK;
    }
    if (field->type == WF_FIELD_VALUE)
        return read_value(decoder, field, value, entry);
    if (field->type >= WF_FIELD_WORD)
        return read_name(decoder, field, value, entry);
    if (field->type != WF_FIELD_FLAG)
        return read_number(decoder, field, value, entry);
    if (value->type != WF_BOOLEAN)
        return wf_corrupt(decoder, "expected true or false as \"%s\"", field->name);
    wf_field_set(field, entry, value->as.boolean);
    return WFSM_OK;
}

/* ---- entries ---- */

enum { MOST_FIELDS = 24 };

/* The members of an object by the fields that they are named after. */
static int32_t find_members(const wf_decoder *decoder, const wf_kind *kind,
                            const wf_value *object, const wf_value *found[MOST_FIELDS])
{
    uint32_t next = kind->by_name;
    WF_INVARIANT(kind->field_count <= MOST_FIELDS);
    memset(found, 0, MOST_FIELDS * sizeof *found);
    if (object->type != WF_OBJECT)
        return wf_corrupt(decoder, "expected an object");
    for (uint32_t i = 0; i < object->length; i++) {
        const wf_member *member = &object->as.members[i];
        uint32_t tried = 0;
        while (tried < kind->field_count && strcmp(kind->fields[next].name, member->key) != 0) {
            next = (next + 1) % kind->field_count;
            tried++;
        }
        if (tried == kind->field_count || next < kind->by_name)
            return wf_corrupt(decoder, "unknown key \"%s\"", member->key);
        found[next] = &member->value;
    }
    return WFSM_OK;
}

static int32_t read_ids(const wf_decoder *decoder, const wf_kind *kind,
                        const wf_value *const *found, void *entry)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < kind->field_count && status == WFSM_OK; i++)
        if ((kind->fields[i].flags & WF_ID) != 0)
            status = found[i] ? read_field(decoder, &kind->fields[i], found[i], entry)
                              : wf_corrupt(decoder, "\"%s\" is missing", kind->fields[i].name);
    return status;
}

/* All fields but the ids. With `before`, `entry` is a copy of it, and what is missing stays. */
static int32_t read_rest(const wf_decoder *decoder, const wf_kind *kind,
                         const wf_value *const *found, void *entry, bool before)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = kind->by_name; i < kind->field_count && status == WFSM_OK; i++) {
        const wf_field *field = &kind->fields[i];
        if ((field->flags & WF_ID) != 0)
            continue;
        if (!found[i] && !before && (field->flags & WF_NEEDED) != 0)
            return wf_corrupt(decoder, "\"%s\" is missing", field->name);
        bool fixed = before && (field->flags & WF_FIXED) != 0;
        int64_t was = field->type == WF_FIELD_VALUE ? 0 : wf_field_get(field, entry);
        if (found[i])
            status = read_field(decoder, field, found[i], entry);
        if (status == WFSM_OK && found[i] && fixed &&
            ((field->flags & WF_TOLD) == 0 || wf_field_get(field, entry) != was))
            return wf_corrupt(decoder, "\"%s\" never changes", field->name);
        if (status == WFSM_OK && found[i] && !before && (field->flags & WF_NEEDED) == 0 &&
            wf_field_is_none(field, entry))
            return wf_corrupt(decoder, "\"%s\" is listed, but says nothing", field->name);
    }
    return status;
}

/* ---- lists ---- */

/* A list that is being read. */
typedef struct reading {
    wf_decoder *decoder;
    int number;
    const wf_kind *kind;
    wf_list *list;
    size_t at; /* entries before it have been seen */
    bool only_new; /* all that follow are new */
} reading;

static int32_t put(const reading *self, void *before, const wf_any_entry *made)
{
    const wfsm_allocator *allocator = self->decoder->snapshot->allocator;
    if (self->kind->in_place) {
        memcpy(before, made, self->kind->size);
        return WFSM_OK;
    }
    if (!before)
        return wf_list_add(allocator, self->kind, self->list, made)
                   ? WFSM_OK
                   : wf_no_memory(self->decoder->error);
    void *copy = wf_entry_copy(allocator, self->kind, made);
    if (!copy)
        return wf_no_memory(self->decoder->error);
    wf_free(allocator, before);
    self->list->entries[self->at - 1] = copy;
    return WFSM_OK;
}

/* The entry that is changed; NULL if it is a new one. New ones follow those that are known. */
static void *find_before(reading *self, const wf_any_entry *made)
{
    for (size_t i = self->at; i < self->list->count && !self->only_new; i++)
        if (wf_same_id(self->kind, self->list->entries[i], made)) {
            self->at = i + 1;
            return self->list->entries[i];
        }
    self->only_new = true;
    return NULL;
}

/* `name` is the key of a list by name. */
static int32_t read_entry(reading *self, const wf_value *name, const wf_value *object)
{
    wf_decoder *decoder = self->decoder;
    const wf_value *found[MOST_FIELDS];
    wf_any_entry made;
    wf_entry_clear(self->kind, &made);
    int32_t status = find_members(decoder, self->kind, object, found);
    if (name)
        found[0] = name;
    if (status == WFSM_OK)
        status = read_ids(decoder, self->kind, found, &made);
    if (status != WFSM_OK)
        return status;
    void *before = find_before(self, &made);
    if (self->kind->in_place && !before)
        return wf_corrupt(decoder, "it is listed twice, or out of order");
    bool known = before && decoder->record > 0;
    if (known)
        memcpy(&made, before, self->kind->size);
    status = read_rest(decoder, self->kind, found, &made, known);
    if (status == WFSM_OK)
        status =
            wf_check_entry(decoder, self->number, &made, self->kind->in_place ? NULL : before);
    return status == WFSM_OK ? put(self, before, &made) : status;
}

static int32_t decode_entries(wf_decoder *decoder, int number, const wf_value *list)
{
    const wf_kind *kind = wf_kind_of(number);
    reading self = {.decoder = decoder,
                    .number = number,
                    .kind = kind,
                    .list = wf_list_of(decoder->snapshot->extras, kind),
                    .only_new = kind->appends || (decoder->record == 0 && !kind->in_place)};
    enum wf_type type = kind->by_name ? WF_OBJECT : WF_ARRAY;
    int32_t status = WFSM_OK;
    if (list->type != type)
        return wf_corrupt(decoder, "expected %s as \"%s\"", wf_type_name(type), kind->name);
    if (list->length == 0)
        return wf_corrupt(decoder, "\"%s\" is empty", kind->name);
    if (kind->in_place && decoder->record == 0 && list->length != self.list->count)
        return wf_corrupt(decoder, "expected all of the document's as \"%s\"", kind->name);
    decoder->list = kind->name;
    for (uint32_t i = 0; i < list->length && status == WFSM_OK; i++) {
        decoder->index = i;
        if (kind->by_name) {
            wf_value name = wf_string(list->as.members[i].key, list->as.members[i].length);
            status = read_entry(&self, &name, &list->as.members[i].value);
        } else {
            status = read_entry(&self, NULL, &list->as.items[i]);
        }
    }
    decoder->list = NULL;
    return status;
}

/* Reads the id of an entry, as `cleared` lists it. */
static int32_t read_id(const wf_decoder *decoder, const wf_kind *kind, const wf_value *id,
                       wf_any_entry *entry)
{
    uint32_t parts = 1;
    const wf_value *list = id;
    if ((kind->fields[1].flags & WF_ID) != 0) {
        parts = 2;
        list = id->as.items;
        if (id->type != WF_ARRAY || id->length != parts)
            return wf_corrupt(decoder, "expected an array of two numbers");
    }
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < parts && status == WFSM_OK; i++)
        status = read_field(decoder, &kind->fields[i], &list[i], entry);
    return status;
}

/* Both lists are in the same order, so that one pass is enough. */
static int32_t clear_entries(wf_decoder *decoder, const wf_kind *kind, const wf_value *ids)
{
    wf_list *list = wf_list_of(decoder->snapshot->extras, kind);
    size_t from = 0, kept = 0;
    int32_t status = WFSM_OK;
    if (ids->type != WF_ARRAY || ids->length == 0)
        return wf_corrupt(decoder, "expected an array that is not empty as \"%s\"",
                          kind->cleared);
    decoder->list = kind->cleared;
    for (decoder->index = 0; decoder->index < ids->length; decoder->index++) {
        wf_any_entry gone;
        wf_entry_clear(kind, &gone);
        status = read_id(decoder, kind, &ids->as.items[decoder->index], &gone);
        if (status != WFSM_OK)
            break;
        while (from < list->count && !wf_same_id(kind, list->entries[from], &gone))
            list->entries[kept++] = list->entries[from++];
        if (from == list->count) {
            status = wf_corrupt(decoder, "it names an entry that is not there");
            break;
        }
        wf_free(decoder->snapshot->allocator, list->entries[from++]);
    }
    while (from < list->count)
        list->entries[kept++] = list->entries[from++];
    list->count = kept;
    decoder->list = NULL;
    return status;
}

/* ---- what there is once ---- */

static int32_t own_value(const wf_decoder *decoder, const wf_field *field,
                         const wf_value *before, wf_singles *singles)
{
    wf_value *value = wf_field_at(field, singles);
    void *block;
    if (value->as.text == before->as.text && value->type == before->type)
        return WFSM_OK;
    if (!wf_value_copy(decoder->snapshot->allocator, value, value, &block)) {
        *value = *before;
        return wf_no_memory(decoder->error);
    }
    wf_value_free(decoder->snapshot->allocator, before);
    return WFSM_OK;
}

static int32_t read_singles(const wf_decoder *decoder, const wf_fields *fields)
{
    const wf_kind *kind = wf_kind_of(WF_KINDS);
    wf_singles *now = &wf_own_extras(decoder->snapshot)->singles, made = *now;
    int32_t status =
        read_rest(decoder, kind, &fields->found[fields->singles], &made, decoder->record > 0);
    if (status != WFSM_OK)
        return status;
    for (uint32_t i = 0; i < kind->field_count; i++) {
        const wf_field *field = &kind->fields[i];
        if (field->type != WF_FIELD_VALUE)
            continue;
        const wf_value before = *(const wf_value *)wf_field_at(field, now);
        status = status == WFSM_OK ? own_value(decoder, field, &before, &made) : status;
        *(wf_value *)wf_field_at(field, now) = *(wf_value *)wf_field_at(field, &made);
        if (status != WFSM_OK)
            return status;
    }
    *now = made;
    return WFSM_OK;
}

/* ---- the whole ---- */

static int32_t read_lists(wf_decoder *decoder, const wf_fields *fields)
{
    const wf_value *const *found = &fields->found[fields->state + WF_STATE_LISTS];
    int32_t status = WFSM_OK;
    for (int i = 0; i < WF_KINDS && status == WFSM_OK; i++) {
        const wf_kind *kind = wf_kind_of(i);
        const wf_list *list = wf_list_of(decoder->snapshot->extras, kind);
        if (found[2 * i])
            status = clear_entries(decoder, kind, found[2 * i]);
        if (status == WFSM_OK && found[2 * i + 1])
            status = decode_entries(decoder, i, found[2 * i + 1]);
        else if (status == WFSM_OK && decoder->record == 0 && kind->in_place && list->count > 0)
            status = wf_corrupt(decoder, "\"%s\" is missing", kind->name);
    }
    return status;
}

int32_t wf_decode_state(wf_decoder *decoder, const wf_fields *fields)
{
    /* Removals come before additions, because a restore may remove and add the same keys. */
    static const struct {
        int key;
        enum wf_type type;
        bool needed; /* in a snapshot */
        wf_decode *decode;
    } parts[] = {{WF_STATE_CONFIGURATION, WF_ARRAY, true, wf_decode_configuration},
                 {WF_STATE_HISTORIES, WF_OBJECT, false, wf_decode_histories},
                 {WF_STATE_UNSET, WF_OBJECT, false, wf_decode_unset},
                 {WF_STATE_SET, WF_OBJECT, true, wf_decode_set},
                 {WF_STATE_CHANGED, WF_OBJECT, false, wf_decode_changed}};
    bool whole = decoder->record == 0;
    const wf_singles *singles = &decoder->snapshot->extras->singles;
    decoder->timers_before = singles->timer_number;
    decoder->effects_before = singles->effect_number;
    int32_t status = read_singles(decoder, fields);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == WFSM_OK; i++)
        status = wf_decode_part(decoder, fields, (int)fields->state + parts[i].key,
                                parts[i].type, whole && parts[i].needed, parts[i].decode);
    if (status == WFSM_OK)
        status = read_lists(decoder, fields);
    decoder->snapshot->status = singles->progress == WF_GOES_ON ? WFSM_RUNNING : WFSM_DONE;
    return status;
}

/* Budgets never rewind, so they may be newer than the rest of a snapshot. */
bool wf_budgets_read(wf_snapshot *snapshot, const wf_value *budgets)
{
    static const wf_stored nowhere = {"", NULL, "", 0, NULL};
    wf_decoder decoder = {.snapshot = snapshot,
                          .machine = snapshot->machine,
                          .stored = &nowhere,
                          .format = WF_FORMAT};
    int64_t now = snapshot->now;
    snapshot->now = WF_NUMBER_MOST;
    bool good = decode_entries(&decoder, WF_BUDGETS, budgets) == WFSM_OK;
    snapshot->now = now;
    return good;
}
