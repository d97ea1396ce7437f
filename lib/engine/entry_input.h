/* engine/entry_input.h: what comes before and after every input of an instance. */
#ifndef WF_ENGINE_ENTRY_INPUT_H
#define WF_ENGINE_ENTRY_INPUT_H

#include "engine/entries.h"

/* The step that follows may claim what the pool allows. It ends the job `freeing`, if that
 * is not NULL. */
void wf_input_begin(wfsm_engine *engine, wf_entry *entry, const wf_job *freeing);
/* The step that follows migrates the entry to *machine, which becomes the copy that the engine keeps,
 * because jobs refer to that one. */
int32_t wf_input_migrates(wfsm_engine *engine, wf_entry *entry, wfsm_machine **machine,
                          wfsm_error *error);
/* After the input, whether it succeeded or not. The jobs follow when the round is settled. */
void wf_input_end(wfsm_engine *engine, wf_entry *entry);
#endif
