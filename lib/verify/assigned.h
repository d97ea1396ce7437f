/* verify/assigned.h: the assignments of a machine's actions. */
#ifndef WF_VERIFY_ASSIGNED_H
#define WF_VERIFY_ASSIGNED_H

#include "machine/model.h"

/* Called for each place that an action assigns to. `value` is NULL where it is an element of a list,
 * or its index. `before`: the assignments that stand before it in the same action, in machine->assignments. */
typedef void wf_assigned_sink(void *user, const wf_target *target, const wf_expr *value,
                              wf_span before);
void wf_assigned_each(const wfsm_machine *machine, wf_assigned_sink *tell, void *user);
#endif
