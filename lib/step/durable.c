/* The table of what an instance keeps, and what follows from it for one field, entry or list. */
#include "step/durable.h"

#include <string.h>
#include "base/memory.h"

/* ---- the table ---- */

#define MOST WF_NUMBER_MOST
#define AT(entry, member) .offset = offsetof(entry, member)
#define NUMBERS(low, high) .least = (low), .most = (high)

const char *wf_invocation_status_name(uint32_t status)
{
    static const char *const names[] = {"", "pending", "running", "done", "failed"};
    return status <= WF_ITEM_FAILED ? names[status] : NULL;
}

static const char *progress_name(uint32_t progress)
{
    static const char *const names[] = {"running", "done", "stopped"};
    return progress < 3 ? names[progress] : NULL;
}

static const wf_field singles[] = {
    {"status", AT(wf_singles, progress), WF_FIELD_WORD, WF_NEEDED, 1, .word = progress_name},
    {"parent", AT(wf_singles, parent), WF_FIELD_VALUE, WF_FIXED, 1, WF_OBJECT},
    {"timer_number", AT(wf_singles, timer_number), WF_FIELD_COUNTER, 0, 1,
     NUMBERS(0, MOST / 2)},
    {"effect_number", AT(wf_singles, effect_number), WF_FIELD_COUNTER, 0, 1,
     NUMBERS(0, MOST / 2)},
    {"descendants", AT(wf_singles, descendants), WF_FIELD_COUNTER, 0, 1, NUMBERS(0, MOST / 2)},
    {"output", AT(wf_singles, output), WF_FIELD_VALUE, 0, 1, WF_ABSENT},
};

static const wf_field timer[] = {
    {"number", AT(wf_timer, number), WF_FIELD_COUNTER, WF_ID | WF_NEEDED, 1, NUMBERS(1, MOST)},
    {"due", AT(wf_timer, due), WF_FIELD_AMOUNT, WF_FIXED | WF_NEEDED, 1, NUMBERS(0, MOST)},
    {"state", AT(wf_timer, state), WF_FIELD_STATE, WF_FIXED | WF_KEY, 1},
    {"raised", AT(wf_timer, raised), WF_FIELD_VALUE, WF_FIXED | WF_NEEDED | WF_KEY, 1,
     WF_OBJECT},
};

static const wf_field invocation[] = {
    {"revision", AT(wf_invocation, revision), WF_FIELD_COUNTER, WF_ID | WF_NEEDED, 1,
     NUMBERS(1, MOST)},
    {"ordinal", AT(wf_invocation, ordinal), WF_FIELD_NUMBER, WF_ID | WF_NEEDED, 1,
     NUMBERS(1, UINT32_MAX)},
    {"incarnation", AT(wf_invocation, incarnation), WF_FIELD_COUNTER, WF_TOLD | WF_FIXED, 1,
     NUMBERS(0, WF_MOST_INCARNATION)},
    {"invoke", AT(wf_invocation, invoke), WF_FIELD_INVOKE,
     WF_TOLD | WF_FIXED | WF_NEEDED | WF_KEY, 1},
    {"state", AT(wf_invocation, state), WF_FIELD_STATE, WF_TOLD | WF_FIXED | WF_NEEDED, 1},
    {"agent", AT(wf_invocation, agent), WF_FIELD_AGENT, WF_TOLD | WF_FIXED | WF_NEEDED | WF_KEY,
     1},
    {"status", AT(wf_invocation, status), WF_FIELD_WORD, WF_TOLD | WF_NEEDED | WF_KEY, 1,
     .least = WF_PENDING, .word = wf_invocation_status_name},
    {"attempt", AT(wf_invocation, attempt), WF_FIELD_NUMBER, WF_TOLD | WF_NEEDED | WF_KEY, 1,
     NUMBERS(0, UINT32_MAX)},
    {"due", AT(wf_invocation, due), WF_FIELD_DUE, 0, 1, NUMBERS(0, MOST)},
    {"claimed", AT(wf_invocation, claimed), WF_FIELD_AMOUNT, 0, 1, NUMBERS(0, MOST)},
    {"retry_count", AT(wf_invocation, retry_count), WF_FIELD_NUMBER, WF_TOLD, 1,
     NUMBERS(0, UINT32_MAX)},
    {"retry_reason", AT(wf_invocation, reason), WF_FIELD_WORD, WF_TOLD, 1,
     .word = wf_class_name},
    {"owner", AT(wf_invocation, owner), WF_FIELD_VALUE, 0, 1, WF_STRING},
    {"votes", AT(wf_invocation, votes), WF_FIELD_VALUE, 0, 1, WF_ARRAY},
    {"pool", AT(wf_invocation, pool), WF_FIELD_VALUE, WF_FIXED, 1, WF_OBJECT},
    {"set", AT(wf_invocation, set), WF_FIELD_NUMBER, WF_FIXED | WF_KEY, 1,
     NUMBERS(0, UINT32_MAX)},
    {"of", AT(wf_invocation, of), WF_FIELD_NUMBER, WF_FIXED | WF_KEY, 1, NUMBERS(0, WF_ITEMS)},
    {"need", AT(wf_invocation, need), WF_FIELD_NUMBER, WF_FIXED | WF_KEY, 1,
     NUMBERS(0, WF_ITEMS)},
    {"most", AT(wf_invocation, most), WF_FIELD_NUMBER, WF_FIXED, 1, NUMBERS(0, UINT32_MAX)},
    {"result", AT(wf_invocation, result), WF_FIELD_VALUE, WF_KEY, 1, WF_ABSENT},
    {"descendants", AT(wf_invocation, descendants), WF_FIELD_NUMBER, 0, 1,
     NUMBERS(0, UINT32_MAX)},
    {"descendants_in_all", AT(wf_invocation, descendants_in_all), WF_FIELD_NUMBER, 0, 1,
     NUMBERS(0, UINT32_MAX)},
    {"input", AT(wf_invocation, input), WF_FIELD_VALUE, WF_FIXED | WF_NEEDED, 1, WF_ABSENT},
};

static const wf_field effect[] = {
    {"number", AT(wf_effect, number), WF_FIELD_COUNTER, WF_ID | WF_NEEDED, 1, NUMBERS(1, MOST)},
    {"revision", AT(wf_effect, revision), WF_FIELD_COUNTER, WF_FIXED | WF_NEEDED, 1,
     NUMBERS(1, MOST)},
    {"ordinal", AT(wf_effect, ordinal), WF_FIELD_NUMBER, WF_FIXED | WF_NEEDED, 1,
     NUMBERS(1, UINT32_MAX)},
    {"incarnation", AT(wf_effect, incarnation), WF_FIELD_COUNTER, WF_FIXED, 1,
     NUMBERS(0, WF_MOST_INCARNATION)},
    {"emit", AT(wf_effect, emit), WF_FIELD_VALUE, WF_FIXED | WF_NEEDED, 1, WF_OBJECT},
};

static const wf_field repeat[] = {
    {"invoke", AT(wf_repeat, invoke), WF_FIELD_INVOKE, WF_ID | WF_NEEDED | WF_KEY, 1},
    {"signature", AT(wf_repeat, signature), WF_FIELD_VALUE, WF_NEEDED | WF_KEY, 1, WF_STRING},
    {"count", AT(wf_repeat, count), WF_FIELD_NUMBER, WF_NEEDED | WF_KEY, 1,
     NUMBERS(1, UINT32_MAX)},
};

static const wf_field spent[] = {
    {"budget", AT(wf_spent, budget), WF_FIELD_BUDGET, WF_ID | WF_NEEDED, 1},
    {"used", AT(wf_spent, used), WF_FIELD_AMOUNT, WF_KEY, 1, NUMBERS(0, MOST)},
    {"since", AT(wf_spent, since), WF_FIELD_AMOUNT, 0, 1, NUMBERS(0, MOST)},
    {"limit", AT(wf_spent, limit), WF_FIELD_AMOUNT, WF_NEEDED | WF_KEY, 1, NUMBERS(0, MOST)},
    {"raised", AT(wf_spent, raised), WF_FIELD_FLAG, WF_KEY, 1},
};
#undef MOST
#undef AT
#undef NUMBERS

#define FIELDS(entry, table)                                                                   \
    .fields = (table), .field_count = sizeof(table) / sizeof *(table), .size = sizeof(entry)

static const wf_kind kinds[] = {
    [WF_TIMERS] = {"timers", "timers_cleared", FIELDS(wf_timer, timer), .since = 1,
                   .ordered = true, .list = offsetof(wf_extras, timers)},
    [WF_LEDGER] = {"invocations", "invocations_cleared", FIELDS(wf_invocation, invocation),
                   .since = 1, .ordered = true, .list = offsetof(wf_extras, ledger)},
    [WF_OUTBOX] = {"effects", NULL, FIELDS(wf_effect, effect), .since = 1, .ordered = true,
                   .appends = true, .list = offsetof(wf_extras, outbox)},
    [WF_REPEATS] = {"failures", "failures_cleared", FIELDS(wf_repeat, repeat), .since = 1,
                    .ordered = true, .list = offsetof(wf_extras, repeats)},
    [WF_BUDGETS] = {"budgets", NULL, FIELDS(wf_spent, spent), .since = 1, .by_name = true,
                    .in_place = true, .list = offsetof(wf_extras, budgets)},
    [WF_KINDS] = {"instance", NULL, FIELDS(wf_singles, singles), .since = 1},
};

#undef FIELDS

const wf_kind *wf_kind_of(int kind)
{
    return &kinds[kind];
}

/* ---- fields ---- */

int64_t wf_field_get(const wf_field *field, const void *entry)
{
    const void *at = wf_field_at(field, entry);
    switch (field->type) {
    case WF_FIELD_COUNTER:
        return (int64_t)*(const uint64_t *)at;
    case WF_FIELD_AMOUNT:
    case WF_FIELD_DUE:
        return *(const int64_t *)at;
    case WF_FIELD_FLAG:
        return *(const bool *)at;
    case WF_FIELD_WORD:
        return *(const uint8_t *)at;
    default:
        return *(const uint32_t *)at;
    }
}

void wf_field_set(const wf_field *field, void *entry, int64_t number)
{
    void *at = wf_field_at(field, entry);
    switch (field->type) {
    case WF_FIELD_COUNTER:
        *(uint64_t *)at = (uint64_t)number;
        break;
    case WF_FIELD_AMOUNT:
    case WF_FIELD_DUE:
        *(int64_t *)at = number;
        break;
    case WF_FIELD_FLAG:
        *(bool *)at = number != 0;
        break;
    case WF_FIELD_WORD:
        *(uint8_t *)at = (uint8_t)number;
        break;
    default:
        *(uint32_t *)at = (uint32_t)number;
    }
}

/* The number that means none. */
static int64_t none_of(const wf_field *field)
{
    int64_t words = 0;
    if (field->type == WF_FIELD_WORD)
        while (field->word((uint32_t)words))
            words++;
    if (field->type >= WF_FIELD_STATE)
        return WF_NONE;
    return field->type == WF_FIELD_DUE ? WFSM_NEVER : words;
}

bool wf_field_is_none(const wf_field *field, const void *entry)
{
    if (field->type == WF_FIELD_VALUE)
        return ((const wf_value *)wf_field_at(field, entry))->type == WF_NULL;
    return wf_field_get(field, entry) == none_of(field);
}

void wf_field_clear(const wf_field *field, void *entry)
{
    if (field->type == WF_FIELD_VALUE)
        *(wf_value *)wf_field_at(field, entry) = wf_null();
    else
        wf_field_set(field, entry, none_of(field));
}

bool wf_field_same(const wf_field *field, const void *a, const void *b)
{
    if (field->type == WF_FIELD_VALUE)
        return wf_same_value(wf_field_at(field, a), wf_field_at(field, b));
    return wf_field_get(field, a) == wf_field_get(field, b);
}

bool wf_same_id(const wf_kind *kind, const void *a, const void *b)
{
    for (uint32_t i = 0; i < kind->field_count; i++)
        if ((kind->fields[i].flags & WF_ID) != 0 && !wf_field_same(&kind->fields[i], a, b))
            return false;
    return true;
}

/* ---- entries ---- */

bool wf_entry_same(const wf_kind *kind, const void *a, const void *b)
{
    for (uint32_t i = 0; i < kind->field_count; i++)
        if (!wf_field_same(&kind->fields[i], a, b))
            return false;
    return true;
}

void wf_entry_clear(const wf_kind *kind, void *entry)
{
    memset(entry, 0, kind->size);
    for (uint32_t i = 0; i < kind->field_count; i++)
        wf_field_clear(&kind->fields[i], entry);
}

void *wf_entry_copy(const wfsm_allocator *allocator, const wf_kind *kind, const void *entry)
{
    size_t bytes = kind->size;
    for (uint32_t i = 0; i < kind->field_count; i++)
        if (kind->fields[i].type == WF_FIELD_VALUE)
            bytes += wf_value_bytes(wf_field_at(&kind->fields[i], entry));
    char *copy = allocator->allocate(allocator->user, bytes);
    if (!copy)
        return NULL;
    memcpy(copy, entry, kind->size);
    wf_copier to = {(unsigned char *)copy + kind->size, copy + bytes};
    for (uint32_t i = 0; i < kind->field_count; i++)
        if (kind->fields[i].type == WF_FIELD_VALUE) {
            wf_value *value = wf_field_at(&kind->fields[i], copy);
            *value = wf_value_place(&to, value);
        }
    return copy;
}

size_t wf_entry_weight(const wf_kind *kind, const void *entry)
{
    size_t weight = kind->size;
    for (uint32_t i = 0; i < kind->field_count; i++)
        if (kind->fields[i].type == WF_FIELD_VALUE)
            weight += wf_value_weight(wf_field_at(&kind->fields[i], entry));
    return weight;
}

/* ---- lists ---- */

bool wf_list_add(const wfsm_allocator *allocator, const wf_kind *kind, wf_list *list,
                 const void *entry)
{
    void **entries =
        wf_grow(allocator, list->entries, &list->capacity, list->count + 1, sizeof *entries);
    if (!entries)
        return false;
    list->entries = entries;
    entries[list->count] = wf_entry_copy(allocator, kind, entry);
    if (!entries[list->count])
        return false;
    list->count++;
    return true;
}

static void list_cut(const wfsm_allocator *allocator, const wf_kind *kind, wf_list *list,
                     size_t count)
{
    while (list->count > count) {
        list->count--;
        if (!kind->in_place)
            wf_free(allocator, list->entries[list->count]);
    }
}

void wf_list_free(const wfsm_allocator *allocator, const wf_kind *kind, wf_list *list)
{
    list_cut(allocator, kind, list, 0);
    wf_free(allocator, list->entries);
    *list = (wf_list){0};
}

/* ---- budgets ---- */

bool wf_budgets_make(const wfsm_allocator *allocator, const wfsm_machine *machine,
                     wf_list *list)
{
    size_t count = machine->budget_count;
    *list = (wf_list){0};
    if (count == 0)
        return true;
    list->entries = wf_new(allocator, count * (sizeof(void *) + sizeof(wf_spent)));
    if (!list->entries)
        return false;
    wf_spent *first = (wf_spent *)(void *)(list->entries + count);
    for (; list->count < count; list->count++) {
        first[list->count].budget = (uint32_t)list->count;
        list->entries[list->count] = &first[list->count];
    }
    return true;
}

void wf_budgets_swap(const wf_list *a, const wf_list *b)
{
    for (size_t i = 0; i < a->count; i++) {
        wf_spent other = *wf_spent_at(a, i);
        *wf_spent_at(a, i) = *wf_spent_at(b, i);
        *wf_spent_at(b, i) = other;
    }
}

void wf_budgets_copy(const wf_list *to, const wf_list *from)
{
    if (from->count > 0)
        memcpy(to->entries[0], from->entries[0], from->count * sizeof(wf_spent));
}
