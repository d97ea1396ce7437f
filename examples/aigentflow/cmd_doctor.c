/* aigentflow doctor: what a task needs, one line each, with what to do. */
#include "aigentflow.h"

#include "shared/checkup.h"

int cmd_doctor(const arguments *given, const settings *unread)
{
    host_checkup made = {.is_json = given->json};
    wfsm_error *error = wfsm_error_new(NULL);
    settings with;
    int is_read = settings_read(&with, given->config, error) == WFSM_OK, code;

    (void)unread;
    code = host_checkup_needs(&made,
                              &(host_needs){.host = "aigentflow",
                                            .config = given->config,
                                            .wrong = is_read ? NULL : wfsm_error_message(error),
                                            .project = with.project,
                                            .worktrees = with.worktrees,
                                            .logs = with.logs,
                                            .agents = with.agents});
    settings_clear(&with);
    wfsm_error_free(error);
    return code;
}
