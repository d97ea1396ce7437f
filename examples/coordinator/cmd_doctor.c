/* coordinator doctor: what a task needs, one line each, with what to do. */
#include "coordinator.h"

#include "shared/checkup.h"

/* The rest is not known without the configuration. */
static int examine(host_checkup *made, const char *config, settings *with, wfsm_error *error)
{
    if (settings_read(with, config, error) != WFSM_OK) {
        host_checkup_bad_config(made, "coordinator", config, wfsm_error_message(error));
        return END_USAGE;
    }
    host_checkup_say(made, "configuration", config, NULL);
    if (!with->is_shared)
        host_checkup_git(made, ".");
    host_checkup_disk(made, with->worktrees);
    host_checkup_disk(made, with->logs);
    if (host_checkup_agents(made, with->agents, error) == 0)
        return made->is_ill ? END_OTHER : END_FINE;
    print_error("%s", wfsm_error_message(error));
    return END_STORE;
}

int cmd_doctor(const arguments *given, const settings *unread)
{
    host_checkup made = {.is_json = given->json};
    wfsm_error *error = wfsm_error_new(NULL);
    settings with;
    int code = examine(&made, given->config, &with, error);

    (void)unread;
    settings_clear(&with);
    wfsm_error_free(error);
    return code;
}
