/* Keys of the hosts' settings. */
#ifndef HOST_KEYS_H
#define HOST_KEYS_H

#include <wfsm/settings.h>

/* `store`: a path, or the address of a server. *store is what it was, if the key is missing. The text has no password and can be shown;
 * address_open() of wfsm/address.h opens it. Borrowed while the settings are open. */
int32_t host_store_key(wfsm_table *root, const char **store, wfsm_error *error);

/* `workspace`: "own", which is usual, or "shared": agents work in the project itself. */
int32_t host_workspace_key(wfsm_table *root, int *is_shared, wfsm_error *error);

#endif
