/* A store whose vtable has `exchange`, and none of the calls that `exchange` can stand for, passes what
 * every store must. */
#include "store/conformance.h"
#include "store/wrapper.h"

#include <stdlib.h>
#include <unity.h>
#include <wfsm/wfsm.h>

/* The suite needs no Unity; what else this folder's tests share does. */
void setUp(void)
{
}

void tearDown(void)
{
}

static void close_whole(void *self)
{
    wrapper_vtable().close(self);
    free(self);
}

static int32_t open_whole(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    wfsm_store_vtable vtable = wrapper_vtable();
    wrapper *self = calloc(1, sizeof *self);
    int32_t status = self ? wfsm_memory_open(&self->inner, NULL, error) : WFSM_NO_MEMORY;

    (void)user, (void)which;
    vtable.close = close_whole;
    if (status == WFSM_OK)
        return wfsm_store_new(store, &vtable, self, NULL, error);
    free(self);
    return status;
}

int main(void)
{
    const wfsm_testkit_store_options whole = {.size = sizeof whole, .open = open_whole};

    return conformance_run(&whole, 77);
}
