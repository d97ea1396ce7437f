/* store/store_check.c: what every public call of a store checks. */
#include "store/store.h"

#include "base/utf8.h"

int32_t wf_store_ready(const wfsm_store *store, wfsm_error *error)
{
    if (!store)
        return wf_fail(error, WFSM_INVALID, "no store was given");
    if (store->out)
        return wf_fail(error, WFSM_BUSY, "a round of an engine has the store");
    if (store->reading)
        return wf_fail(
            error, WFSM_BUSY,
            "the store is being read: a function that receives its rows must not call it");
    return WFSM_OK;
}

int32_t wf_store_check_id(const char *id, const char *what, wfsm_error *error)
{
    if (id && wf_id_valid(id))
        return WFSM_OK;
    return wf_fail(error, WFSM_INVALID, "%s must be 1 to 255 bytes of valid UTF-8", what);
}
