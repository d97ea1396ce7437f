/* JsonLogic: {"rule", "data"} or {"rule", "context"}. Evaluation ends within its limits, gives
 * the same result twice, and its value can be written and read again. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "logic/expr.h"

/* Parts may be shared: a small result can be a long text, which is left alone here. */
enum { STEPS = 20000, BYTES = 8 << 20, WEIGHT = 1 << 20 };

typedef struct setting {
    wf_arena compiled;
    wf_names keys;
    wf_resolver resolver;
    wf_value *slots;
    uint32_t slot_count;
    const wf_value *data;  /* NULL: context */
    wf_value event, instance;
} setting;

static void fill_slots(setting *self, const wf_value *context)
{
    self->slot_count = (uint32_t)self->keys.count;
    self->slots = calloc(self->slot_count + 1, sizeof *self->slots);
    for (uint32_t i = 0; context && context->type == WF_OBJECT && i < self->slot_count; i++) {
        const wf_name *key = &self->keys.list[i];
        const wf_value *found = wf_value_get(context, key->text, key->length);
        self->slots[i] = found ? *found : wf_absent();
    }
}

/* The result as text, or the status as a digit; freed by the caller. */
static char *evaluate(const setting *self, const wf_expr *expr, const wfsm_allocator *allocator)
{
    wf_arena arena;
    wf_value result;
    wf_arena_init(&arena, allocator, BYTES);
    wf_scope scope = {.arena = &arena,
                      .slots = self->slots,
                      .keys = &self->keys,
                      .slot_count = self->slot_count,
                      .event = &self->event,
                      .instance = &self->instance,
                      .data = self->data,
                      .steps = STEPS};
    int32_t status = wf_expr_eval(expr, &scope, &result);
    char *text;
    if (status == WFSM_OK) {
        fuzz_expect(result.type != WF_ABSENT, "a result is a value");
        wf_value weight = wf_number((double)wf_value_weight(&result));
        text = fuzz_text(wf_value_weight(&result) > WEIGHT ? &weight : &result);
    } else {
        fuzz_expect(status == WFSM_SEMANTIC || status == WFSM_LIMIT, "a status of evaluation");
        fuzz_expect(status == WFSM_LIMIT || scope.failure, "a failure has a reason");
        wf_value number = wf_number(status);
        text = fuzz_text(&number);
    }
    wf_arena_fini(&arena);
    return text;
}

static void check(const setting *self, const wf_expr *expr, const wfsm_allocator *allocator)
{
    fuzz_json parsed;
    char *first = evaluate(self, expr, allocator), *second = evaluate(self, expr, allocator);
    fuzz_expect(strcmp(first, second) == 0, "an expression is a pure function");
    fuzz_expect(fuzz_parse(&parsed, (uint8_t *)first, strlen(first)), "a result is JSON");
    fuzz_drop(&parsed);
    free(first);
    free(second);
}

static void run(const fuzz_json *json, bool guard)
{
    const wf_value *rule = wf_value_get_z(&json->value, "rule");
    const wf_value *context = wf_value_get_z(&json->value, "context");
    const wf_place place = {0};
    const wf_expr *expr = NULL;
    setting self = {.data = wf_value_get_z(&json->value, "data"),
                    .event = wf_null(),
                    .instance = wf_null()};
    wf_value none = wf_null();
    if (!self.data && !context)
        self.data = &none;
    wf_arena_init(&self.compiled, &json->allocator, 0);
    wf_names_init(&self.keys, &json->allocator);
    self.resolver.arena = &self.compiled;
    self.resolver.keys = context ? &self.keys : NULL;
    if (context) {
        const wf_value *event = wf_value_get_z(&json->value, "event");
        self.data = NULL;
        self.event = event ? *event : wf_null();
    }
    if (wf_expr_compile(&expr, rule, guard, &self.resolver, &place, NULL) == WFSM_OK) {
        fill_slots(&self, context);
        check(&self, expr, &json->allocator);
    }
    free(self.slots);
    wf_names_fini(&self.keys);
    wf_arena_fini(&self.compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_json json;
    if (!fuzz_parse(&json, data, size))
        return 0;
    if (json.value.type == WF_OBJECT && wf_value_get_z(&json.value, "rule")) {
        run(&json, false);
        run(&json, true);
    }
    fuzz_drop(&json);
    return 0;
}
