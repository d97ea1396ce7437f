#include "place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"
#include "wfsm/address.h"

int place_look(place *at, host_error *why)
{
    memset(at, 0, sizeof *at);
    if (project_find(&at->in, ".", why) != 0)
        return END_USAGE;
    at->config_path = project_path(&at->in, "agentd/config.toml", why);
    if (at->config_path)
        at->store = project_path(&at->in, "agentd/.state/agentd.db", why);
    if (at->store)
        at->runs = project_path(&at->in, "agentd/.state/runs", why);
    return at->runs ? END_DONE : END_STORE;
}

int place_find(place *at)
{
    host_error why;
    int code = place_look(at, &why);

    return code == END_DONE ? code : host_failed(&why, code);
}

int place_read(place *at, host_error *why)
{
    at->configured = 1;
    return agentd_config_read(&at->config, at->config_path, why);
}

int place_configure(place *at)
{
    host_error why;

    return place_read(at, &why) == 0 ? END_DONE : host_failed(&why, END_USAGE);
}

void place_clear(place *at)
{
    if (at->configured)
        agentd_config_clear(&at->config);
    json_decref(at->work);
    project_clear(&at->in);
    free(at->config_path);
    free(at->store);
    free(at->runs);
    memset(at, 0, sizeof *at);
}

int place_open_store(const place *at, int to_read, wfsm_store **store, wfsm_error *error)
{
    *store = NULL;
    if (to_read && access(at->store, F_OK) != 0)
        return END_DONE;
    if (address_open(store, at->store, to_read ? ADDRESS_READ : ADDRESS_MAKE, error) != WFSM_OK)
        return library_failed(at->store, error);
    return END_DONE;
}
