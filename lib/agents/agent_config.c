#include "agent_config.h"

#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"
#include "http_config.h"

const char *wfa_failure_class(const char *name)
{
    static const char *const classes[] = {"network", "timeout",  "auth", "schema",
                                          "exit",    "canceled", "other"};
    size_t index;

    for (index = 0; index < sizeof classes / sizeof classes[0]; index++)
        if (strcmp(name, classes[index]) == 0)
            return classes[index];
    return NULL;
}

const char *wfa_agent_exit_class(const wfa_agent_config *config, int code)
{
    size_t index;

    for (index = 0; index < config->exit_class_count; index++) {
        WF_INVARIANT(config->exit_classes[index].code > 0); /* 0 is success */
        if (config->exit_classes[index].code == code)
            return config->exit_classes[index].failure_class;
    }
    return "exit";
}

static void free_list(char **list)
{
    size_t index;

    for (index = 0; list && list[index]; index++)
        free(list[index]);
    free(list);
}

void wfa_agent_config_clear(wfa_agent_config *config)
{
    free_list(config->command);
    free_list(config->env);
    free_list(config->pass_env);
    free(config->model);
    free(config->folder);
    free(config->prompt);
    free(config->exit_classes);
    wfa_http_config_free(config->http);
    memset(config, 0, sizeof *config);
}
