/* commands.h: one command a file, cmd_NAME.c. */
#ifndef WFSM_COMMANDS_H
#define WFSM_COMMANDS_H

#include "wfsm/cli.h"

/* In the order of wfsm --help; the last is NULL. */
extern const cli_command *const commands_all[];

extern const cli_command cmd_check;
extern const cli_command cmd_graph;
extern const cli_command cmd_simulate;
extern const cli_command cmd_verify;
extern const cli_command cmd_gate;
extern const cli_command cmd_list;
extern const cli_command cmd_show;
extern const cli_command cmd_diff;
extern const cli_command cmd_journal;
extern const cli_command cmd_tail;
extern const cli_command cmd_audit;
extern const cli_command cmd_checkpoint;
extern const cli_command cmd_checkpoints;
extern const cli_command cmd_restore;
extern const cli_command cmd_fork;
extern const cli_command cmd_migrate;
extern const cli_command cmd_compact;
extern const cli_command cmd_archive;
extern const cli_command cmd_sweep;
extern const cli_command cmd_crash_test;
extern const cli_command cmd_report;
extern const cli_command cmd_trace;
extern const cli_command cmd_approvals;
extern const cli_command cmd_approve;
extern const cli_command cmd_reject;
extern const cli_command cmd_post;
extern const cli_command cmd_send;
extern const cli_command cmd_answer;
extern const cli_command cmd_stop;
extern const cli_command cmd_cancel;
extern const cli_command cmd_retry;
extern const cli_command cmd_key;
extern const cli_command cmd_evidence;
extern const cli_command cmd_store;
extern const cli_command cmd_start;
extern const cli_command cmd_wait;
extern const cli_command cmd_schedule;
extern const cli_command cmd_schedules;
extern const cli_command cmd_work;
extern const cli_command cmd_serve;
extern const cli_command cmd_mcp;
extern const cli_command cmd_agents;
extern const cli_command cmd_completion;
#endif
