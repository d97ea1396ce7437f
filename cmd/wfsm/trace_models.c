/* The models of agents, as the file of the agents names them. */
#include <stdlib.h>
#include <string.h>
#include <wfsm/agents.h>
#include "wfsm/record.h"
#include "wfsm/trace.h"

/* By the key "api" of an agent of HTTP, or "kind" of a coding agent; "gen_ai.provider.name". */
static const char *const providers[][2] = {{"anthropic", "anthropic"}, {"openai", "openai"},
                                           {"claude", "anthropic"},    {"codex", "openai"},
                                           {"gemini", "gcp.gemini"},   {NULL, NULL}};

static const char *provider_of(const json_t *described)
{
    const char *api = record_string(described, "api"), *kind = record_string(described, "kind");
    for (size_t i = 0; providers[i][0]; i++)
        if (strcmp(providers[i][0], api) == 0 || strcmp(providers[i][0], kind) == 0)
            return providers[i][1];
    return "";
}

static void add_model(json_t *models, const char *name, const char *text)
{
    json_t *described = json_loads(text, 0, NULL);
    const char *model = record_string(described, "model"), *provider = provider_of(described);
    if (*model || *provider)
        json_object_set_new(
            models, name,
            cli_need(json_pack("{s:s s:s}", "model", model, "provider", provider)));
    json_decref(described);
}

json_t *trace_models(const char *path)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_agents *agents = NULL;
    json_t *models = NULL;
    const char *name;
    int32_t status = wfsm_agents_new(&agents, error);
    if (status == WFSM_OK)
        status = wfsm_agents_load_toml(agents, path, error);
    if (status == WFSM_OK)
        models = cli_need(json_object());
    else
        cli_say_error(path, error);
    for (size_t i = 0; models && (name = wfsm_agents_name(agents, i)); i++)
        add_model(models, name, cli_need((char *)wfsm_agents_describe(agents, name, NULL)));
    wfsm_agents_free(agents);
    wfsm_error_free(error);
    return models;
}
