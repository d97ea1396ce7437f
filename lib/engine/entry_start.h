/* engine/entry_start.h: the first commit of an instance. */
#ifndef WF_ENGINE_ENTRY_START_H
#define WF_ENGINE_ENTRY_START_H

#include "engine/entries.h"

/* Starts an instance that this engine owns, as an input of the open round. parent NULL: it is no
 * child. *answer is set when the round is settled; answer NULL: nobody asks. */
int32_t wf_entry_start(wfsm_engine *engine, wfsm_machine *machine, const wfsm_start *what,
                       const wf_parent *parent, int32_t *answer, wfsm_error *error);
/* The first commit of the entry is in the round. */
void wf_start_sent(wfsm_engine *engine, wf_entry *entry);
/* The store has answered the first commit of an entry. The entry joins the others, or is freed. */
void wf_start_settle(wfsm_engine *engine, wf_entry *entry);
#endif
