/* step/migrate.h: one migration from an old document to a new one. Private to migrate*.c. */
#ifndef WF_STEP_MIGRATE_H
#define WF_STEP_MIGRATE_H

#include "step/step.h"

typedef struct wf_migrator {
    wf_step *step;          /* under the new document */
    const wf_snapshot *old; /* the state under the old one */
    const wf_migration *rule;
} wf_migrator;

/* As wf_migrated(). */
uint32_t wf_mapped(const wf_migrator *self, uint32_t state);

/* migrate_work.c, after the configuration and the context. */
int32_t wf_migrate_timers(const wf_migrator *self);
int32_t wf_migrate_invocations(const wf_migrator *self);
/* migrate_budgets.c, after the context and before the invocations. */
int32_t wf_migrate_budgets(const wf_migrator *self);
#endif
