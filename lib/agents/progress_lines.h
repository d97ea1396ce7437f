/* What a wfsm_progress remembers of the lines that it has shown. */
#ifndef WFA_PROGRESS_LINES_H
#define WFA_PROGRESS_LINES_H

#include <wfsm/progress.h>

enum { WFA_KEPT = 3, WFA_KEPT_ROOM = 256, WFA_MOST_LIVE = 20 };

/* A bad line that stays in sight. */
typedef struct wfa_kept_line {
    long number; /* of the line, from 1; 0: none is kept here */
    char text[WFA_KEPT_ROOM];
} wfa_kept_line;

struct wfsm_progress {
    wfsm_progress_options to;
    int colour, unicode, terminal;
    char *live;     /* the live lines, each with its line break; NULL: none */
    int live_lines; /* of them that stand on the terminal */
    long told;      /* lines so far */
    wfa_kept_line kept[WFA_KEPT]; /* the last bad ones */
    int next_kept;
};

#endif
