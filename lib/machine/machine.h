/* machine/machine.h: life of a compiled machine inside the library. */
#ifndef WF_MACHINE_MACHINE_H
#define WF_MACHINE_MACHINE_H

#include "machine/model.h"

/* Empty, with one reference; NULL when out of memory. */
wfsm_machine *wf_machine_new(const wfsm_allocator *allocator);
#endif
