/* A worker does what the documents say about ended instances and old records, a part at a time, so that its
 * rounds are not held up. */
#include <stdio.h>
#include <wfsm/compact.h>
#include "wfsm/shown.h"
#include "wfsm/work.h"

/* Instances of one part. */
enum { PART = 64 };

static void tell(void *user, const wfsm_swept *swept)
{
    static const char *const words[] = {[WFSM_SWEPT_ARCHIVED] = "archived",
                                        [WFSM_SWEPT_REMOVED] = "removed",
                                        [WFSM_SWEPT_COMPACTED] = "compacted"};
    (void)user;
    if (swept->kind == WFSM_SWEPT_FAILED)
        cli_say("%s: cannot be swept: %s", swept->instance, swept->why);
    else if (swept->kind != WFSM_SWEPT_STAYS)
        shown_printf("has %s %s\n", words[swept->kind], swept->instance);
    fflush(stdout);
}

void work_sweep(work *self, int64_t now)
{
    const wfsm_sweep part = {.size = sizeof part,
                             .now = now,
                             .archive = self->archive,
                             .after = self->swept[0] != '\0' ? self->swept : NULL,
                             .limit = PART,
                             .tell = tell};
    if (self->sweep_ms == 0 || now < self->next_sweep)
        return;
    if (wfsm_store_sweep(self->store, &part, self->swept, self->error) != WFSM_OK) {
        cli_say_error(self->path, self->error);
        self->swept[0] = '\0';
    }
    if (self->swept[0] == '\0')
        self->next_sweep = now + work_jitter(self, self->sweep_ms);
}
