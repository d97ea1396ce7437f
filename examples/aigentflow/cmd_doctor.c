/* aigentflow doctor: what a task needs, one line each, with what to do. */
#include "aigentflow.h"

#include "shared/checkup.h"

/* The rest is not known without the configuration. */
static int examine(host_checkup *made, const char *config, settings *with, wfsm_error *error)
{
    host_needs needs;
    int is_well;

    if (settings_read(with, config, error) != WFSM_OK) {
        host_checkup_bad_config(made, "aigentflow", config, wfsm_error_message(error));
        return END_USAGE;
    }
    needs = (host_needs){.config = config,
                         .project = with->project,
                         .worktrees = with->worktrees,
                         .logs = with->logs,
                         .agents = with->agents};
    is_well = host_checkup_needs(made, &needs, error);
    if (is_well < 0)
        return library_failed("the agents", error);
    return is_well ? END_FINE : END_OTHER;
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
