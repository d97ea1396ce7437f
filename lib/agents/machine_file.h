/* Machine documents from files. */
#ifndef HK_MACHINE_FILE_H
#define HK_MACHINE_FILE_H

#include <wfsm/engine.h>

#include "error.h"

/* Loads a document; the error names file, line and column. */
int hk_machine_load(wfsm_machine **machine, const char *path, hk_error *error);
/* The same from a text that came from `path`. */
int hk_machine_load_text(wfsm_machine **machine, const char *path, const char *text,
                         size_t length, hk_error *error);
/* And adds it to an engine. */
int hk_machine_add(wfsm_engine *engine, const char *path, hk_error *error);

#endif
