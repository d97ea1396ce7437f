/*
 * The part agents (libwfsm-agents): agents that are programs, HTTP models or lists of commands.
 * It sees only the public headers of libwfsm. Unlike the core it does I/O, starts processes and
 * reads the clock, but it has no threads of its own, and it commits nothing: it answers the
 * engine.
 *
 * The files, in the order to read them:
 *
 *   The collection (wfsm/agents.h)
 *     collection.c         named agents and what they share; collection_add.c, register.c,
 *                          describe.c
 *     agent_config.c       an agent's options, checked: agent_options.c, process_config.c,
 *                          http_config.c
 *     agents_toml.c        reads agents from a TOML file: agents_toml_values.c, agents_toml_http.c;
 *                          settings.cpp is the shim around toml++ (wfsm/settings.h),
 *                          toml_depth.c keeps it from what is nested too deeply
 *     invocation.c         what an agent is asked: JSON and prompt; fill.c fills in marks,
 *                          last_failure.c finds why the last attempt failed
 *     json_answer.c        finds the answer in an agent's output
 *
 *   Process agents
 *     process_agent.c      start, poll, cancel and probe of an agent that is a program
 *     process_job.c        one attempt: command, folder, environment, files; environment.c,
 *                          program_path.c
 *     process_list.c       the child processes (process.h): child.c, child_start.c,
 *                          process_spawn.c, process_marked.c
 *     process_identity.c   recognises a process after the host was killed; run_record.c
 *     process_sweep.c      ends programs that no ledger knows
 *     coding_kinds.c       the coding agents that are known (coding.h): coding_claude.c,
 *                          coding_codex.c, coding_gemini.c; coding.c is what these share
 *     coding_command.c     the command of their attempt; coding_tell.c tells what became of it,
 *                          coding_failure.c the class of a failure
 *     said_failure.c       why a program says that it has failed
 *     commands.c           the agent that runs the commands of a plan; command_result.c
 *
 *   Votes
 *     sign.c               keys and signatures (wfsm/sign.h); sign_none.c without libsodium
 *
 *   HTTP agents
 *     http_agent.c         start, poll, cancel and probe of an agent that is a model
 *     http_request.c       the request of one attempt; key.c holds the key
 *     chat.c               what is sent and received: chat_dialects.c, chat_anthropic.c,
 *                          chat_openai.c; sse.c reads server-sent events
 *     http.c               HTTP calls on libcurl; http_none.c is used without libcurl; loopback.c
 *                          knows the addresses of this machine
 *
 *   Schedules (wfsm/schedule.h)
 *     schedules.c          the schedules of an engine; schedule_machine.c is their machine
 *     schedule_decide.c    what a schedule does at a time
 *     schedule_document.c  what is started, and when: schedule_cron.c and schedule_rule.c, whose
 *                          rules are read by schedule_rule_text.c
 *     schedule_zone.c      a time zone of the system: schedule_zone_rule.c, schedule_calendar.c
 *
 *   Help for hosts
 *     owner_name.c, agents_clock.c, progress.c, progress_commit.c
 *     loop.c               an engine and what runs it (wfsm/loop.h): loop_watch.c waits for
 *                          descriptors, loop_signals.c handles SIGINT and SIGTERM
 *   and for the files above
 *     agent_error.c, files.c, text_buffer.c
 *
 * collection.h: the collection behind wfsm/agents.h. It has named agents, and what they share
 * once they are registered on an engine.
 */
#ifndef WFA_COLLECTION_H
#define WFA_COLLECTION_H

#include "agent_config.h"
#include "commands.h"
#include "http_agent.h"
#include "process_agent.h"

typedef struct wfa_member {
    struct wfa_member *next;
    char *name;
    int copied;  /* what the configuration points to belongs to another member */
    int removed; /* kept for the copies that borrow from it */
    wfa_agent_config config;
    wfa_commands commands; /* of WFA_AGENT_COMMANDS */
    wfa_process_agent *process; /* when registered: one of these two, or neither */
    wfa_http_agent *http;
} wfa_member;

struct wfsm_agents {
    wfa_member *members; /* in the order in which they were added */
    char *described;     /* what wfsm_agents_describe() has given out */
    int registered;      /* wfsm_agents_register() was called */
    wfa_children *children;
    wfa_process_host process_host;
    wfa_http_host http_host;
    char *runs, *folder;
};

/* The member of this name that was not removed; NULL. */
wfa_member *wfa_collection_find(const wfsm_agents *agents, const char *name);
/* A new member at the end of the list, with a copy of the name. NULL and an error: the name is
 * taken or no name, the collection is registered, or there is no memory. */
wfa_member *wfa_collection_add(wfsm_agents *agents, const char *name, wfa_error *error);
/* Takes the last member out again, and frees it. */
void wfa_collection_drop_last(wfsm_agents *agents);

#endif
