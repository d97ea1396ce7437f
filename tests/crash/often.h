#ifndef TESTS_CRASH_OFTEN_H
#define TESTS_CRASH_OFTEN_H

/* From now on the log of every new connection is written into its file and restarted after 25
 * pages instead of 1,000, and 10 pages are held in memory. Short work then meets what
 * otherwise only long work meets. */
void checkpoint_often(void);
#endif
