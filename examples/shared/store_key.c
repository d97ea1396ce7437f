#include "store_key.h"

#include "wfsm/address.h"

int32_t host_store_key(wfsm_table *root, const char **store, wfsm_error *error)
{
    int32_t status = wfsm_table_path(root, "store", store, error);

    if (status == WFSM_OK)
        *store = address_hide(*store);
    return *store ? status : wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
}
