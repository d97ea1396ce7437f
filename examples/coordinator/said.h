/* What was said in the roundtable on a proposal, as text for people. */
#ifndef SAID_H
#define SAID_H

#include "task.h"

/* What one speaker said: its text and its objections, one a line; an answer of another form is
 * printed as JSON. malloc'ed; NULL when memory is short. */
char *said_text(const json_t *said);
/* Prints the whole roundtable of a task on stdout: the proposal, then the opinions on it. */
void said_print(const task *shown);

#endif
