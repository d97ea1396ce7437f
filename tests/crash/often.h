#ifndef TESTS_CRASH_OFTEN_H
#define TESTS_CRASH_OFTEN_H

/* From now on the log of every new connection is written into its file, and begins
 * anew, after 25 pages instead of 1,000, and 10 pages are held in memory: short work
 * has what long work has. */
void checkpoint_often(void);
#endif
