#include "keys.h"

#include <string.h>
#include "wfsm/address.h"

int32_t host_store_key(wfsm_table *root, const char **store, wfsm_error *error)
{
    int32_t status = wfsm_table_path(root, "store", store, error);

    if (status == WFSM_OK)
        *store = address_hide(*store);
    return *store ? status : wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
}

int32_t host_workspace_key(wfsm_table *root, int *is_shared, wfsm_error *error)
{
    const char *kind = "own";
    int32_t status = wfsm_table_string(root, "workspace", &kind, error);

    if (status != WFSM_OK)
        return status;
    *is_shared = strcmp(kind, "shared") == 0;
    if (*is_shared || strcmp(kind, "own") == 0)
        return WFSM_OK;
    return wfsm_table_fail(root, "workspace", "expected \"own\" or \"shared\"", error);
}
