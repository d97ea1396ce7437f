/* The key `store` of a host's settings: a path, or the address of a server. */
#ifndef HOST_STORE_KEY_H
#define HOST_STORE_KEY_H

#include <wfsm/settings.h>

/* *store is what it was, if the key is missing. The text has no password and can be shown;
 * address_open() of wfsm/address.h opens it. Borrowed while the settings are open. */
int32_t host_store_key(wfsm_table *root, const char **store, wfsm_error *error);

#endif
