/* Machine documents from files. */
#ifndef WFA_MACHINE_FILE_H
#define WFA_MACHINE_FILE_H

#include <wfsm/engine.h>

#include "agent_error.h"

/* Loads a document; the error names file, line and column. */
int wfa_machine_load(wfsm_machine **machine, const char *path, wfa_error *error);
/* The same from a text that came from `path`. */
int wfa_machine_load_text(wfsm_machine **machine, const char *path, const char *text,
                          size_t length, wfa_error *error);
/* And adds it to an engine. */
int wfa_machine_add(wfsm_engine *engine, const char *path, wfa_error *error);

#endif
