/* agentd graph: a workflow, or the life of a change with the state it is in. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agentd.h"
#include "change.h"
#include "graph.h"
#include "machines.h"
#include "place.h"
#include "wfsm/shown.h"

static int print_object(const char *name, const json_t *machine, const char *here)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    json_t *made = NULL;

    if (to) {
        graph_print(to, machine, 0, here);
        (void)fclose(to);
        made = json_pack("{s:s, s:s?, s:s%}", "workflow", name, "state", here, "diagram", text,
                         length);
    }
    shown_json(made, stdout, JSON_COMPACT);
    shown_puts("");
    json_decref(made);
    free(text);
    return made ? END_DONE : END_STORE;
}

static int print_machine(const char *name, const char *here, int is_json)
{
    const machine_text *at = machine_texts;
    json_t *machine;
    int code = END_DONE;

    while (at->name && strcmp(at->name, name) != 0)
        at++;
    machine = at->name ? json_loads(at->text, 0, NULL) : NULL;
    if (!machine)
        return END_STORE;
    if (is_json)
        code = print_object(name, machine, here);
    else
        graph_print(stdout, machine, 0, here);
    json_decref(machine);
    return code;
}

static int is_machine(const char *name)
{
    const machine_text *at = machine_texts;

    while (at->name && strcmp(at->name, name) != 0)
        at++;
    return at->name != NULL;
}

static int print_change(const place *at, const arguments *given, wfsm_error *error)
{
    const char *id = given->id;
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
        code = print_machine("lifecycle",
                             now.stored.ended          ? "archived"
                             : strcmp(top, "end") == 0 ? "rejected"
                                                       : top,
                             given->json);
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
        return print_machine(given->id ? given->id : "lifecycle", NULL, given->json);
    if (change_id_check(given->id, &why) != 0)
        return host_failed(&why, END_USAGE);
    error = wfsm_error_new(NULL);
    code = place_find(&at);
    if (code == END_DONE)
        code = print_change(&at, given, error);
    place_clear(&at);
    wfsm_error_free(error);
    return code;
}
