/* SIGINT, SIGTERM and SIGHUP ask for an orderly end. */
#ifndef HOST_SIGNALS_H
#define HOST_SIGNALS_H

/* From now on they ask; the second one ends the process. */
void host_signals_watch(void);
int host_signals_asked(void);

#endif
