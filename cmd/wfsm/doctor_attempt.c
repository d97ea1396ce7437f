#include "wfsm/doctor_attempt.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/loop.h>

#include "wfsm/cli.h"

static const char machine_text[] =
    "{\"wfsm\": 1, \"id\": \"doctor\", \"initial\": \"trying\","
    " \"context\": {\"input\": null, \"output\": null, \"failure\": null},"
    " \"states\": {"
    "  \"trying\": {\"invoke\": {\"src\": \"attempt\", \"input\": {\"var\": \"context.input\"},"
    "   \"onDone\": {\"target\": \"end\", \"actions\":"
    "    {\"type\": \"assign\", \"params\": {\"output\": {\"var\": \"event.data\"}}}},"
    "   \"onError\": {\"target\": \"end\", \"actions\":"
    "    {\"type\": \"assign\", \"params\": {\"failure\": {\"var\": \"event.data\"}}}}}},"
    "  \"end\": {\"type\": \"final\"}}}";

/* What an attempt needs, so that all of it is freed in one place. */
typedef struct attempt {
    wfsm_agents *agents;
    wfsm_store *store;
    wfsm_machine *machine;
    wfsm_loop *loop;
} attempt;

bool doctor_folder_make(char folder[DOCTOR_FOLDER_SIZE], wfsm_error *error)
{
    const char *above = getenv("TMPDIR");
    if (!above || above[0] != '/' || strlen(above) > DOCTOR_FOLDER_SIZE / 2)
        above = "/tmp";
    snprintf(folder, DOCTOR_FOLDER_SIZE, "%s/wfsm-doctor-XXXXXX", above);
    if (mkdtemp(folder))
        return true;
    wfsm_error_set(error, WFSM_IO, "cannot make a folder for temporary files");
    return false;
}

static void remove_all(int above, const char *name);

static void empty_folder(DIR *listed)
{
    const struct dirent *entry;
    while ((entry = readdir(listed)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_all(dirfd(listed), entry->d_name);
}

/* A file or a folder; links are not followed. */
static void remove_all(int above, const char *name)
{
    if (unlinkat(above, name, 0) == 0)
        return;
    int descriptor = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    DIR *listed = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (listed) {
        empty_folder(listed);
        closedir(listed);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    unlinkat(above, name, AT_REMOVEDIR);
}

void doctor_folder_remove(const char *folder)
{
    remove_all(AT_FDCWD, folder);
}

/* Programs get ten seconds to end. */
static void end(attempt *self)
{
    wfsm_loop_free(self->loop);
    wfsm_agents_drain(self->agents, 10000);
    wfsm_agents_free(self->agents);
    wfsm_machine_unref(self->machine);
    wfsm_store_free(self->store);
}

static bool begin(attempt *self, const char *runs, const char *input, wfsm_error *error)
{
    const wfsm_loop_options options = {
        .size = sizeof options, .agents = self->agents, .runs = runs};
    return wfsm_memory_open(&self->store, NULL, error) == WFSM_OK &&
           wfsm_machine_load(&self->machine, machine_text, strlen(machine_text), NULL, NULL,
                             error) == WFSM_OK &&
           wfsm_loop_new(&self->loop, self->store, &options, error) == WFSM_OK &&
           wfsm_engine_add_machine(wfsm_loop_engine(self->loop), self->machine, error) ==
               WFSM_OK &&
           wfsm_loop_take(self->loop, "doctor", "doctor", input, strlen(input), error) ==
               WFSM_OK;
}

static bool go(attempt *self, json_t **outcome, wfsm_error *error)
{
    const char *context;
    size_t length = 0;
    if (wfsm_loop_run(self->loop, error) != WFSM_OK)
        return false;
    if (wfsm_loop_signal(self->loop)) {
        wfsm_error_set(error, WFSM_INVALID, "ended by a signal");
        return false;
    }
    context = wfsm_instance_context(
        wfsm_engine_instance(wfsm_loop_engine(self->loop), "doctor"), &length);
    *outcome = cli_need(json_loadb(context ? context : "", length, 0, NULL));
    return true;
}

bool doctor_attempt(wfsm_agents *agents, const char *folder, const json_t *input,
                    json_t **outcome, wfsm_error *error)
{
    attempt self = {.agents = agents};
    json_t *start = cli_need(json_pack("{s:O?}", "input", input));
    char *text = cli_need(json_dumps(start, JSON_COMPACT));
    char runs[DOCTOR_FOLDER_SIZE + 8];
    snprintf(runs, sizeof runs, "%s/runs", folder);
    bool done = begin(&self, runs, text, error) && go(&self, outcome, error);
    end(&self);
    free(text);
    json_decref(start);
    return done;
}
