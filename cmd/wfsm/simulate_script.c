#include "wfsm/simulate_script.h"

#include <string.h>
#include "wfsm/simulate_answers.h"

static bool play_line(sim_run *sim, wfsm_machine *machine, sim_answers *answers,
                      const cli_text *line)
{
    char why[SIM_WHY_BYTES];
    sim_input input;
    bool fine = sim_input_parse_by_hand(&input, line, why);
    answers->line = input.host;
    answers->next = 0;
    if (fine && !sim->instance)
        fine =
            input.kind == SIM_START && sim_start(sim, machine, answers->functions, input.json);
    else if (fine)
        fine = input.kind != SIM_START && sim_step(sim, &input);
    answers->line = NULL;
    sim_input_free(&input);
    return fine;
}

bool script_play(wfsm_machine *machine, const char *script, script_sink *sink, void *user)
{
    sim_answers answers = {.by_hand = true};
    sim_run sim = {.by_hand = true};
    cli_text line = {0};
    bool fine = sim_answers_fit(&answers, machine);
    while (fine && *script) {
        size_t length = strcspn(script, "\n");
        line.length = 0;
        cli_text_add(&line, script, length);
        fine = play_line(&sim, machine, &answers, &line) && sink(user, &line, &sim);
        script += length + (script[length] == '\n');
    }
    sim_end(&sim);
    sim_answers_free(&answers);
    cli_text_free(&line);
    return fine;
}
