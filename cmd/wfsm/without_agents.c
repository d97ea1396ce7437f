/* In place of libwfsm-agents where it was not built: there is no worker, no agent is tried, and votes are neither signed
 * nor checked. */
#include <wfsm/sign.h>
#include "wfsm/commands.h"
#include "wfsm/trace.h"

#define MISSING                                                                                \
    "this wfsm was built without libwfsm-agents; build it with `meson setup "                  \
    "-Dagents=enabled`"

static int no_work(int count, char **list)
{
    (void)count, (void)list;
    return cli_misused("work: %s", MISSING);
}

const cli_command cmd_work = {"work", "runs workflows with agents (not in this build)",
                              "wfsm work: " MISSING ".\n", no_work};

static int no_agents(int count, char **list)
{
    (void)count, (void)list;
    return cli_misused("agents: %s", MISSING);
}

const cli_command cmd_agents = {"agents", "tries the agents of a file (not in this build)",
                                "wfsm agents: " MISSING ".\n", no_agents};

static int no_schedules(int count, char **list)
{
    (void)count, (void)list;
    return cli_misused("schedules: %s", MISSING);
}

const cli_command cmd_schedules = {"schedules", "shows schedules (not in this build)",
                                   "wfsm schedules: " MISSING ".\n", no_schedules};
const cli_command cmd_schedule = {"schedule", "changes schedules (not in this build)",
                                  "wfsm schedule: " MISSING ".\n", no_schedules};

json_t *trace_models(const char *path)
{
    cli_say("%s: %s", path, MISSING);
    return NULL;
}

static int32_t refuse(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_INVALID,
                          "signed votes are not in this build: they need libwfsm-agents");
}

int32_t wfsm_key_make(const char *path, char *public_key, wfsm_error *error)
{
    (void)path;
    (void)public_key;
    return refuse(error);
}

int32_t wfsm_key_public(const char *path, char *public_key, wfsm_error *error)
{
    return wfsm_key_make(path, public_key, error);
}

int32_t wfsm_vote_sign(const wfsm_approval *vote, const char *path, char *public_key,
                       char *signature, wfsm_error *error)
{
    (void)vote;
    (void)signature;
    return wfsm_key_make(path, public_key, error);
}

int32_t wfsm_vote_verify(const wfsm_approval *vote, wfsm_error *error)
{
    (void)vote;
    return refuse(error);
}
