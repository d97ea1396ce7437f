/* The texts that `init` writes, as they are compiled into a host (embed.py). */
#ifndef HOST_STARTERS_H
#define HOST_STARTERS_H

typedef struct starter_text {
    const char *name; /* "plan.md", … */
    const char *text;
} starter_text;

/* Ends with a NULL name. */
extern const starter_text starter_texts[];

#endif
