/* Output for people: states as they change, and what is next. At a terminal, with the symbols
 * of agentd's documentation; elsewhere without symbols. */
#ifndef AGENTD_SHOW_H
#define AGENTD_SHOW_H

#include <wfsm/call.h>

#include "change.h"
#include <wfsm/agents.h>

typedef struct show {
    wfsm_progress *progress; /* NULL if out of memory: then nothing is shown */
    const char *id;
    int symbols;
    int64_t now;      /* of the last commit */
    uint64_t commits; /* seen so far */
    const char *phase; /* printed last; NULL: none yet */
} show;

/* The id is borrowed. */
void show_begin(show *on, const char *id, int64_t now);
void show_end(show *on);

/* An observer for the engine; user is a show. */
int32_t show_commit(void *user, wfsm_call *call);
/* A line beside the transitions. */
void show_note(show *on, int32_t tone, const char *text);

/* "📊 Current state: phase=Challenged"; "none" for a change that was never planned. */
void show_phase(show *on, const change *now);
/* "▶️  Starting implementation workflow..." */
void show_start(const show *on, const char *verb, const char *workflow);

typedef enum show_mark { SHOW_DONE, SHOW_NEEDS, SHOW_BAD } show_mark;

/* "✅ …", "⚠️  …", "❌ …", and lines below it. */
void show_result(const show *on, show_mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line of its own, and one below others. */
void show_plain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void show_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints why a person is needed, from the context; nothing if there is no problem. */
void show_problem(const change *now);

#endif
