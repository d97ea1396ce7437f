/* Compares agents, budgets and schemas with those of the old documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/gate.h"

enum { LONGEST_VALUE = 60 };

/* "budget tokens was {…}, and is {…}" */
static void add_change(gate *self, const char *what, const char *name, const json_t *before,
                       const json_t *now)
{
    static const gate_diagnostic changed = {.severity = GATE_NOTE, .rule = "document"};
    static const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
    char *old = before ? cli_need(json_dumps(before, flags)) : NULL;
    char *new = now ? cli_need(json_dumps(now, flags)) : NULL;
    bool fits = old && new && strlen(old) <= LONGEST_VALUE &&strlen(new) <= LONGEST_VALUE;
    cli_text text = {0};
    const char *const parts[] = {what,
                                 " ",
                                 name,
                                 !old    ? " is new"
                                 : !new  ? " is not there any more"
                                 : !fits ? " has changed"
                                         : " is ",
                                 fits ? new : "",
                                 fits ? ", and was " : "",
                                 fits ? old : ""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cli_text_add(&text, parts[i], strlen(parts[i]));
    gate_add(self, &changed, text.data, NULL);
    cli_text_free(&text);
    free(old);
    free(new);
}

/* Members of two objects, either of which may be NULL. */
static void compare_members(gate *self, const char *what, json_t *before, json_t *now)
{
    const char *key;
    json_t *value;
    json_object_foreach(before, key, value)
    {
        json_t *other = json_object_get(now, key);
        if (!other || !json_equal(value, other))
            add_change(self, what, key, value, other);
    }
    json_object_foreach(now, key, value)
    {
        if (!json_object_get(before, key))
            add_change(self, what, key, NULL, value);
    }
}

static json_t *agents_of(const wfsm_machine *machine)
{
    json_t *names = cli_need(json_object());
    const char *name;
    for (size_t i = 0; (name = wfsm_machine_uses(machine, WFSM_USES_AGENTS, i)); i++)
        json_object_set_new(names, name, json_true());
    return names;
}

static void compare_agents(gate *self, const wfsm_machine *old)
{
    json_t *before = agents_of(old), *now = agents_of(self->machine);
    compare_members(self, "agent", before, now);
    json_decref(before);
    json_decref(now);
}

/* Adds the output schema of an invoke under "PATH, AGENT". */
static void add_output(json_t *outputs, const char *path, json_t *invoke)
{
    const char *source = json_string_value(json_object_get(invoke, "src"));
    json_t *schema = json_object_get(invoke, "output");
    cli_text name = {0};
    cli_text_add(&name, path, strlen(path));
    cli_text_add(&name, ", ", 2);
    cli_text_add(&name, source ? source : "its agent", strlen(source ? source : "its agent"));
    if (schema)
        json_object_set(outputs, name.data, schema);
    cli_text_free(&name);
}

static void add_outputs(json_t *outputs, const char *path, json_t *state)
{
    json_t *invoke = json_object_get(state, "invoke"), *child;
    const char *key;
    if (json_is_object(invoke))
        add_output(outputs, path, invoke);
    for (size_t i = 0; i < json_array_size(invoke); i++)
        add_output(outputs, path, json_array_get(invoke, i));
    json_object_foreach(json_object_get(state, "states"), key, child)
    {
        cli_text inner = {0};
        cli_text_add(&inner, path, strlen(path));
        cli_text_add(&inner, ".", *path ? 1 : 0);
        cli_text_add(&inner, key, strlen(key));
        add_outputs(outputs, inner.data, child);
        cli_text_free(&inner);
    }
}

static void compare_outputs(gate *self, json_t *before, json_t *now)
{
    json_t *old = cli_need(json_object()), *new = cli_need(json_object());
    add_outputs(old, "", before);
    add_outputs(new, "", now);
    compare_members(self, "the output schema of", old, new);
    json_decref(old);
    json_decref(new);
}

static json_t *document_of(const wfsm_machine *machine)
{
    size_t length = 0;
    const char *text = wfsm_machine_document(machine, &length);
    return json_loadb(text, length, 0, NULL);
}

static void compare(gate *self, const wfsm_machine *old)
{
    json_t *before = document_of(old), *now = document_of(self->machine);
    compare_agents(self, old);
    compare_members(self, "budget", json_object_get(before, "budgets"),
                    json_object_get(now, "budgets"));
    compare_members(self, "the schema of", json_object_get(before, "schemas"),
                    json_object_get(now, "schemas"));
    compare_outputs(self, before, now);
    json_decref(before);
    json_decref(now);
}

static int32_t compile(void *user, const wfsm_row *row)
{
    wfsm_machine **machine = user;
    return *machine ? WFSM_OK
                    : wfsm_machine_load(machine, row->text, row->length, NULL, NULL, NULL);
}

bool gate_documents(gate *self)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    bool fine = true;
    for (size_t i = 0; fine && i < self->document_count; i++) {
        wfsm_machine *old = NULL;
        fine = wfsm_store_document(self->store, self->documents[i], compile, &old, error) ==
               WFSM_OK;
        if (fine)
            compare(self, old);
        else
            cli_say_error(self->path, error);
        wfsm_machine_unref(old);
    }
    wfsm_error_free(error);
    return fine;
}
