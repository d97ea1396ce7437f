/*
 * wfsm/loop.h: a whole host in one handle; part of libwfsm-agents (-lwfsm-agents). A wfsm_loop has
 * an engine, names its session, and runs it until there is nothing left to do: it waits for
 * deadlines, agents and descriptors, and ends at SIGINT and SIGTERM.
 *
 *     wfsm_sqlite_open(&store, "tasks.db", NULL, NULL, error);
 *     wfsm_loop_new(&loop, store, NULL, error);
 *     wfsm_loop_load(loop, "review.json", error);
 *     wfsm_engine_add_agent(wfsm_loop_engine(loop), "reviewer", review, NULL, error);
 *     wfsm_loop_take(loop, "review", "task-1", input, length, error);
 *     status = wfsm_loop_run(loop, error);
 *     wfsm_loop_free(loop);
 *     wfsm_store_free(store);
 *
 * examples/embed/embed.c is the whole program. You may kill it at any moment: when it is started
 * again, it continues where it was. A program that has an event loop of its own calls the engine
 * itself; see doc/embedding.md.
 *
 * Times are milliseconds. A loop belongs to one thread at a time. Since 0.1.
 */
#ifndef WFSM_LOOP_H
#define WFSM_LOOP_H

#include <wfsm/agents.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An engine and what runs it. */
typedef struct wfsm_loop wfsm_loop;

/* 0 and NULL take the default. Copied. */
typedef struct wfsm_loop_options {
    size_t size;
    const wfsm_engine_options *engine; /* the engine's options, borrowed for the call. Without a
                                          session its name is wfsm_session_name(); without a `now`
                                          it is the time of day, and without a clock its rounds
                                          are bounded by wfsm_agents_clock(). Default: none */
    wfsm_agents *agents; /* registered on the engine, with `runs`. Borrowed: free it after the
                            loop. Default: none */
    const char *runs; /* the folder of runs, as in wfsm_agents_options. Default: none */
    int64_t poll_ms; /* how long the loop waits at most before it asks for posts of others and
                        polls agents; default 50 */
    int32_t progress; /* 1: wfsm_progress lines on C's stdout, for each commit and diagnostic */
    int32_t serve; /* 1: wfsm_loop_run() continues while there is nothing to do */
    int32_t no_signals; /* 1: SIGINT and SIGTERM are left alone */
    wfsm_callback lost; /* as for wfsm_engine_on_lost(), which is the loop's. Default: none */
    void *user; /* handed to lost */
    int32_t
        schedules; /* 1: the engine serves schedules (wfsm/schedule.h). One that cannot be served is
                          tried again; with `progress` a line says why. Since 0.1. */
} wfsm_loop_options;

/*
 * *loop is new, with an engine on the store; you free it with wfsm_loop_free(). The store is
 * borrowed and must outlive it. options may be NULL. INVALID: loop or store is NULL, or an option is
 * out of range. NO_MEMORY, and what wfsm_engine_new(), wfsm_progress_new() and
 * wfsm_agents_register() return. On failure there is no loop.
 */
WFSM_API int32_t wfsm_loop_new(wfsm_loop **loop, wfsm_store *store,
                               const wfsm_loop_options *options, wfsm_error *error);
/* Frees the engine, as wfsm_engine_free() does, and the loop. Not from a callback of the loop.
 * NULL is allowed. */
WFSM_API void wfsm_loop_free(wfsm_loop *loop);
/* The engine, borrowed while the loop lives, for machines, agents, sends and questions. Leave
 * wfsm_engine_on_lost() to the loop. NULL for NULL. */
WFSM_API wfsm_engine *wfsm_loop_engine(wfsm_loop *loop);
/* Adds the machine in a file of at most 16 MiB. INVALID: an argument is NULL. IO: the file cannot be
 * read. LIMIT: it is too long. NO_MEMORY, and what wfsm_machine_load() and
 * wfsm_engine_add_machine() return. */
WFSM_API int32_t wfsm_loop_load(wfsm_loop *loop, const char *path, wfsm_error *error);
/*
 * Takes over the instance `id`, or starts it with this input if the store does not have it. If
 * another session owns it, this waits until that session's lease has lapsed, for lapse_ms and one
 * second at most; a session of a process of this host that has ended does not count. The engine runs
 * meanwhile. INVALID: loop, machine or id is NULL. DENIED: the owner lives, or a signal or
 * wfsm_loop_stop() has ended the wait. BUSY as wfsm_loop_run(). Otherwise what wfsm_engine_adopt()
 * and wfsm_engine_start() return.
 */
WFSM_API int32_t wfsm_loop_take(wfsm_loop *loop, const char *machine, const char *id,
                                const char *input, size_t length, wfsm_error *error);

/* What a descriptor is watched for. */
enum wfsm_loop_events {
    WFSM_LOOP_READ = 1, /* it can be read, or it was closed, or has an error */
    WFSM_LOOP_WRITE = 2 /* it can be written */
};
/* Called by wfsm_loop_run() with the events that occurred. It may call the engine, wfsm_loop_watch()
 * and wfsm_loop_stop(). */
typedef void (*wfsm_loop_ready)(void *user, int32_t descriptor, int32_t events);
/*
 * Watches a descriptor while the loop runs: `ready` is called as long as one of the events occurs. A
 * second call for the descriptor replaces the first; with events 0 it is watched no longer. The
 * descriptor stays yours. INVALID: the loop is NULL, the descriptor is negative, events are not an
 * OR of enum wfsm_loop_events, or ready is NULL. NO_MEMORY.
 */
WFSM_API int32_t wfsm_loop_watch(wfsm_loop *loop, int32_t descriptor, int32_t events,
                                 wfsm_loop_ready ready, void *user, wfsm_error *error);

/*
 * Runs the engine until it is idle (wfsm_engine_idle()), until SIGINT or SIGTERM, or until
 * wfsm_loop_stop(). While it runs it handles the two signals, unless they are ignored; the handlers
 * that were there before are back when it returns. A signal does not cut off what a callback reads
 * (SA_RESTART). A second signal of the same kind ends the process at once. Work that is left continues
 * in the next run, of this process or of another.
 *
 * WFSM_OK: it ended in one of these three ways; wfsm_loop_signal() tells whether by a signal. DENIED:
 * it did, but has lost an instance since it was made, or since this was last returned; the message
 * names the instance and says why. Instances that were not lost have run on. INVALID: the loop is
 * NULL. BUSY: called from a callback of the loop, or another loop of the process handles signals.
 * Otherwise the first error of wfsm_engine_run(): the call may be repeated.
 */
WFSM_API int32_t wfsm_loop_run(wfsm_loop *loop, wfsm_error *error);
/* Ends wfsm_loop_run() or wfsm_loop_take() after the present round: the one that runs, otherwise the
 * next one. You may call it in a callback or in a signal handler. NULL is allowed. */
WFSM_API void wfsm_loop_stop(wfsm_loop *loop);
/* The signal that ended the last wfsm_loop_run() or wfsm_loop_take(); 0: none. */
WFSM_API int32_t wfsm_loop_signal(const wfsm_loop *loop);

#ifdef __cplusplus
}
#endif
#endif
