/* agentd graph: a workflow, or the life of a change with the state it is in. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "agentd.h"
#include "change.h"
#include "graph.h"
#include "machines.h"
#include "place.h"

static int print_machine(const char *name, const char *here)
{
    const machine_text *at = machine_texts;
    json_t *machine;

    while (at->name && strcmp(at->name, name) != 0)
        at++;
    machine = at->name ? json_loads(at->text, 0, NULL) : NULL;
    if (!machine)
        return END_STORE;
    graph_print(stdout, machine, 0, here);
    json_decref(machine);
    return END_DONE;
}

static int is_machine(const char *name)
{
    const machine_text *at = machine_texts;

    while (at->name && strcmp(at->name, name) != 0)
        at++;
    return at->name != NULL;
}

static int print_change(const place *at, const char *id, wfsm_error *error)
{
    wfsm_store *store = NULL;
    change now = {.resting = 0};
    int32_t status = WFSM_OK;
    int code = place_open_store(at, 1, &store, error);

    if (code == END_DONE)
        status = store ? change_read(&now, store, id, error) : WFSM_NOT_FOUND;
    if (status == WFSM_NOT_FOUND) {
        print_error("%s: there is no such change, and no such workflow", id);
        code = END_REFUSED;
    } else if (status != WFSM_OK) {
        code = library_failed(id, error);
    }
    if (code == END_DONE) {
        char top[HOST_STATE_SIZE];

        host_top_state(now.stored.state, top);
        code = print_machine("lifecycle", now.stored.ended          ? "archived"
                                          : strcmp(top, "end") == 0 ? "rejected"
                                                                    : top);
    }
    change_clear(&now);
    wfsm_store_free(store);
    return code;
}

int cmd_graph(const arguments *given)
{
    wfsm_error *error;
    place at;
    host_error why;
    int code;

    if (!given->id || is_machine(given->id))
        return print_machine(given->id ? given->id : "lifecycle", NULL);
    if (change_id_check(given->id, &why) != 0)
        return host_failed(&why, END_USAGE);
    error = wfsm_error_new(NULL);
    code = place_find(&at);
    if (code == END_DONE)
        code = print_change(&at, given->id, error);
    place_clear(&at);
    wfsm_error_free(error);
    return code;
}
