/* Machine documents from files. */
#ifndef HOST_MACHINE_FILE_H
#define HOST_MACHINE_FILE_H

#include <wfsm/engine.h>

#include "error.h"

/* Loads a document; the error names file, line and column. */
int host_machine_load(wfsm_machine **machine, const char *path, host_error *error);
/* The same from a text that came from `path`. */
int host_machine_load_text(wfsm_machine **machine, const char *path, const char *text,
                           size_t length, host_error *error);
/* And adds it to an engine. */
int host_machine_add(wfsm_engine *engine, const char *path, host_error *error);

#endif
