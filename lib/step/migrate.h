/* step/migrate.h: one crossing from an old document to a new one. Private to migrate*.c. */
#ifndef WF_STEP_MIGRATE_H
#define WF_STEP_MIGRATE_H

#include "step/step.h"

typedef struct wf_migrator {
    wf_step *step;          /* under the new document */
    const wf_snapshot *old; /* the state under the old one */
    const wf_migration *rule;
} wf_migrator;

/* Where a state of the old document leads: as `states` says of it, or of the nearest state
 * around it; else to the state of the same path. WF_NONE: nowhere. */
uint32_t wf_mapped(const wf_migrator *self, uint32_t state);

/* migrate_work.c, once the configuration and the context are there. */
int32_t wf_migrate_timers(const wf_migrator *self);
int32_t wf_migrate_invocations(const wf_migrator *self);
/* migrate_budgets.c, once the context is there, and before the invocations. */
int32_t wf_migrate_budgets(const wf_migrator *self);
#endif
