#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wfsm/commands.h"
#include "wfsm/doctor.h"
#include "wfsm/many.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm agents doctor [--json] [--timeout MS] FILE\n"
    "\n"
    "Tries the agents of a file (doc/agents.md), and prints one line for each: whether it works,\n"
    "or what is wrong and what to do. A coding agent (claude, codex, gemini) is asked for its\n"
    "version, and then for a small answer, in a folder of its own and without the right to\n"
    "write. That costs a few tokens. Of any other program the command says only whether it is\n"
    "there. Models behind HTTP are not tried.\n"
    "\n"
    "  --json        one JSON object: {\"agents\": [{\"agent\", \"kind\", \"state\", \"version\",\n"
    "                \"message\", \"advice\"}, …]}. The state is \"ok\", \"missing\" (no such\n"
    "                program), \"version\" (too old), \"auth\" (not logged in), \"quota\",\n"
    "                \"network\", \"permission\", \"context\", \"failed\" or \"not tried\"\n"
    "  --timeout MS  for the version as for the answer; the default is 120000\n"
    "\n"
    "Exit codes: 0 no agent has a problem; 1 an agent has one, or the file has an error; 64 the\n"
    "command line is wrong.\n";

typedef struct doctor {
    const char *file;
    bool json;
    int64_t timeout_ms;
    wfsm_settings *settings;
    wfsm_agents *agents;
    wfsm_error *error;
    json_t *list; /* of diagnoses */
    bool is_ill;
} doctor;

static void tell(doctor *self, const char *name, const doctor_diagnosis *diagnosis)
{
    const char *kind = doctor_kind(self->agents, name);
    if (doctor_is_ill(diagnosis))
        self->is_ill = true;
    if (!self->json) {
        doctor_print(name, kind, diagnosis);
        return;
    }
    json_array_append_new(
        self->list,
        cli_need(json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?}", "agent", name, "kind", kind,
                           "state", diagnosis->state, "version", diagnosis->version, "message",
                           diagnosis->message, "advice", diagnosis->advice)));
}

static bool examine(doctor *self)
{
    const char *name;
    for (size_t i = 0; (name = wfsm_agents_name(self->agents, i)); i++) {
        doctor_diagnosis diagnosis;
        bool done = doctor_try(self->agents, name, self->timeout_ms, &diagnosis, self->error);
        if (done)
            tell(self, name, &diagnosis);
        else
            cli_say_error(name, self->error);
        doctor_clear(&diagnosis);
        if (!done)
            return false;
    }
    return true;
}

/* A host has its own keys beside the agents, and says what is wrong with them. */
static int32_t read_file(doctor *self)
{
    int32_t status = wfsm_agents_new(&self->agents, self->error);
    if (status == WFSM_OK)
        status = wfsm_settings_open(&self->settings, self->file, self->error);
    if (status == WFSM_OK)
        status = wfsm_agents_load(self->agents, self->settings, self->error);
    if (status == WFSM_OK && wfsm_settings_check(self->settings, self->error) != WFSM_OK)
        cli_say("note: %s; that is right if the file is the configuration of a host",
                wfsm_error_message(self->error));
    return status;
}

static int go(doctor *self)
{
    if (read_file(self) != WFSM_OK) {
        cli_say_error(self->file, self->error);
        return CLI_FAILED;
    }
    if (!examine(self))
        return CLI_FAILED;
    if (self->json) {
        json_t *all = cli_need(json_pack("{s:O}", "agents", self->list));
        shown_json(all, stdout, JSON_COMPACT);
        shown_printf("\n");
        json_decref(all);
    }
    return self->is_ill ? CLI_FAILED : CLI_OK;
}

/* ---- the command line ---- */

static int take_operand(doctor *self, bool *named, const char *value)
{
    if (!*named && strcmp(value, "doctor") != 0)
        return cli_misused("agents: expected doctor, not %s", value);
    if (*named && self->file)
        return cli_misused("agents doctor takes one file");
    if (*named)
        self->file = value;
    *named = true;
    return CLI_OK;
}

static int take_timeout(doctor *self, const char *value)
{
    if (!many_number("--timeout", value, &self->timeout_ms))
        return CLI_USAGE;
    if (self->timeout_ms >= 1 && self->timeout_ms <= 86400000)
        return CLI_OK;
    return cli_misused("--timeout: expected 1 to 86400000, not %s", value);
}

static int parse(doctor *self, int count, char **list)
{
    enum { JSON, TIMEOUT };
    static const cli_option options[] = {
        [JSON] = {"--json", false}, [TIMEOUT] = {"--timeout", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    bool named = false;
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD ||
            (found == CLI_OPERAND && take_operand(self, &named, args.value) != CLI_OK) ||
            (found == TIMEOUT && take_timeout(self, args.value) != CLI_OK))
            return CLI_USAGE;
        if (found == JSON)
            self->json = true;
    }
    if (!named)
        return cli_misused("agents: expected doctor");
    return self->file ? CLI_OK : cli_misused("agents doctor needs a file");
}

static int run(int count, char **list)
{
    doctor self = {.timeout_ms = 120000};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    self.error = cli_need(wfsm_error_new(NULL));
    self.list = cli_need(json_array());
    code = go(&self);
    json_decref(self.list);
    wfsm_agents_free(self.agents);
    wfsm_settings_free(self.settings);
    wfsm_error_free(self.error);
    return cli_finish(code);
}

const cli_command cmd_agents = {"agents", "tries the agents of a file", help, run};
