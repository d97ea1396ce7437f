/* machine/positions.h: lines and columns of diagnostics. */
#ifndef WF_MACHINE_POSITIONS_H
#define WF_MACHINE_POSITIONS_H

#include "machine/diagnostics.h"

/* Fills in line and column of each from its pointer, in one walk over the text, however
 * many there are. The order of the list changes. A pointer that leads nowhere counts
 * for the deepest value it reaches. */
void wf_positions_find(wf_diagnostic *diagnostics, size_t count, const char *text,
                       size_t length, const wf_value *root);
#endif
