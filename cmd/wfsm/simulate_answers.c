#include "wfsm/simulate_answers.h"

#include <stdlib.h>
#include <string.h>

static const char *option_of(int32_t kind)
{
    return kind == WFSM_USES_GUARDS ? "--guard" : "--action";
}

static bool value_fits(int32_t kind, const char *value)
{
    if (kind == WFSM_USES_GUARDS)
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    json_t *patch = json_loads(value, JSON_REJECT_DUPLICATES, NULL);
    bool fits = json_is_object(patch);
    json_decref(patch);
    return fits;
}

static const sim_given *find(const sim_answers *answers, int32_t kind, const char *name)
{
    for (size_t i = 0; i < answers->count; i++)
        if (answers->list[i].kind == kind && strcmp(answers->list[i].name, name) == 0)
            return &answers->list[i];
    return NULL;
}

/* A name may hold "=", and so may a patch; true and false do not. */
static const char *split(int32_t kind, const char *text)
{
    return kind == WFSM_USES_GUARDS ? strrchr(text, '=') : strchr(text, '=');
}

bool sim_answers_add(sim_answers *answers, int32_t kind, const char *text)
{
    const char *equals = split(kind, text);
    if (!equals || equals == text || !value_fits(kind, equals + 1)) {
        cli_misused("%s %s: expected NAME=%s", option_of(kind), text,
                    kind == WFSM_USES_GUARDS ? "true or NAME=false" : "PATCH, a JSON object");
        return false;
    }
    char *name = cli_need(strndup(text, (size_t)(equals - text)));
    if (find(answers, kind, name)) {
        cli_misused("%s %s is given twice", option_of(kind), name);
        free(name);
        return false;
    }
    answers->list =
        cli_need(realloc(answers->list, (answers->count + 1) * sizeof *answers->list));
    answers->list[answers->count++] = (sim_given){name, equals + 1, kind, answers};
    return true;
}

/* The next answer of the line; NULL if there is none. */
static const json_t *next_of_line(sim_answers *answers)
{
    return json_array_get(answers->line, answers->next++);
}

static int32_t guard(void *user, wfsm_call *call)
{
    const sim_given *given = user;
    const json_t *said = next_of_line(given->all);
    if (said ? !json_is_boolean(said) : !given->value)
        return wfsm_call_failed(call, NULL, "no answer was given");
    return wfsm_call_allow(call, said ? json_is_true(said) : strcmp(given->value, "true") == 0);
}

static int32_t patch(wfsm_call *call, const json_t *said)
{
    if (json_is_null(said))
        return WFSM_OK;
    if (!json_is_object(said))
        return wfsm_call_failed(call, NULL, "the function fails");
    char *text = cli_need(json_dumps(said, JSON_COMPACT));
    int32_t status = wfsm_call_patch(call, text, strlen(text));
    free(text);
    return status;
}

static int32_t action(void *user, wfsm_call *call)
{
    const sim_given *given = user;
    const json_t *said = next_of_line(given->all);
    if (said)
        return patch(call, said);
    if (!given->value)
        return wfsm_call_failed(call, NULL, "no answer was given");
    return wfsm_call_patch(call, given->value, strlen(given->value));
}

static bool uses(const wfsm_machine *machine, int32_t kind, const char *name)
{
    const char *used;
    for (size_t i = 0; (used = wfsm_machine_uses(machine, kind, i)); i++)
        if (strcmp(used, name) == 0)
            return true;
    return false;
}

static bool all_given(const sim_answers *answers, const wfsm_machine *machine, int32_t kind)
{
    bool fine = true;
    const char *used;
    for (size_t i = 0; (used = wfsm_machine_uses(machine, kind, i)); i++) {
        if (find(answers, kind, used))
            continue;
        cli_say("the machine uses the %s \"%s\": give its answer with %s %s=%s",
                kind == WFSM_USES_GUARDS ? "guard" : "action", used, option_of(kind), used,
                kind == WFSM_USES_GUARDS ? "true or =false" : "PATCH");
        fine = false;
    }
    return fine;
}

static bool all_used(const sim_answers *answers, const wfsm_machine *machine)
{
    bool fine = true;
    for (size_t i = 0; i < answers->count; i++) {
        const sim_given *given = &answers->list[i];
        if (uses(machine, given->kind, given->name))
            continue;
        cli_say("%s %s: the machine uses no such %s", option_of(given->kind), given->name,
                given->kind == WFSM_USES_GUARDS ? "guard" : "action");
        fine = false;
    }
    return fine;
}

/* The table does not change any more, because the callbacks have it. */
static int32_t add_to_functions(sim_answers *answers, sim_given *given, wfsm_error *error)
{
    if (given->kind == WFSM_USES_GUARDS)
        return wfsm_functions_add_guard(answers->functions, given->name, guard, given, error);
    return wfsm_functions_add_action(answers->functions, given->name, action, given, error);
}

/* By hand, the lines answer for those without an answer on the command line. */
static void add_missing(sim_answers *answers, const wfsm_machine *machine, int32_t kind)
{
    const char *used;
    for (size_t i = 0; (used = wfsm_machine_uses(machine, kind, i)); i++) {
        if (find(answers, kind, used))
            continue;
        answers->list =
            cli_need(realloc(answers->list, (answers->count + 1) * sizeof *answers->list));
        answers->list[answers->count++] =
            (sim_given){cli_need(strdup(used)), NULL, kind, answers};
    }
}

bool sim_answers_fit(sim_answers *answers, const wfsm_machine *machine)
{
    if (answers->by_hand) {
        add_missing(answers, machine, WFSM_USES_GUARDS);
        add_missing(answers, machine, WFSM_USES_ACTIONS);
    }
    bool guards = all_given(answers, machine, WFSM_USES_GUARDS);
    bool actions = all_given(answers, machine, WFSM_USES_ACTIONS);
    if (!all_used(answers, machine) || !guards || !actions)
        return false;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_functions_new(&answers->functions, NULL, error);
    for (size_t i = 0; i < answers->count && status == WFSM_OK; i++)
        status = add_to_functions(answers, &answers->list[i], error);
    if (status != WFSM_OK)
        cli_say_error("simulate", error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

void sim_answers_free(sim_answers *answers)
{
    wfsm_functions_free(answers->functions);
    for (size_t i = 0; i < answers->count; i++)
        free(answers->list[i].name);
    free(answers->list);
    *answers = (sim_answers){0};
}
