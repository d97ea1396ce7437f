/* Invocations are found by their ids, which rise in the ledger. */
#include "step/snapshot.h"

#include <string.h>

const char *wf_invocation_status_name(const wf_invocation *self)
{
    static const char *const names[] = {"", "pending", "running", "done", "failed"};
    return names[self->status];
}

static int compare(const wf_invocation *self, uint64_t revision, uint32_t ordinal)
{
    if (self->revision != revision)
        return self->revision < revision ? -1 : 1;
    return (self->ordinal > ordinal) - (self->ordinal < ordinal);
}

size_t wf_ledger_find(const wf_ledger *ledger, uint64_t revision, uint32_t ordinal)
{
    size_t low = 0, high = ledger->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(&ledger->list[middle], revision, ordinal);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return ledger->count;
}

/* Decimal digits up to `end`, as they are written; *text stands behind it afterwards. */
static bool read_number(const char **text, char end, uint64_t *number)
{
    const char *at = *text;
    *number = 0;
    if (*at < '1' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*number > (uint64_t)WF_NUMBER_MOST)
            return false;
        *number = *number * 10 + (uint64_t)(*at - '0');
    }
    *text = at + 1;
    return *at == end;
}

size_t wf_ledger_find_id(const wf_ledger *ledger, const char *instance, const char *id)
{
    size_t length = strlen(instance);
    uint64_t revision, ordinal;
    if (strncmp(id, instance, length) != 0 || id[length] != '/')
        return ledger->count;
    id += length + 1;
    if (!read_number(&id, '/', &revision) || !read_number(&id, '\0', &ordinal) ||
        ordinal > UINT32_MAX)
        return ledger->count;
    return wf_ledger_find(ledger, revision, (uint32_t)ordinal);
}

size_t wf_ledger_set(const wf_ledger *ledger, size_t index)
{
    const wf_invocation *self = &ledger->list[index];
    return self->set == 0 ? index : index - (self->ordinal - self->set);
}
