/* What agents and commands write, as it comes. */
#ifndef HOST_FOLLOW_H
#define HOST_FOLLOW_H

#include <stddef.h>

typedef struct host_following {
    const char *folder; /* of runs */
    const char *id;     /* of the instance */
    int children;       /* of its child workflows, too */
    int is_json;        /* lines {"file", "text"}, and "agent" with what `describe` says */
    /* 1: nothing more comes; -1: that cannot be told, and an error was printed. */
    int (*is_over)(void *user);
    /* Whose file it is, in words: at most `size` bytes, or "". NULL: the name of the file says enough. */
    void (*describe)(void *user, const char *file, char *words, size_t size);
    void *user;
} host_following;

/* Prints until it is over, or a signal has come (host_signals_watch()). -1 as is_over() says. */
int host_follow(const host_following *what);

#endif
