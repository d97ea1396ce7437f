#include "wfsm/crash_script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const int32_t kinds[] = {
    [SIM_EVENT] = WFSM_TESTKIT_EVENT,     [SIM_ADVANCE] = WFSM_TESTKIT_ADVANCE,
    [SIM_PATCH] = WFSM_TESTKIT_PATCH,     [SIM_CHECKPOINT] = WFSM_TESTKIT_CHECKPOINT,
    [SIM_RESTORE] = WFSM_TESTKIT_RESTORE, [SIM_DONE] = WFSM_TESTKIT_RESULT,
    [SIM_FAILED] = WFSM_TESTKIT_FAILURE,  [SIM_APPROVE] = WFSM_TESTKIT_APPROVE,
    [SIM_RETRY] = WFSM_TESTKIT_RETRY,
};

static int bad_line(const char *path, size_t number, const char *why)
{
    cli_say("%s: line %zu: %s", path, number, why);
    return CLI_BAD_LINE;
}

static void keep_line(crash_script *script, const sim_input *line)
{
    size_t count = script->count + 1;
    script->lines = cli_need(realloc(script->lines, count * sizeof *script->lines));
    script->lines[script->count] = *line;
    script->count = count;
}

static int parse_line(crash_script *script, const char *path, const cli_text *line,
                      size_t number, int64_t *clock)
{
    char why[SIM_WHY_BYTES];
    sim_input input;
    int code = CLI_OK;
    if (!sim_input_parse(&input, line, why))
        code = bad_line(path, number, why);
    else if (input.kind == SIM_ADVANCE && input.ms > SIM_LAST_MS - *clock)
        code = bad_line(path, number, "\"advance\": the clock ends at 2^53 ms");
    if (code != CLI_OK) {
        sim_input_free(&input);
        return code;
    }
    *clock += input.ms;
    keep_line(script, &input);
    return CLI_OK;
}

static int read_lines(crash_script *script, const char *path, FILE *file)
{
    cli_text line = {0};
    const char *why = NULL;
    enum sim_line got;
    int64_t clock = 0;
    int code = CLI_OK;
    size_t number = 0;
    while (code == CLI_OK && (got = sim_read_line(file, &line, &why)) != SIM_END) {
        number++;
        if (got == SIM_UNREADABLE)
            code = bad_line(path, number, why);
        else if (!sim_line_is_blank(&line))
            code = parse_line(script, path, &line, number, &clock);
    }
    cli_text_free(&line);
    return code;
}

static void make_inputs(crash_script *script)
{
    size_t room = script->count + 1;
    script->inputs = cli_need(calloc(room, sizeof *script->inputs));
    script->list = cli_need(calloc(room, sizeof *script->list));
    for (size_t i = 0; i < script->count; i++) {
        const sim_input *line = &script->lines[i];
        script->inputs[i] = (wfsm_testkit_input){
            .size = sizeof *script->inputs,
            .kind = kinds[line->kind],
            .name = line->name,
            .id = line->id,
            .failure_class = line->failure_class,
            .json = line->json,
            .length = line->json ? strlen(line->json) : 0,
            .ms = line->ms,
            .revision = line->revision,
            .approval = &line->vote,
        };
        script->list[i] = &script->inputs[i];
    }
}

int crash_script_read(crash_script *script, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!file) {
        cli_say("%s: %s", path, strerror(errno));
        return CLI_FAILED;
    }
    int code = read_lines(script, path, file);
    if (file != stdin)
        fclose(file);
    make_inputs(script);
    return code;
}

void crash_script_free(crash_script *script)
{
    for (size_t i = 0; i < script->count; i++)
        sim_input_free(&script->lines[i]);
    free(script->lines);
    free(script->inputs);
    free(script->list);
    *script = (crash_script){0};
}
