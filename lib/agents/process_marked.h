/* The processes of a run that have left its group. They still have its mark in their environment. */
#ifndef WFA_PROCESS_MARKED_H
#define WFA_PROCESS_MARKED_H

/* SIGKILL to each process of this user that has the entry "NAME=value" in the environment it was started
 * with, and to those that they start meanwhile. Nothing where there is no /proc. */
void wfa_marked_kill(const char *entry);

#endif
