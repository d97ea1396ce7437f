/* machine_files.h: machine documents, by their files and folders. */
#ifndef WFSM_MACHINE_FILES_H
#define WFSM_MACHINE_FILES_H

#include "wfsm/cli.h"

typedef struct machine_files {
    wfsm_machine **list;
    size_t count;
} machine_files;

/* Adds a document, or all of a folder (*.json); false with the reason said. */
bool machine_files_read(machine_files *self, const char *path);
void machine_files_free(machine_files *self);
#endif
