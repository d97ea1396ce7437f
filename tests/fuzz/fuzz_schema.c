/* The schema subset: {"schema", "value"}. A check gives the same result and reason twice. */
#include "fuzz.h"

#include <string.h>
#include "logic/schema.h"

static void check(const wf_schema *schema, const wf_value *value)
{
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status = wf_schema_check(schema, value, error);
    fuzz_expect(status == WFSM_OK || status == WFSM_SEMANTIC || status == WFSM_LIMIT,
                "a status of a check");
    fuzz_expect(status == WFSM_OK || strlen(wfsm_error_message(error)) > 0,
                "a mismatch has a reason");
    fuzz_expect(wf_schema_check(schema, value, NULL) == status, "a check is a pure function");
    wfsm_error_free(error);
}

static void check_keys(const wf_schema *schema, const wf_value *value)
{
    bool forbidden;
    if (value->type != WF_OBJECT)
        return;
    for (uint32_t i = 0; i < value->length; i++) {
        const wf_member *member = &value->as.members[i];
        const wf_schema *key = wf_schema_key(schema, member->key, member->length, &forbidden);
        if (key)
            check(key, &member->value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_json json;
    wf_arena arena;
    const wf_place place = {0};
    const wf_schema *compiled = NULL;
    if (!fuzz_parse(&json, data, size))
        return 0;
    wf_arena_init(&arena, &json.allocator, 0);
    const wf_value *schema =
        json.value.type == WF_OBJECT ? wf_value_get_z(&json.value, "schema") : NULL;
    const wf_value *value = schema ? wf_value_get_z(&json.value, "value") : NULL;
    if (value && wf_schema_compile(&compiled, schema, &arena, &place, NULL) == WFSM_OK) {
        check(compiled, value);
        check_keys(compiled, value);
        fuzz_expect(wf_value_equal(wf_schema_source(compiled), schema), "its source is kept");
    }
    wf_arena_fini(&arena);
    fuzz_drop(&json);
    return 0;
}
