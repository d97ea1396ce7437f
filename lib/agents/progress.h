/* What a host tells while it works: one plain line for each thing that happens,
 *
 *     [  12.3s] task-42  plan → build  start_coder
 *
 * with colours only for a person at a terminal (and never when NO_COLOR is set), and with
 * characters beyond ASCII only where the locale's encoding is UTF-8. At a terminal some live
 * lines stand below: who is at work now, and for how long. They move down as plain lines
 * come, and are gone at the end; what was told stays. Bad news does not scroll away meanwhile:
 * the last of it stands above the live lines as soon as its own line has left the screen. */
#ifndef WFA_PROGRESS_H
#define WFA_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

typedef enum wfa_tone { WFA_PLAIN, WFA_GOOD, WFA_BAD, WFA_QUIET } wfa_tone;

enum { WFA_KEPT = 3, WFA_KEPT_ROOM = 256 };

typedef struct wfa_kept {
    long number; /* of the line, from 1; 0: none is kept here */
    char text[WFA_KEPT_ROOM];
} wfa_kept;

typedef struct wfa_progress {
    FILE *out;
    int64_t begun; /* ms, the zero of the times shown */
    int colour;
    int unicode;
    int terminal;    /* live lines can be shown */
    char *live;      /* the live lines, each with its line break; NULL: none */
    int live_lines;  /* of them that stand on the terminal */
    long told;       /* lines so far */
    wfa_kept kept[WFA_KEPT]; /* the last bad ones, by their number */
    int next_kept;
} wfa_progress;

/* Looks at `out` and the environment (NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG). `out` is
 * borrowed. */
void wfa_progress_begin(wfa_progress *progress, FILE *out, int64_t now);
/* The live lines from now on: `text`, each line with its line break; "" for none. Copied;
 * cut to the width of the terminal, and to WFA_LIVE_MOST lines or its height. Nothing happens where the
 * output is no terminal. */
enum { WFA_LIVE_MOST = 20 };
void wfa_progress_live(wfa_progress *progress, const char *text);
/* Takes the live lines away; lines may still be told. */
void wfa_progress_end(wfa_progress *progress);

/* A change of state; `from` and `note` may be NULL. */
void wfa_progress_transition(wfa_progress *progress, int64_t now, const char *instance,
                             const char *from, const char *to, const char *note, wfa_tone tone);

/* Anything else; `instance` may be NULL. Control characters in any text are shown as '?',
 * so that what an agent wrote cannot steer the terminal. */
void wfa_progress_line(wfa_progress *progress, int64_t now, const char *instance, wfa_tone tone,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

#define WFA_DURATION_SIZE 32

/* "850ms", "12.3s", "4m05s", "2h03m", "3d04h"; negative ones count as 0. Returns `text`. */
const char *wfa_duration(int64_t ms, char text[WFA_DURATION_SIZE]);

#endif
