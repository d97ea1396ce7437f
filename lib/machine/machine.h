/* machine/machine.h: life of a compiled machine inside the library. */
#ifndef WF_MACHINE_MACHINE_H
#define WF_MACHINE_MACHINE_H

#include "machine/model.h"

/* Empty, with one reference; NULL when out of memory. */
wfsm_machine *wf_machine_new(const wfsm_allocator *allocator);

/*
 * The machine keeps one block of working memory between steps, for the next step on any
 * thread. It is freed with the machine. Take gives NULL
 * if there is none. Give returns what there is no place for, or NULL.
 */
typedef struct wf_spare {
    void (*release)(const wfsm_allocator *allocator, struct wf_spare *self);
} wf_spare;
wf_spare *wf_machine_take_spare(wfsm_machine *machine);
wf_spare *wf_machine_give_spare(wfsm_machine *machine, wf_spare *spare);
#endif
