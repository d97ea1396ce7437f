#include "mutate.h"

#include <string.h>
#include "logic/json.h"

/* The text that replaces a value. */
static const char *const others[] = {
    "null", "true",  "0",  "1",  "-1",   "0.5", "1e300", "9007199254740992", "9007199254740993",
    "\"\"", "\"x\"", "[]", "{}", "[[]]",
};
enum { OTHERS = sizeof others / sizeof *others };
enum { DROP = OTHERS, TWICE, RENAME, SWAP, WAYS };

typedef struct mutation {
    wf_buffer *out;
    size_t place, seen; /* the place that changes, those seen so far */
    size_t way;
    bool done;
} mutation;

static void write(mutation *self, const wf_value *value);

static bool is_here(mutation *self)
{
    return self->seen++ == self->place;
}

static void write_value(mutation *self, const wf_value *value, bool here)
{
    if (here && self->way < OTHERS) {
        self->done = true;
        wf_buffer_text(self->out, others[self->way]);
        return;
    }
    write(self, value);
}

static void comma(mutation *self, char open)
{
    if (self->out->data[self->out->length - 1] != open)
        wf_buffer_byte(self->out, ',');
}

static void write_part(mutation *self, const wf_value *whole, uint32_t index, bool here)
{
    bool object = whole->type == WF_OBJECT;
    const wf_member *member = object ? &whole->as.members[index] : NULL;
    comma(self, object ? '{' : '[');
    if (object) {
        wf_json_write_text(self->out, member->key, member->length);
        if (here && self->way == RENAME) {
            self->done = true;
            self->out->data[self->out->length - 1] = 'x';
            wf_buffer_byte(self->out, '"');
        }
        wf_buffer_byte(self->out, ':');
    }
    write_value(self, object ? &member->value : &whole->as.items[index], here);
}

static void write_parts(mutation *self, const wf_value *value)
{
    for (uint32_t i = 0; i < value->length; i++) {
        bool here = is_here(self);
        bool swap = here && self->way == SWAP && i + 1 < value->length;
        if (here && self->way == DROP) {
            self->done = true;
            continue;
        }
        if (swap) {
            self->done = true;
            write_part(self, value, i + 1, false);
        }
        write_part(self, value, i, here);
        if (here && self->way == TWICE) {
            self->done = true;
            write_part(self, value, i, false);
        }
        i += swap;
    }
}

static void write(mutation *self, const wf_value *value)
{
    if (value->type != WF_ARRAY && value->type != WF_OBJECT) {
        wf_json_write(self->out, value);
        return;
    }
    wf_buffer_byte(self->out, value->type == WF_ARRAY ? '[' : '{');
    write_parts(self, value);
    wf_buffer_byte(self->out, value->type == WF_ARRAY ? ']' : '}');
}

static size_t places(const wf_value *value)
{
    size_t count = 0;
    bool object = value->type == WF_OBJECT;
    if (object || value->type == WF_ARRAY)
        for (uint32_t i = 0; i < value->length; i++)
            count += 1 + places(object ? &value->as.members[i].value : &value->as.items[i]);
    return count;
}

bool mutate(const wf_value *value, size_t n, wf_buffer *out)
{
    mutation self = {.out = out, .place = n / WAYS, .way = n % WAYS};
    wf_buffer_clear(out);
    write(&self, value);
    return n < places(value) * WAYS;
}
