/* Evaluates a line [rule, data] after the other, for the differential test: prints the
 * result as JSON, or a line that begins with '!' and the reason. */
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "logic/expr.h"

typedef struct tool {
    wf_arena arena;
    wf_buffer out;
    wfsm_error *error;
} tool;

static int32_t evaluate(tool *t, const char *line, size_t length, wf_value *result,
                        const char **why)
{
    wf_resolver resolver = {.arena = &t->arena};
    wf_scope scope = {.arena = &t->arena, .steps = WF_EVAL_STEPS};
    const wf_expr *expr;
    wf_value pair;
    int32_t status = wf_json_parse(&t->arena, line, length, &pair, t->error);

    if (!status)
        status = wf_expr_compile(&expr, &pair.as.items[0], false, &resolver, NULL, t->error);
    *why = wfsm_error_message(t->error);
    if (status)
        return status;
    scope.data = &pair.as.items[1];
    status = wf_expr_eval(expr, &scope, result);
    *why = scope.failure;
    return status;
}

static void answer(tool *t, const char *line)
{
    wf_value result;
    const char *why;

    wf_arena_reset(&t->arena);
    wf_buffer_clear(&t->out);
    if (evaluate(t, line, strlen(line), &result, &why)) {
        printf("!%s\n", why);
        return;
    }
    wf_json_write(&t->out, &result);
    printf("%s\n", t->out.data);
}

int main(void)
{
    static char line[1 << 16];
    wfsm_allocator memory;
    tool t;

    wf_allocator_init(&memory, NULL);
    wf_arena_init(&t.arena, &memory, 1 << 26);
    wf_buffer_init(&t.out, &memory);
    t.error = wfsm_error_new(NULL);
    while (fgets(line, sizeof line, stdin))
        answer(&t, line);
    wf_arena_fini(&t.arena);
    wf_buffer_fini(&t.out);
    wfsm_error_free(t.error);
    return 0;
}
