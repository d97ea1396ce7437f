/* wfsm_progress_line() with a format. */
#ifndef HOST_PROGRESS_LINE_H
#define HOST_PROGRESS_LINE_H

#include <wfsm/progress.h>

void host_progress_line(wfsm_progress *progress, int64_t now, const char *instance,
                        int32_t tone, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
