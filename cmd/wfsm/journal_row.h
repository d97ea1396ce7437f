/* journal_row.h: what journal and tail show of a record. */
#ifndef WFSM_JOURNAL_ROW_H
#define WFSM_JOURNAL_ROW_H

#include <jansson.h>
#include "wfsm/cli.h"

/* "draft → review": the states before and after. */
void journal_states(cli_text *text, const json_t *record);
/* "error: …; set a, b; 1 timers set": what else has changed. */
void journal_changes(cli_text *text, const json_t *record);
/* Prints the row as a JSON object; with the instance, unless it is NULL. */
void journal_object(const char *instance, const wfsm_row *row);
#endif
