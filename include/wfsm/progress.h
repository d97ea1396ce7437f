/*
 * wfsm/progress.h: what a program shows on its terminal or in its log while agents work; part
 * of libwfsm-agents. One plain line for each thing that happens,
 *
 *     [  12.3s] task-42  plan → build  start_coder
 *
 * with colours only at a terminal (and never when NO_COLOR is set), and with characters beyond
 * ASCII only where the locale's encoding is UTF-8. At a terminal, live lines stand below: who is
 * at work now, and for how long. They move down as plain lines come. The last bad lines are
 * shown again above the live lines as soon as they have left the screen.
 *
 * Any text is escaped by wfsm_text_escape(), so that what an agent wrote cannot steer the terminal. Times are milliseconds; `now` is the time that the engine is given. Nothing here
 * fails: what cannot be written is lost.
 */
#ifndef WFSM_PROGRESS_H
#define WFSM_PROGRESS_H

#include <wfsm/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Belongs to one thread at a time. */
typedef struct wfsm_progress wfsm_progress;

/* How a line is meant, and coloured. */
enum wfsm_tone {
    WFSM_TONE_PLAIN = 0,
    WFSM_TONE_GOOD = 1,  /* green */
    WFSM_TONE_BAD = 2,   /* red, and kept in sight at a terminal */
    WFSM_TONE_QUIET = 3  /* dim */
};

/* Takes bytes as they come, whole lines at a time. */
typedef void (*wfsm_progress_write)(void *user, const char *bytes, size_t length);

/* Where lines go. 0 and NULL take the default. */
typedef struct wfsm_progress_options {
    size_t size;
    int64_t now; /* the zero of the times shown */
    int32_t descriptor; /* the file descriptor that is asked whether it is a terminal and how
                           large; default 1 */
    wfsm_progress_write write; /* default: to C's stdout, flushed */
    void *user; /* handed to write */
} wfsm_progress_options;

/*
 * Looks at the descriptor and the environment (NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG).
 * *progress is new; you free it with wfsm_progress_free(). options may be NULL: then the zero
 * is 1970. INVALID, NO_MEMORY.
 */
WFSM_API int32_t wfsm_progress_new(wfsm_progress **progress,
                                   const wfsm_progress_options *options, wfsm_error *error);
/* Takes the live lines away and frees it; NULL is allowed. */
WFSM_API void wfsm_progress_free(wfsm_progress *progress);
/* 1 if live lines can be shown. */
WFSM_API int32_t wfsm_progress_is_terminal(const wfsm_progress *progress);
/* 1 if characters beyond ASCII are shown. */
WFSM_API int32_t wfsm_progress_is_unicode(const wfsm_progress *progress);

/* One line; `tone` is an enum wfsm_tone, `instance` may be NULL. */
WFSM_API void wfsm_progress_line(wfsm_progress *progress, int64_t now, const char *instance,
                                 int32_t tone, const char *text);

/* A change of state. */
typedef struct wfsm_progress_change {
    size_t size;
    const char *instance; /* or NULL */
    const char *from;     /* or NULL */
    const char *to;       /* the state that was entered */
    const char *note;     /* or NULL */
    int32_t tone;         /* enum wfsm_tone */
} wfsm_progress_change;

/* One line about a change of state. */
WFSM_API void wfsm_progress_transition(wfsm_progress *progress, int64_t now,
                                       const wfsm_progress_change *change);
/*
 * The live lines from now on: `text`, each line with its line break; NULL or "" for none. They
 * are cut to the width of the terminal and to 20 lines or its height. Nothing happens where
 * the output is not a terminal.
 */
WFSM_API void wfsm_progress_live(wfsm_progress *progress, const char *text);

/* An observer for wfsm_engine_observe(), with the wfsm_progress as `user`: shows every commit
 * that moved an instance to another state. Returns WFSM_OK. */
WFSM_API int32_t wfsm_progress_commit(void *progress, wfsm_call *call);
/* For wfsm_engine_on_diagnostic(), with the wfsm_progress as `user`: shows the message of the
 * diagnostic as a bad line. Returns WFSM_OK. Since 0.1. */
WFSM_API int32_t wfsm_progress_diagnostic(void *progress, wfsm_call *call);
/* For wfsm_agents_options.tell, with the wfsm_progress as `user`: shows a quiet line. */
WFSM_API void wfsm_progress_note(void *progress, const char *instance, const char *line);

/* Bytes of a duration with its NUL. */
#define WFSM_DURATION_SIZE 32
/* Writes "850ms", "12.3s", "4m05s", "2h03m" or "3d04h" to `text`, which has room for
 * WFSM_DURATION_SIZE bytes; negative durations count as 0. Returns it. */
WFSM_API const char *wfsm_progress_duration(int64_t milliseconds, char *text);

#ifdef __cplusplus
}
#endif
#endif
