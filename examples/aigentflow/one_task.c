#include "one_task.h"

#include <string.h>

#include "wfsm/address.h"

int one_task_find(const arguments *given, const settings *with, task_test test, task *found,
                  const char *nothing)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    int code;

    memset(found, 0, sizeof *found);
    if (address_open(&store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed("the store", error);
    else
        code = task_find(found, store, with, given, test, nothing);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}

int one_task_take(const arguments *given, const settings *with, const task *found,
                  one_task_command does)
{
    session self;
    int code = session_open(&self, with, given);

    if (code == END_FINE)
        code = session_adopt(&self, found->id);
    if (code == END_FINE)
        code = does(&self, given, found);
    session_close(&self);
    return code;
}
