#include "wfsm/work_ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t work_id_length(const char *id)
{
    const char *ordinal = strrchr(id, '/'), *dash = ordinal ? strchr(ordinal, '-') : NULL;
    return dash ? (size_t)(dash - id) : strlen(id);
}

bool work_id_same(const char *a, const char *b)
{
    size_t length = work_id_length(a);
    return work_id_length(b) == length && strncmp(a, b, length) == 0;
}

typedef struct search {
    unsigned long long revision, ordinal;
    json_int_t incarnation; /* 0: not found */
} search;

static int32_t look(void *user, const wfsm_row *row)
{
    search *self = user;
    json_t *record = json_loadb(row->text, row->length, JSON_ALLOW_NUL, NULL);
    size_t index;
    const json_t *one;
    json_array_foreach(json_object_get(record, "invocations"), index, one)
    {
        bool same = (unsigned long long)json_integer_value(json_object_get(one, "revision")) ==
                        self->revision &&
                    (unsigned long long)json_integer_value(json_object_get(one, "ordinal")) ==
                        self->ordinal;
        if (same)
            self->incarnation = json_integer_value(json_object_get(one, "incarnation"));
    }
    json_decref(record);
    return WFSM_OK;
}

const char *work_id_full(wfsm_store *store, const char *instance, const char *name,
                         char room[WORK_ID_BYTES])
{
    search self = {0};
    size_t length = strlen(instance);
    if (!name || strncmp(name, instance, length) != 0 || strchr(name + length, '-') ||
        sscanf(name + length, "/%llu/%llu", &self.revision, &self.ordinal) != 2)
        return name;
    (void)wfsm_store_records(store, instance, self.revision, self.revision, look, &self, NULL);
    if (self.incarnation == 0)
        return name;
    snprintf(room, WORK_ID_BYTES, "%.250s-%" JSON_INTEGER_FORMAT, name, self.incarnation);
    return room;
}

void work_id_cut_effect(cli_text *out, const char *effect, size_t length)
{
    static const char begins[] = "{\"id\":\"";
    size_t at = sizeof begins - 1, end = at;
    if (length <= at || strncmp(effect, begins, at) != 0) {
        cli_text_add(out, effect, length);
        return;
    }
    while (end < length && effect[end] != '"')
        end++;
    while (at < end && effect[at] != '-')
        at++;
    cli_text_add(out, effect, at);
    cli_text_add(out, effect + end, length - end);
}
