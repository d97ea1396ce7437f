#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/simulate_answers.h"
#include "wfsm/simulate_print.h"

static const char help[] =
    "usage: wfsm simulate FILE [--guard NAME=true|false]… [--action NAME=PATCH]… [--by-hand]\n"
    "                          [--properties]\n"
    "\n"
    "Starts an instance of a machine document in memory, under virtual time from 0, and\n"
    "steps it by hand. It reads one JSON object per line from the standard input and\n"
    "writes one per line: first the start, then one for each line that it reads.\n"
    "\n"
    "  {\"event\": NAME, \"data\": …, \"id\": \"…\"}   sends an event; data, id and origin are\n"
    "                                        optional\n"
    "  {\"advance\": MS}                         moves the clock, from deadline to deadline\n"
    "  {\"patch\": {…}}                          replaces keys of the context\n"
    "  {\"checkpoint\": \"ID\"}                    stores the state under an id\n"
    "  {\"restore\": \"ID\" or REVISION}           goes back to that state, or to a revision\n"
    "  {\"done\": INVOCATION, \"output\": …}       an agent's answer; output and usage are\n"
    "                                        optional\n"
    "  {\"failed\": INVOCATION, \"class\": \"…\"}    an agent's failure; the default is "
    "\"other\"\n"
    "                                        message, signature, usage and retryAfter are\n"
    "                                        optional\n"
    "  {\"retry\": INVOCATION}                 begins its next attempt without waiting\n"
    "  {\"approve\": {…}, \"id\": \"…\"}            the vote of a person: invocation, by, decision\n"
    "                                        (approve or reject), digest and reason\n"
    "\n"
    "SIMULATION in wfsm(1) explains each.\n"
    "\n"
    "  --guard NAME=true|false   the answer of a guard that the machine leaves to its host\n"
    "  --action NAME=PATCH       the answer of such an action: a JSON object whose keys\n"
    "                            replace those of the context; {} changes nothing\n"
    "\n"
    "  --by-hand                 nothing fires by itself, as the scripts of wfsm verify\n"
    "                            require. The first line is {\"start\": INPUT or null}.\n"
    "                            {\"fire\": true} fires one timer that is due. {\"advance\": "
    "MS}\n"
    "                            only moves the clock. {\"claim\": INVOCATION} gives an\n"
    "                            invocation to its agent. \"host\": [ANSWER, …] in any line "
    "gives\n"
    "                            the answers of guards and actions in the order of the calls:\n"
    "                            true, false, a patch, null for no change, \"fail\"\n"
    "  --properties              each answer lists the properties of the document that the\n"
    "                            line has violated, and those that still wait for something;\n"
    "                            and names an event whose data breaks the document's assume\n"
    "\n"
    "Exit codes: 0 success; 1 the machine has an error or cannot start, or a guard or\n"
    "action has no answer or is not used; 2 a line is wrong, and the message names it; 3 a\n"
    "property was violated; 64 the command line is wrong.\n";

enum { SIM_VIOLATED = 3 };

typedef struct sim_request {
    const char *file;
    sim_answers answers;
} sim_request;

static int operand(sim_request *request, const char *value)
{
    if (request->file)
        return cli_misused("simulate takes one file");
    if (strcmp(value, "-") == 0)
        return cli_misused(
            "simulate reads lines from the standard input, so the machine must be a file");
    request->file = value;
    return CLI_OK;
}

static int parse(sim_request *request, cli_args *args)
{
    int found;
    while ((found = cli_next(args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == CLI_OPERAND) {
            if (operand(request, args->value) != CLI_OK)
                return CLI_USAGE;
            continue;
        }
        if (found == 2 || found == 3) {
            *(found == 2 ? &request->answers.by_hand : &request->answers.watched) = true;
            continue;
        }
        int32_t kind = found == 0 ? WFSM_USES_GUARDS : WFSM_USES_ACTIONS;
        if (!sim_answers_add(&request->answers, kind, args->value))
            return CLI_USAGE;
    }
    return request->file ? CLI_OK : cli_misused("simulate needs a file");
}

static int cannot_write(void)
{
    cli_say("cannot write to the standard output: %s", strerror(errno));
    return CLI_FAILED;
}

static int bad_line(size_t number, const char *why)
{
    cli_say("line %zu: %s", number, why);
    return CLI_BAD_LINE;
}

static int start(sim_run *sim, wfsm_machine *machine, const sim_answers *answers,
                 const char *input)
{
    bool started = sim_start(sim, machine, answers->functions, input);
    if (!sim_print(stdout, sim))
        return cannot_write();
    if (started)
        return CLI_OK;
    cli_say("the machine cannot start: %s", sim->answer.message.data);
    return CLI_FAILED;
}

/* By hand, only the first line starts the instance. */
static int start_line(sim_run *sim, const sim_input *input, wfsm_machine *machine,
                      const sim_answers *answers, size_t number)
{
    if (input->kind != SIM_START)
        return bad_line(number, "--by-hand: the first line must be {\"start\": …}");
    return start(sim, machine, answers, input->json);
}

static int answer_line(sim_run *sim, const cli_text *line, size_t number, wfsm_machine *machine,
                       sim_answers *answers)
{
    char why[SIM_WHY_BYTES];
    sim_input input;
    int code = CLI_OK;
    bool fine = sim->by_hand ? sim_input_parse_by_hand(&input, line, why)
                             : sim_input_parse(&input, line, why);
    answers->line = input.host;
    answers->next = 0;
    if (!fine) {
        code = bad_line(number, why);
    } else if (!sim->instance) {
        code = start_line(sim, &input, machine, answers, number);
    } else if (input.kind == SIM_START) {
        code = bad_line(number, "\"start\": it has been started");
    } else if (input.kind == SIM_ADVANCE && input.ms > SIM_LAST_MS - sim->now) {
        code = bad_line(number, "\"advance\": the clock ends at 2^53 ms");
    } else {
        bool continues = sim_step(sim, &input);
        if (!sim_print(stdout, sim))
            code = cannot_write();
        else if (!continues) {
            cli_say("%s", sim->answer.message.data);
            code = CLI_FAILED;
        }
    }
    answers->line = NULL;
    sim_input_free(&input);
    return code;
}

static int answer_lines(sim_run *sim, wfsm_machine *machine, sim_answers *answers)
{
    cli_text line = {0};
    const char *why = NULL;
    enum sim_line got;
    int code = CLI_OK;
    size_t number = 0;
    while (code == CLI_OK && (got = sim_read_line(stdin, &line, &why)) != SIM_END) {
        number++;
        if (got == SIM_UNREADABLE)
            code = bad_line(number, why);
        else if (!sim_line_is_blank(&line))
            code = answer_line(sim, &line, number, machine, answers);
    }
    cli_text_free(&line);
    return code;
}

static int simulate(wfsm_machine *machine, sim_answers *answers)
{
    sim_run sim = {.by_hand = answers->by_hand, .watched = answers->watched};
    int code = answers->by_hand ? CLI_OK : start(&sim, machine, answers, NULL);
    if (code == CLI_OK)
        code = answer_lines(&sim, machine, answers);
    if (code == CLI_OK && sim.watch.ever)
        code = SIM_VIOLATED;
    sim_end(&sim);
    return code;
}

static int run(int count, char **list)
{
    static const cli_option options[] = {{"--guard", true},
                                         {"--action", true},
                                         {"--by-hand", false},
                                         {"--properties", false},
                                         {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    sim_request request = {0};
    wfsm_machine *machine = NULL;
    int code = parse(&request, &args);
    if (code == CLI_OK) {
        machine = document_load(request.file);
        code = machine && sim_answers_fit(&request.answers, machine) ? CLI_OK : CLI_FAILED;
    }
    if (code == CLI_OK)
        code = simulate(machine, &request.answers);
    sim_answers_free(&request.answers);
    wfsm_machine_unref(machine);
    return code;
}

const cli_command cmd_simulate = {"simulate", "steps a machine with lines of JSON", help, run};
