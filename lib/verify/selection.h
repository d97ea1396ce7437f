/*
 * verify/selection.h: watches the step select transitions. Events that nothing reacts to and
 * transitions that lose to others are added to explorer->diagnostics; check_successor.c reports
 * them.
 */
#ifndef WF_VERIFY_SELECTION_H
#define WF_VERIFY_SELECTION_H

#include "verify/search.h"

/* Watches explorer->step from now on. False when out of memory. */
bool wf_selection_watch(wf_explorer *explorer);
#endif
