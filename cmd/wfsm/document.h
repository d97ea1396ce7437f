/* document.h: machine documents in files. */
#ifndef WFSM_DOCUMENT_H
#define WFSM_DOCUMENT_H

#include <stdio.h>
#include "wfsm/cli.h"

/* "FILE:LINE:COL: error|warning|note: message [rule]" */
void document_print(FILE *out, const char *path, const wfsm_diagnostic *diagnostic);
/* "error" or "warning". */
const char *document_severity(const wfsm_diagnostic *diagnostic);
/* A new machine, or NULL after printing all errors of the document to stderr. */
wfsm_machine *document_load(const char *path);
#endif
