/* store/attributes.c: the values of a document's `attributes`, by which stores find instances. */
#include <string.h>
#include <wfsm/machine.h>
#include "base/error.h"
#include "logic/json.h"
#include "store/record.h"

/* No store has to index more. */
static bool can_be_found(const wf_value *value)
{
    return value->type == WF_NUMBER || value->type == WF_BOOLEAN ||
           (value->type == WF_STRING && value->length <= WFSM_ATTRIBUTE_BYTES);
}

static int32_t evaluate(const wf_snapshot *snapshot, const wf_expr *rule, wf_arena *arena,
                        wf_value *value)
{
    wf_value none = wf_null();
    wf_scope scope = {.arena = arena,
                      .slots = snapshot->slots,
                      .keys = wf_snapshot_keys(snapshot),
                      .slot_count = (uint32_t)snapshot->slot_count,
                      .event = &none,
                      .instance = &none,
                      .budgets = &none,
                      .repeated = &none,
                      .active = snapshot->active,
                      .steps = snapshot->machine->limits.rule_steps};
    return wf_expr_eval(rule, &scope, value);
}

static void write_one(wf_buffer *out, const wf_attribute *attribute, const wf_value *value)
{
    wf_value name = wf_string_z(attribute->name);

    if (out->length > 1)
        wf_buffer_byte(out, ',');
    wf_json_write(out, &name);
    wf_buffer_byte(out, ':');
    wf_json_write(out, value);
}

static void write_all(wf_buffer *out, const wf_snapshot *snapshot, wf_arena *arena)
{
    const wfsm_machine *machine = snapshot->machine;

    for (uint32_t i = 0; i < machine->attribute_count; i++) {
        wf_value value;
        int32_t status = evaluate(snapshot, machine->attributes[i].rule, arena, &value);

        if (status == WFSM_NO_MEMORY && !arena->exceeded)
            out->failed = true;
        if (status == WFSM_OK && can_be_found(&value))
            write_one(out, &machine->attributes[i], &value);
        wf_arena_reset(arena);
    }
}

void wf_write_attributes(wf_buffer *out, const wf_snapshot *snapshot)
{
    wf_buffer_byte(out, '{');
    if (snapshot->machine->attribute_count > 0) {
        wf_arena arena;

        wf_arena_init(&arena, out->allocator, snapshot->machine->limits.step_bytes);
        write_all(out, snapshot, &arena);
        wf_arena_fini(&arena);
    }
    wf_buffer_byte(out, '}');
}

/* ---- what others give ---- */

/* Names ascend, so none comes twice. */
static bool are_attributes(const wf_value *object)
{
    const char *last = "";
    bool fine = object->type == WF_OBJECT;

    for (uint32_t i = 0; fine && i < object->length; i++) {
        const wf_member *member = &object->as.members[i];

        fine =
            member->length > 0 && strcmp(last, member->key) < 0 && can_be_found(&member->value);
        last = member->key;
    }
    return fine;
}

int32_t wf_attributes_check(const char *text, const wfsm_allocator *allocator,
                            wfsm_error *error)
{
    wf_arena arena;
    wf_value value;
    bool fine;
    int32_t status;

    if (!text || strcmp(text, "{}") == 0)
        return WFSM_OK;
    wf_arena_init(&arena, allocator, 0);
    status = wf_json_parse(&arena, text, strlen(text), &value, NULL);
    fine = status == WFSM_OK && are_attributes(&value);
    wf_arena_fini(&arena);
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(error);
    return fine ? WFSM_OK
                : wf_fail(
                      error, WFSM_INVALID,
                      "the attributes of a commit are no JSON object of numbers, booleans and "
                      "strings with ascending names");
}

bool wf_attributes_same(const char *left, const char *right, const wfsm_allocator *allocator)
{
    wf_arena arena;
    wf_value a, b;
    bool same;

    if (strcmp(left, right) == 0)
        return true;
    wf_arena_init(&arena, allocator, 0);
    same = wf_json_parse(&arena, left, strlen(left), &a, NULL) == WFSM_OK &&
           wf_json_parse(&arena, right, strlen(right), &b, NULL) == WFSM_OK &&
           wf_value_equal(&a, &b);
    wf_arena_fini(&arena);
    return same;
}
