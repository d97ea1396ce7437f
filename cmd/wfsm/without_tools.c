/* In a build without libwfsm-tools: the commands that need it say so. */
#include "wfsm/commands.h"
#include "wfsm/simulate_watch.h"

#define MISSING                                                                                \
    "this wfsm was built without libwfsm-tools; build it with `meson setup "                   \
    "-Dverify=enabled`"

static int no_graph(int count, char **list)
{
    (void)count, (void)list;
    return cli_misused("graph: %s", MISSING);
}

static int no_verify(int count, char **list)
{
    (void)count, (void)list;
    return cli_misused("verify: %s", MISSING);
}

static int no_gate(int count, char **list)
{
    (void)count, (void)list;
    return cli_misused("gate: %s", MISSING);
}

const cli_command cmd_graph = {"graph", "draws a machine (not in this build)",
                               "wfsm graph: " MISSING ".\n", no_graph};
const cli_command cmd_verify = {"verify", "explores what can happen (not in this build)",
                                "wfsm verify: " MISSING ".\n", no_verify};
const cli_command cmd_gate = {"gate",
                              "checks a document before it is deployed (not in this build)",
                              "wfsm gate: " MISSING ".\n", no_gate};

bool sim_watch_begin(sim_watch *watch, wfsm_machine *machine, wfsm_error *error)
{
    (void)watch, (void)machine;
    wfsm_error_set(error, WFSM_INVALID, "--properties: " MISSING);
    return false;
}

void sim_watch_end(sim_watch *watch)
{
    (void)watch;
}

void sim_watch_line(sim_watch *watch)
{
    (void)watch;
}

void sim_watch_after(sim_watch *watch, wfsm_instance *instance, wfsm_error *error)
{
    (void)watch, (void)instance, (void)error;
}

void sim_watch_pass_over(sim_watch *watch, const wfsm_instance *instance)
{
    (void)watch;
    (void)instance;
}

void sim_watch_pass(sim_watch *watch, int64_t now, wfsm_error *error)
{
    (void)watch, (void)now, (void)error;
}

void sim_watch_names(const sim_watch *watch, int32_t watched, cli_text *names)
{
    (void)watch, (void)watched, (void)names;
}
