/* SIGINT, SIGTERM and SIGHUP ask for an orderly end. */
#ifndef HOST_SIGNALS_H
#define HOST_SIGNALS_H

/* From now on they ask; the second one ends the process. */
void host_signals_watch(void);
/* From now on they ask, and none ends the process: the host looks for the second one. */
void host_signals_count(void);
/* 0, 1, or after host_signals_count() 2 for a second signal and all after it. */
int host_signals_asked(void);

#endif
