/* Mutations that keep JSON well formed, because most random changes of bytes only reach the
 * parser. A value is replaced by another one of the same document or by an extreme one, or a
 * member or element is left out or doubled. */
#include "fuzz.h"

#include <string.h>
#include "base/memory.h"

static const char *const borders[] = {
    "null",
    "true",
    "0",
    "-1",
    "1",
    "0.5",
    "9007199254740991",
    "-9007199254740991",
    "1e300",
    "\"\"",
    "\"a\"",
    "\"a.b.*\"",
    "\"*\"",
    "\"#a\"",
    "\".a\"",
    "\"\\u00e9\"",
    "[]",
    "{}",
    "[[]]",
    "[null,1,\"a\"]",
    "{\"a\":1,\"b\":{\"a\":[]}}",
    "{\"var\":\"context.n\"}",
    "{\"var\":\"event.data\"}",
    "{\"var\":\"\"}",
    "{\"val\":[[2],\"context\",\"n\"]}",
    "{\"val\":[[1],\"index\"]}",
    "{\"throw\":[]}",
    "[\"#a\",\"#b\"]",
    "{\"type\":\"raise\",\"params\":{\"event\":\"a\",\"delay\":0}}"};
enum { BORDERS = sizeof borders / sizeof *borders };

typedef struct mutation {
    wf_buffer out;
    unsigned random;
    uint32_t nodes;  /* of the document */
    uint32_t at;     /* the one that is changed */
    uint32_t next;   /* numbers given so far while writing */
    uint32_t donor;  /* the node that takes its place */
    unsigned kind;   /* 0 border, 1 donor, 2 leave out, 3 double */
    const wf_value *donor_value;
} mutation;

static unsigned draw(mutation *self, unsigned below)
{
    self->random = self->random * 1103515245u + 12345u;
    return (self->random >> 16) % below;
}

static void walk(mutation *self, const wf_value *value)
{
    if (self->nodes++ == self->donor)
        self->donor_value = value;
    if (value->type == WF_ARRAY)
        for (uint32_t i = 0; i < value->length; i++)
            walk(self, &value->as.items[i]);
    if (value->type == WF_OBJECT)
        for (uint32_t i = 0; i < value->length; i++)
            walk(self, &value->as.members[i].value);
}

static void put(mutation *self, const wf_value *value);

static void put_parts(mutation *self, const wf_value *value, bool object)
{
    bool any = false;
    wf_buffer_byte(&self->out, object ? '{' : '[');
    for (uint32_t i = 0; i < value->length; i++) {
        const wf_value *part = object ? &value->as.members[i].value : &value->as.items[i];
        bool here = self->next == self->at;
        unsigned times = here && self->kind == 2              ? 0
                         : here && self->kind == 3 && !object ? 2
                                                              : 1;
        uint32_t first = self->next;
        if (times == 0)
            self->at = UINT32_MAX;
        for (unsigned t = 0; t < times; t++) {
            if (any)
                wf_buffer_byte(&self->out, ',');
            any = true;
            if (object) {
                wf_json_write_text(&self->out, value->as.members[i].key,
                                   value->as.members[i].length);
                wf_buffer_byte(&self->out, ':');
            }
            self->next = first;
            put(self, part);
        }
    }
    wf_buffer_byte(&self->out, object ? '}' : ']');
}

static void put(mutation *self, const wf_value *value)
{
    if (self->next++ == self->at && self->kind < 2) {
        self->at = UINT32_MAX;
        if (self->kind == 1 && self->donor_value)
            wf_json_write(&self->out, self->donor_value);
        else
            wf_buffer_text(&self->out, borders[draw(self, BORDERS)]);
    } else if (value->type == WF_ARRAY || value->type == WF_OBJECT) {
        put_parts(self, value, value->type == WF_OBJECT);
    } else {
        wf_json_write(&self->out, value);
    }
}

static size_t mutate(mutation *self, const wf_value *value, uint8_t *data, size_t room)
{
    size_t length = 0;
    self->donor = UINT32_MAX;
    walk(self, value);
    self->at = draw(self, self->nodes);
    self->donor = draw(self, self->nodes);
    self->kind = draw(self, 4);
    walk(self, value);
    put(self, value);
    if (!self->out.failed && self->out.length <= room) {
        length = self->out.length;
        memcpy(data, self->out.data, length);
    }
    return length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    fuzz_json json;
    mutation self = {.random = seed};
    if (draw(&self, 4) == 0 || !fuzz_parse(&json, data, size))
        return LLVMFuzzerMutate(data, size, room);
    wf_buffer_init(&self.out, &json.allocator);
    size_t length = mutate(&self, &json.value, data, room);
    wf_buffer_fini(&self.out);
    fuzz_drop(&json);
    return length > 0 ? length : LLVMFuzzerMutate(data, size, room);
}
