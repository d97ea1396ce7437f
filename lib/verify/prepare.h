/*
 * verify/prepare.h: what explorer.c finds out about a machine before a search. Each returns false when out of
 * memory. Private to explorer.c and these files.
 */
#ifndef WF_VERIFY_PREPARE_H
#define WF_VERIFY_PREPARE_H

#include "verify/explorer.h"

/* outside_events.c: the events that come from outside, and the classes of their data. */
bool wf_find_outside(wf_explorer *explorer);
/* outcomes.c: the results of agents, their failures, and the decisions of people. */
bool wf_find_results(wf_explorer *explorer);
bool wf_find_messages(wf_explorer *explorer);
bool wf_find_decisions(wf_explorer *explorer);
/* patches.c: the changes of host functions that schemas.context allows for the slots in the cone. */
bool wf_find_patches(wf_explorer *explorer);

/* Of classes that are not all tried, a few will do: what they do not find is left to the search over
 * symbols. */
static inline void wf_note_cut(wf_explorer *explorer, wf_data_classes *data,
                               const wf_name *event)
{
    enum { PARTIAL_CLASSES = 512 };
    if (data->cut && !explorer->cut_data)
        explorer->cut_data = event->text;
    if (data->cut && data->count > PARTIAL_CLASSES)
        data->count = PARTIAL_CLASSES;
}
#endif
