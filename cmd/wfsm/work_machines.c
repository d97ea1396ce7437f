#include "wfsm/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/machine_files.h"
#include "wfsm/shown.h"

/* ---- reading ---- */

bool work_read_machines(work *self, const char *path)
{
    machine_files files = {0};
    bool fine = machine_files_read(&files, path);
    size_t count = self->machine_count + files.count;
    self->machines = cli_need(realloc(self->machines, (count + 1) * sizeof *self->machines));
    for (size_t i = 0; i < files.count; i++)
        self->machines[self->machine_count++] = (work_machine){files.list[i], true};
    free(files.list);
    return fine;
}

void work_free_machines(work *self)
{
    for (size_t i = 0; i < self->machine_count; i++)
        wfsm_machine_unref(self->machines[i].machine);
    free(self->machines);
}

/* ---- choosing ---- */

static bool has_agent(const work *self, const char *name)
{
    const char *found = "";
    for (size_t i = 0; found && (found = wfsm_agents_name(self->agents, i)); i++)
        if (strcmp(found, name) == 0)
            return true;
    return false;
}

static bool serves_machine(const work *self, const char *id)
{
    for (size_t i = 0; i < self->machine_count; i++)
        if (self->machines[i].is_served &&
            strcmp(wfsm_machine_id(self->machines[i].machine), id) == 0)
            return true;
    return false;
}

/* People answer in other programs, and the engine itself runs machines. */
static bool can_do(const work *self, const char *agent)
{
    static const char machine[] = "machine:", person[] = "person";
    if (strncmp(agent, machine, sizeof machine - 1) == 0)
        return serves_machine(self, agent + sizeof machine - 1);
    if (strcmp(agent, person) == 0 || strncmp(agent, "person.", sizeof person) == 0)
        return true;
    return has_agent(self, agent);
}

/* What this worker does not have, and its kind; NULL: it has all. */
static const char *missing(const work *self, const wfsm_machine *machine, const char **kind)
{
    const char *name;
    *kind = "guard";
    if ((name = wfsm_machine_uses(machine, WFSM_USES_GUARDS, 0)))
        return name;
    *kind = "action";
    if ((name = wfsm_machine_uses(machine, WFSM_USES_ACTIONS, 0)))
        return name;
    *kind = "agent";
    for (size_t i = 0; (name = wfsm_machine_uses(machine, WFSM_USES_AGENTS, i)); i++)
        if (!can_do(self, name))
            return name;
    return NULL;
}

static void say_missing(const wfsm_machine *machine, const char *kind, const char *name)
{
    shown_printf(
        "leaves %s (%.12s) alone: it needs the %s %s, which this worker does not have\n",
        wfsm_machine_id(machine), wfsm_machine_fingerprint(machine), kind, name);
}

/* A machine that is not served may be the child of another one, so this is repeated. */
static bool drop_one(work *self)
{
    for (size_t i = 0; i < self->machine_count; i++) {
        work_machine *one = &self->machines[i];
        const char *kind, *name = one->is_served ? missing(self, one->machine, &kind) : NULL;
        if (name) {
            say_missing(one->machine, kind, name);
            one->is_served = false;
            return true;
        }
    }
    return false;
}

bool work_choose_machines(work *self)
{
    size_t count = 0;
    while (drop_one(self))
        continue;
    for (size_t i = 0; i < self->machine_count; i++) {
        if (!self->machines[i].is_served)
            continue;
        shown_printf("serves %s\n", wfsm_machine_id(self->machines[i].machine));
        count++;
    }
    if (count == 0)
        cli_say("there is no machine whose agents this worker has");
    return count > 0;
}
