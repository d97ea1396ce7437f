#include "wfsm/commands.h"

const cli_command *const commands_all[] = {
    &cmd_check,   &cmd_graph,      &cmd_simulate,    &cmd_verify,  &cmd_gate,
    &cmd_list,    &cmd_show,       &cmd_diff,        &cmd_journal, &cmd_tail,
    &cmd_audit,   &cmd_checkpoint, &cmd_checkpoints, &cmd_restore, &cmd_fork,
    &cmd_migrate, &cmd_compact,    &cmd_archive,     &cmd_sweep,   &cmd_crash_test,
    &cmd_report,  &cmd_trace,      &cmd_approvals,   &cmd_approve, &cmd_reject,
    &cmd_post,    &cmd_send,       &cmd_answer,      &cmd_stop,    &cmd_cancel,
    &cmd_retry,   &cmd_key,        &cmd_evidence,    &cmd_store,   &cmd_start,
    &cmd_wait,    &cmd_schedule,   &cmd_schedules,   &cmd_work,    &cmd_serve,
    &cmd_mcp,     &cmd_agents,     &cmd_completion,  NULL,
};
