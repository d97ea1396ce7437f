#include "wfsm/work.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "wfsm/document.h"
#include "wfsm/shown.h"

/* ---- reading ---- */

static bool add_machine(work *self, const char *path)
{
    wfsm_machine *machine = document_load(path);
    if (!machine)
        return false;
    size_t count = self->machine_count + 1;
    self->machines = cli_need(realloc(self->machines, count * sizeof *self->machines));
    self->machines[self->machine_count++] = (work_machine){machine, true};
    return true;
}

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static int compare_names(const void *one, const void *two)
{
    return strcmp(*(char *const *)one, *(char *const *)two);
}

static bool list_folder(many *names, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        cli_say("%s: %s", path, strerror(errno));
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (ends_in_json(entry->d_name))
            many_add(names, entry->d_name);
    closedir(folder);
    if (names->count == 0)
        cli_say("%s: there is no machine document (*.json) in this folder", path);
    return names->count > 0;
}

static bool add_folder(work *self, const char *path)
{
    many names = {0};
    bool fine = list_folder(&names, path);
    if (fine)
        qsort(names.ids, names.count, sizeof *names.ids, compare_names);
    for (size_t i = 0; i < names.count && fine; i++) {
        cli_text file = {0};
        cli_text_add(&file, path, strlen(path));
        cli_text_add(&file, "/", 1);
        cli_text_add(&file, names.ids[i], strlen(names.ids[i]));
        fine = add_machine(self, file.data);
        cli_text_free(&file);
    }
    many_free(&names);
    return fine;
}

bool work_read_machines(work *self, const char *path)
{
    struct stat about;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return folder ? add_folder(self, path) : add_machine(self, path);
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
