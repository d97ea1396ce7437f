#include "wfsm/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wfsm/cli.h"
#include "wfsm/doctor_attempt.h"
#include "wfsm/doctor_http.h"

/* The programs that were tried, with the least version that is known to take our flags. */
static const struct program {
    const char *kind;
    int major, minor;
    const char *install, *login;
} programs[] = {
    {"claude", 2, 1, "npm install -g @anthropic-ai/claude-code",
     "run claude and enter /login, or set ANTHROPIC_API_KEY"},
    {"codex", 0, 169, "npm install -g @openai/codex", "run codex login, or set CODEX_API_KEY"},
    {"gemini", 0, 61, "npm install -g @google/gemini-cli",
     "run gemini and log in, or set GEMINI_API_KEY"},
};

/* What begins the message of a failure, and what to do about it; NULL: log in. */
static const struct {
    const char *state, *advice;
} states[] = {
    {"auth", NULL},
    {"quota", "wait, or look at the limits of the account"},
    {"network", "look at the network, the proxy and the base URL"},
    {"permission", "allow the tool in the settings of the program"},
    {"context", "choose a model that takes longer prompts"},
};

/* One agent under examination; all borrowed. */
typedef struct patient {
    const json_t *about;
    const struct program *program; /* NULL: an agent of another kind */
    int64_t timeout_ms;
    char folder[DOCTOR_FOLDER_SIZE]; /* where it works */
} patient;

static const struct program *program_of(const json_t *about)
{
    const char *kind = json_string_value(json_object_get(about, "kind"));
    for (size_t i = 0; kind && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].kind, kind) == 0)
            return &programs[i];
    return NULL;
}

static char *copy_text(const char *text)
{
    return cli_need(strdup(text ? text : ""));
}

void doctor_clear(doctor_diagnosis *diagnosis)
{
    free(diagnosis->version);
    free(diagnosis->message);
    *diagnosis = (doctor_diagnosis){NULL, NULL, NULL, NULL};
}

static void find(doctor_diagnosis *diagnosis, const char *state, const char *message,
                 const char *advice)
{
    free(diagnosis->message);
    diagnosis->state = state;
    diagnosis->message = message ? copy_text(message) : NULL;
    diagnosis->advice = advice;
}

/* ---- the version ---- */

/* {"commands": [{"argv": [the command, words…]}]} */
static json_t *plan(const json_t *command, const char *const *words)
{
    json_t *argv = cli_need(json_copy((json_t *)command));
    for (; *words; words++)
        json_array_append_new(argv, cli_need(json_string(*words)));
    return cli_need(json_pack("{s:[{s:o}]}", "commands", "argv", argv));
}

/* The result of the command, borrowed from *outcome; NULL, and an error. */
static const json_t *run_command(const patient *self, const json_t *input, json_t **outcome,
                                 wfsm_error *error)
{
    const wfsm_commands_options options = {.size = sizeof options,
                                           .timeout_ms = self->timeout_ms};
    wfsm_agents *agents = NULL;
    *outcome = NULL;
    if (wfsm_agents_new(&agents, error) != WFSM_OK)
        return NULL;
    if (wfsm_agents_add_commands(agents, "attempt", &options, error) != WFSM_OK) {
        wfsm_agents_free(agents);
        return NULL;
    }
    if (!doctor_attempt(agents, self->folder, input, outcome, error))
        return NULL;
    return json_array_get(json_object_get(json_object_get(*outcome, "output"), "results"), 0);
}

static bool is_old(const struct program *program, const char *version)
{
    const char *digits = version + strcspn(version, "0123456789");
    int major = 0, minor = 0;
    if (sscanf(digits, "%d.%d", &major, &minor) != 2)
        return false;
    return major < program->major || (major == program->major && minor < program->minor);
}

static void read_version(doctor_diagnosis *diagnosis, const struct program *program,
                         const json_t *result)
{
    const char *tail = json_string_value(json_object_get(result, "tail"));
    const json_t *code = json_object_get(result, "exit_code");
    const char *reason = json_string_value(json_object_get(result, "reason"));
    if (!json_is_integer(code)) {
        find(diagnosis, "missing", reason ? reason : "it cannot be started", program->install);
        return;
    }
    diagnosis->version = copy_text(tail);
    diagnosis->version[strcspn(diagnosis->version, "\n")] = '\0';
    if (json_integer_value(code) != 0)
        find(diagnosis, "failed", reason, program->install);
    else if (is_old(program, diagnosis->version))
        find(diagnosis, "version", "it is older than what is known to work", program->install);
}

static bool try_version(const patient *self, doctor_diagnosis *diagnosis, wfsm_error *error)
{
    static const char *const words[] = {"--version", NULL};
    json_t *input = plan(json_object_get(self->about, "command"), words), *outcome;
    const json_t *result = run_command(self, input, &outcome, error);
    if (result)
        read_version(diagnosis, self->program, result);
    json_decref(outcome);
    json_decref(input);
    return result != NULL;
}

/* ---- an answer ---- */

/* A list of texts, borrowed, ending with NULL; to be freed. */
static const char **texts_of(const json_t *list)
{
    const char **texts = cli_need(calloc(json_array_size(list) + 1, sizeof *texts));
    for (size_t i = 0; i < json_array_size(list); i++)
        texts[i] = json_string_value(json_array_get(list, i));
    return texts;
}

/* The same program with a harmless prompt, which only reads. NULL, and an error. */
static wfsm_agents *harmless(const patient *self, wfsm_error *error)
{
    const json_t *about = self->about;
    const char **command = texts_of(json_object_get(about, "command"));
    const char **env = texts_of(json_object_get(about, "env"));
    const char **pass_env = texts_of(json_object_get(about, "pass_env"));
    const wfsm_process_options options = {
        .size = sizeof options,
        .kind = json_string_value(json_object_get(about, "kind")),
        .model = json_string_value(json_object_get(about, "model")),
        .command = command,
        .env = env,
        .pass_env = pass_env,
        .folder = self->folder,
        .timeout_ms = self->timeout_ms,
        .prompt = "This is a test of the set-up. Use no tools. Answer with the JSON object "
                  "{\"ok\": true} and nothing else. {output_schema}"};
    wfsm_agents *agents = NULL;
    int32_t status = wfsm_agents_new(&agents, error);
    if (status == WFSM_OK)
        status = wfsm_agents_add_process(agents, "attempt", &options, error);
    free(command);
    free(env);
    free(pass_env);
    if (status == WFSM_OK)
        return agents;
    wfsm_agents_free(agents);
    return NULL;
}

static void read_failure(doctor_diagnosis *diagnosis, const struct program *program,
                         const json_t *failure)
{
    char *message = copy_text(json_string_value(json_object_get(failure, "message")));
    char *log = strstr(message, ", see "); /* it will be gone */
    if (log)
        *log = '\0';
    find(diagnosis, "failed", message, "look at the message");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        size_t length = strlen(states[i].state);
        if (strncmp(message, states[i].state, length) == 0 && message[length] == ':')
            find(diagnosis, states[i].state, message + length + 2,
                 states[i].advice ? states[i].advice : program->login);
    }
    free(message);
}

static bool try_answer(const patient *self, doctor_diagnosis *diagnosis, wfsm_error *error)
{
    wfsm_agents *agents = harmless(self, error);
    json_t *outcome = NULL;
    if (!agents || !doctor_attempt(agents, self->folder, NULL, &outcome, error))
        return false;
    if (json_is_null(json_object_get(outcome, "failure")))
        find(diagnosis, "ok", NULL, NULL);
    else
        read_failure(diagnosis, self->program, json_object_get(outcome, "failure"));
    json_decref(outcome);
    return true;
}

/* ---- other programs ---- */

/* Only whether it is there: nobody knows what it does. */
static bool try_presence(const patient *self, doctor_diagnosis *diagnosis, wfsm_error *error)
{
    const char *name =
        json_string_value(json_array_get(json_object_get(self->about, "command"), 0));
    json_t *input = cli_need(json_pack("{s:[{s:[s,s,s,s]}]}", "commands", "argv", "sh", "-c",
                                       "command -v -- \"$0\"", name ? name : ""));
    json_t *outcome;
    const json_t *result = run_command(self, input, &outcome, error);
    if (result && json_integer_value(json_object_get(result, "exit_code")) == 0)
        find(diagnosis, "not tried", "the program is there", NULL);
    else if (result)
        find(diagnosis, "missing", name, "install it, or correct the key command");
    json_decref(outcome);
    json_decref(input);
    return result != NULL;
}

static void try_endpoint(const patient *self, doctor_diagnosis *diagnosis)
{
    doctor_endpoint found;
    doctor_http_try(self->about, &found);
    find(diagnosis, found.state, found.message, found.advice);
    free(found.message);
}

static bool try_all(const patient *self, doctor_diagnosis *diagnosis, wfsm_error *error)
{
    if (self->program)
        return try_version(self, diagnosis, error) &&
               (diagnosis->state || try_answer(self, diagnosis, error));
    if (json_object_get(self->about, "command"))
        return try_presence(self, diagnosis, error);
    if (json_object_get(self->about, "base_url"))
        try_endpoint(self, diagnosis);
    else
        find(diagnosis, "not tried", "only programs and endpoints are tried", NULL);
    return true;
}

bool doctor_try(wfsm_agents *agents, const char *name, int64_t timeout_ms,
                doctor_diagnosis *diagnosis, wfsm_error *error)
{
    json_t *about = cli_need(
        json_loads(cli_need((char *)wfsm_agents_describe(agents, name, NULL)), 0, NULL));
    patient self = {.about = about, .program = program_of(about), .timeout_ms = timeout_ms};
    bool done = false;
    *diagnosis = (doctor_diagnosis){NULL, NULL, NULL, NULL};
    if (doctor_folder_make(self.folder, error)) {
        done = try_all(&self, diagnosis, error);
        doctor_folder_remove(self.folder);
    }
    json_decref(about);
    return done;
}
