/* SIGINT and SIGTERM ask for an orderly end. */
#ifndef HK_SIGNALS_H
#define HK_SIGNALS_H

/* From now on they ask; the second one ends the process. */
void hk_signals_watch(void);
int hk_signals_asked(void);

#endif
