/* What of the command wfsm runs in a page: the commands that read a document and touch neither a
 * store, a server nor the clock of the machine, and `chart`, which only the page needs. Built for
 * WebAssembly by scripts/playground; built for this machine, too, so that the list of sources stays
 * right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/address.h"
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/report.h"
#include "wfsm/shown.h"
#include "wfsm/simulate_answers.h"
#include "wfsm/simulate_step.h"
#include "wfsm/verify_watch.h"

/* ---- chart ---- */

static const char chart_help[] = "usage: wfsm chart FILE\n"
                                 "\n"
                                 "Prints the chart of a machine document as SVG in HTML.\n"
                                 "\n"
                                 "Exit codes: 0 success; 1 the document has an error; 64 the "
                                 "command line is wrong.\n";

static int draw(const char *path)
{
    cli_text text = {0}, page = {0};
    wfsm_machine *machine = document_load(path);
    int code = machine && cli_read_file(path, &text) ? CLI_OK : CLI_FAILED;
    if (code == CLI_OK) {
        json_t *document = cli_need(json_loadb(text.data, text.length, 0, NULL));
        const report about = {.document = document};
        report_chart(&page, &about);
        fwrite(page.data, 1, page.length, stdout);
        json_decref(document);
    }
    wfsm_machine_unref(machine);
    cli_text_free(&page);
    cli_text_free(&text);
    return code == CLI_OK ? cli_finish(CLI_OK) : code;
}

static const char *only_file(int count, char **list)
{
    static const cli_option options[] = {{NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    return count == 1 && cli_next(&args) == CLI_OPERAND ? args.value : NULL;
}

static int run_chart(int count, char **list)
{
    const char *file = only_file(count, list);
    return file ? draw(file) : cli_misused("chart needs one file");
}

static const cli_command cmd_chart = {"chart", "draws a machine as SVG", chart_help, run_chart};

/* ---- state ---- */

static const char state_help[] =
    "usage: wfsm state FILE\n"
    "\n"
    "Reads the lines of wfsm simulate --by-hand, and prints what is possible after the last\n"
    "one: a JSON object with events, invocations, timers, and the guards and actions of the\n"
    "host.\n"
    "\n"
    "Exit codes: 0 success; 1 the machine has an error or cannot start; 2 a line is wrong;\n"
    "64 the command line is wrong.\n";

static void print_part(const char *key, const char *json)
{
    shown_printf("%s\"%s\": ", strcmp(key, "events") == 0 ? "{" : ", ", key);
    shown_fputs(json ? json : "[]", stdout);
}

/* The guards and actions that a host would answer. */
static void print_uses(const wfsm_machine *machine)
{
    const char *name;
    json_t *list = cli_need(json_array());
    for (int32_t kind = WFSM_USES_GUARDS; kind <= WFSM_USES_ACTIONS; kind++)
        for (size_t i = 0; (name = wfsm_machine_uses(machine, kind, i)); i++)
            json_array_append_new(list, cli_need(json_string(name)));
    shown_fputs(", \"host\": ", stdout);
    shown_json(list, stdout, JSON_COMPACT);
    json_decref(list);
}

static int print_state(wfsm_instance *instance)
{
    size_t length;
    print_part("events", wfsm_instance_events(instance, &length));
    print_part("invocations", wfsm_instance_invocations(instance, &length));
    print_part("timers", wfsm_instance_timers(instance, &length));
    print_uses(wfsm_instance_machine(instance));
    shown_fputs("}\n", stdout);
    return cli_finish(CLI_OK);
}

static bool play_line(sim_run *sim, const sim_input *input, wfsm_machine *machine,
                      sim_answers *answers)
{
    answers->line = input->host;
    answers->next = 0;
    if (!sim->instance)
        return input->kind == SIM_START &&
               sim_start(sim, machine, answers->functions, input->json);
    return input->kind != SIM_START &&
           (input->kind != SIM_ADVANCE || input->ms <= SIM_LAST_MS - sim->now) &&
           sim_step(sim, input);
}

static bool play(sim_run *sim, wfsm_machine *machine, sim_answers *answers)
{
    cli_text line = {0};
    const char *unread;
    char why[SIM_WHY_BYTES];
    bool fine = true;
    while (fine && sim_read_line(stdin, &line, &unread) == SIM_LINE) {
        sim_input input = {0};
        if (sim_line_is_blank(&line))
            continue;
        fine = sim_input_parse_by_hand(&input, &line, why) &&
               play_line(sim, &input, machine, answers);
        sim_input_free(&input);
    }
    cli_text_free(&line);
    return fine && sim->instance;
}

static int run_state(int count, char **list)
{
    const char *file = only_file(count, list);
    if (!file)
        return cli_misused("state needs one file");
    sim_answers answers = {.by_hand = true};
    sim_run sim = {.by_hand = true};
    wfsm_machine *machine = document_load(file);
    int code = machine && sim_answers_fit(&answers, machine) ? CLI_OK : CLI_FAILED;
    if (code == CLI_OK)
        code = play(&sim, machine, &answers) ? print_state(sim.instance) : CLI_BAD_LINE;
    sim_end(&sim);
    sim_answers_free(&answers);
    wfsm_machine_unref(machine);
    return code;
}

static const cli_command cmd_state = {"state", "tells what is possible after lines of JSON",
                                      state_help, run_state};

const cli_command *const commands_all[] = {&cmd_chart, &cmd_check,  &cmd_graph, &cmd_simulate,
                                           &cmd_state, &cmd_verify, NULL};

/* ---- what a page does not have ---- */

/* No address of a server, and so no password, is among the arguments. */
bool address_hide_all(int count, char **list)
{
    (void)count;
    (void)list;
    return true;
}

verify_watch *verify_watch_new(const char *path)
{
    cli_say("%s: a page cannot watch a file", path);
    return NULL;
}

bool verify_watch_wait(verify_watch *self)
{
    (void)self;
    return false;
}

void verify_watch_free(verify_watch *self)
{
    (void)self;
}
