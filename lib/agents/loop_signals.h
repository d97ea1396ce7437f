/* SIGINT and SIGTERM while a loop runs. They are the process's, so one loop has them at a time. */
#ifndef WFA_LOOP_SIGNALS_H
#define WFA_LOOP_SIGNALS_H

/* Handles both, unless they are ignored. 0, or -1: another loop does. */
int wfa_signals_begin(void);
/* Puts back the handlers that were there before. */
void wfa_signals_end(void);
/* The signal that has come since wfa_signals_begin(); 0: none. */
int wfa_signals_caught(void);

#endif
