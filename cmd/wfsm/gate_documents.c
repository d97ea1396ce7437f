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

/* ---- the names of states ---- */

/* How the states of a document are called in the new one. */
typedef struct renaming {
    const json_t *moves; /* `states` of an entry of `migrate`; NULL: as before */
    json_t *now; /* the new document */
} renaming;

static bool names(const json_t *from, const char *text)
{
    const char *name = json_string_value(from);
    for (size_t i = 0; i < json_array_size(from); i++)
        if (names(json_array_get(from, i), text))
            return true;
    return name && text && strcmp(name, text) == 0;
}

/* `states` of the entry of `migrate` that is about the old document; NULL: none. */
static const json_t *moves_of(const wfsm_machine *old, const json_t *before, const json_t *now)
{
    const json_t *list = json_object_get(now, "migrate");
    const char *version = json_string_value(json_object_get(before, "version"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i), *from = json_object_get(entry, "from");
        if (!from || names(from, version) || names(from, wfsm_machine_fingerprint(old)))
            return json_object_get(entry, "states");
    }
    return NULL;
}

static void add_inner(cli_text *path, const char *outer, const char *key)
{
    cli_text_add(path, outer, strlen(outer));
    cli_text_add(path, ".", *outer ? 1 : 0);
    cli_text_add(path, key, strlen(key));
}

/* The path of the state with that id below `state`, whose path is `outer`. */
static bool find_id(cli_text *path, json_t *state, const char *outer, const char *id)
{
    const char *key;
    json_t *child;
    json_object_foreach(json_object_get(state, "states"), key, child)
    {
        path->length = 0;
        add_inner(path, outer, key);
        char *inner = cli_need(strdup(path->data));
        bool found = names(json_object_get(child, "id"), id) || find_id(path, child, inner, id);
        free(inner);
        if (found)
            return true;
    }
    return false;
}

static void add_target(cli_text *path, json_t *now, const char *target)
{
    if (*target == '#' && find_id(path, now, "", target + 1))
        return;
    path->length = 0;
    cli_text_add(path, target, strlen(target));
}

/* The new path of an old one: that of the state itself, or of its nearest ancestor with the rest. To be freed. */
static char *moved_path(const renaming *by, const char *path)
{
    const json_t *moves = by->moves;
    char *above = cli_need(strdup(path));
    const char *to = json_string_value(json_object_get(moves, above));
    cli_text moved = {0};
    for (char *dot; !to && (dot = strrchr(above, '.'));) {
        *dot = '\0';
        to = json_string_value(json_object_get(moves, above));
    }
    const char *rest = to ? path + strlen(above) : path;
    if (to)
        add_target(&moved, by->now, to);
    cli_text_add(&moved, rest, strlen(rest));
    free(above);
    return moved.data;
}

/* ---- output schemas ---- */

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

static void add_state(json_t *outputs, const char *path, json_t *invoke, const renaming *by)
{
    char *moved = moved_path(by, path);
    if (json_is_object(invoke))
        add_output(outputs, moved, invoke);
    for (size_t i = 0; i < json_array_size(invoke); i++)
        add_output(outputs, moved, json_array_get(invoke, i));
    free(moved);
}

/* Under the new names of the states. */
static void add_outputs(json_t *outputs, const char *path, json_t *state, const renaming *by)
{
    const char *key;
    json_t *child;
    add_state(outputs, path, json_object_get(state, "invoke"), by);
    json_object_foreach(json_object_get(state, "states"), key, child)
    {
        cli_text inner = {0};
        add_inner(&inner, path, key);
        add_outputs(outputs, inner.data, child, by);
        cli_text_free(&inner);
    }
}

/* "STATE, AGENT" begins with the state. */
static size_t state_length(const char *name)
{
    return (size_t)(strstr(name, ", ") - name);
}

static const char *same_elsewhere(json_t *outputs, const json_t *others, const char *name,
                                  const json_t *schema)
{
    const char *other;
    json_t *value;
    json_object_foreach(outputs, other, value)
    {
        size_t length = state_length(other);
        if (length == state_length(name) && strncmp(other, name, length) == 0 &&
            !json_object_get(others, other) && json_equal(value, schema))
            return other;
    }
    return NULL;
}

/* If a state has another agent, and asks it for the same, its schema has not changed. */
static void drop_moved(json_t *before, json_t *now)
{
    const char *name;
    json_t *schema;
    void *next;
    json_object_foreach_safe(before, next, name, schema)
    {
        const char *other =
            json_object_get(now, name) ? NULL : same_elsewhere(now, before, name, schema);
        if (!other)
            continue;
        json_object_del(now, other);
        json_object_del(before, name);
    }
}

static void compare_outputs(gate *self, json_t *before, json_t *now, const json_t *moves)
{
    json_t *old = cli_need(json_object()), *new = cli_need(json_object());
    add_outputs(old, "", before, &(renaming){moves, now});
    add_outputs(new, "", now, &(renaming){NULL, now});
    drop_moved(old, new);
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
    compare_outputs(self, before, now, moves_of(old, before, now));
    json_decref(before);
    json_decref(now);
}

static int32_t compile(void *user, const wfsm_row *row)
{
    wfsm_machine **machine = user;
    return *machine ? WFSM_OK
                    : wfsm_machine_load(machine, row->text, row->length, NULL, NULL, NULL);
}

/* A wrong id or store looks like a document that nothing speaks against. */
static void note_stranger(gate *self)
{
    static const gate_diagnostic stranger = {.severity = GATE_NOTE, .rule = "document"};
    const char *id = wfsm_machine_id(self->machine);
    const char *const parts[] = {"the store has no instance of the machine \"", id, "\""};
    cli_text text = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cli_text_add(&text, parts[i], strlen(parts[i]));
    gate_add(self, &stranger, text.data, NULL);
    cli_text_free(&text);
}

bool gate_documents(gate *self)
{
    if (self->instances == 0)
        note_stranger(self);
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
