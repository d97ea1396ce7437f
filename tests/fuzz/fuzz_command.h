/* Shared by the targets of the command: its servers, without the processes that they start. */
#ifndef TESTS_FUZZ_COMMAND_H
#define TESTS_FUZZ_COMMAND_H

#include "fuzz_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What processes of a command print; the command NULL stands for all others. */
typedef struct fuzz_printed {
    const char *command, *text;
} fuzz_printed;
/* What processes print that are started from now on, and their exit code. The list ends with the command
 * NULL. */
void fuzz_processes(const fuzz_printed *list, int code);

/* Ends the process with a message unless `holds`. */
void fuzz_expect(bool holds, const char *law);

/* A new folder, which goes at the end of this process. */
const char *fuzz_folder(void);
/* A new file in it. */
const char *fuzz_file(const char *name, const char *text);
#endif
