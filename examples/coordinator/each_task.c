#include "each_task.h"

#include "shared/signals.h"
#include "shared/stored.h"
#include "wfsm/address.h"
#include "wfsm/shown.h"

typedef struct each {
    const arguments *given;
    const settings *with;
    task_command *command;
    wfsm_store *store;
    wfsm_error *error;
} each;

static int run_for(const each *self, const char *id)
{
    return self->command(self->given, self->with, self->store, id, self->error);
}

/* The exit code for both: a failure is worse than a task that waits for a person. */
static int worse_code(int one, int other)
{
    int lower = one < other ? one : other, higher = one < other ? other : one;

    return higher == END_WAITS && lower != END_FINE ? lower : higher;
}

static int run_for_all(const each *self, int unfinished, const char *none)
{
    task_ids ids;
    size_t index;
    int worst = END_FINE, code;

    if (task_ids_read(&ids, self->store, unfinished, self->error) != WFSM_OK)
        worst = library_failed("the store", self->error);
    else if (ids.count == 0 && none)
        shown_puts(none);
    for (index = 0; index < ids.count && !host_signals_asked(); index++) {
        code = run_for(self, ids.list[index]);
        worst = worse_code(code, worst);
    }
    task_ids_clear(&ids);
    return worst;
}

int each_task(const arguments *given, const settings *with, int unfinished, const char *none,
              task_command *command)
{
    each self = {.given = given, .with = with, .command = command};
    int code;

    if (!given->id && !host_store_is_made(with->store)) {
        if (!with->is_json)
            shown_puts("no task yet");
        return END_FINE;
    }
    self.error = wfsm_error_new(NULL);
    if (address_open(&self.store, with->store, ADDRESS_READ, self.error) != WFSM_OK)
        code = library_failed("the store", self.error);
    else if (given->id)
        code = run_for(&self, given->id);
    else
        code = run_for_all(&self, unfinished, none);
    wfsm_store_free(self.store);
    wfsm_error_free(self.error);
    return code;
}
