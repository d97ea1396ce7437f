/*
 * verify/verify_remarks.h: looks on while the step of an exploration selects transitions, and
 * remarks in the kit what is wrong with it; verify_judge.c says so.
 */
#ifndef WF_TOOLS_VERIFY_REMARKS_H
#define WF_TOOLS_VERIFY_REMARKS_H

#include "verify/verify_explore.h"

/* From now on. The machine and the step of the kit are there. False when out of memory. */
bool wf_remarks_init(wf_kit *kit);
#endif
