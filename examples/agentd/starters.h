/* The texts of the folder starter, as they are compiled in. */
#ifndef AGENTD_STARTER_H
#define AGENTD_STARTER_H

typedef struct starter_text {
    const char *name; /* "plan.md", … */
    const char *text;
} starter_text;

/* Ends with a NULL name. */
extern const starter_text starter_texts[];

#endif
