/* SIGINT and SIGTERM ask for an orderly end. */
#ifndef WFA_SIGNALS_H
#define WFA_SIGNALS_H

/* From now on they ask; the second one ends the process. */
void wfa_signals_watch(void);
int wfa_signals_asked(void);

#endif
