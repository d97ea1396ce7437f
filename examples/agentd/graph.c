#include "graph.h"

#include <string.h>
#include "wfsm/shown.h"

enum { NAME_SIZE = 256 };

typedef struct graph {
    FILE *out;
    const json_t *machine;
    int additions;
} graph;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void top_of(const char *path, char top[NAME_SIZE])
{
    (void)snprintf(top, NAME_SIZE, "%.*s", (int)strcspn(path, "."), path);
}

/* The top-level state that a target leads to; an end of the machine is [*]. */
static void target_of(const char *source, const char *target, char top[NAME_SIZE])
{
    if (*target == '#')
        top_of(target + 1, top);
    else if (strchr(source, '.')) /* a sibling inside the same state */
        top_of(source, top);
    else
        top_of(target, top);
    if (strcmp(top, "stopped") == 0)
        (void)snprintf(top, NAME_SIZE, "[*]");
}

static void print_arrow(const graph *to, const char *source, const json_t *transition)
{
    const json_t *meta = json_object_get(transition, "meta");
    const char *target = text_of(transition, "target"), *label = text_of(meta, "label");
    char from[NAME_SIZE], end[NAME_SIZE];

    if (!*target || (!json_object_get(meta, "seed") &&
                     !(to->additions && json_object_get(meta, "addition"))))
        return;
    top_of(source, from);
    target_of(source, target, end);
    if (!*label && json_object_get(meta, "addition"))
        label = text_of(meta, "addition");
    if (strcmp(label, "next document") == 0 || strcmp(label, "next spec") == 0)
        return;
    shown_fprintf(to->out, "    %s --> %s%s%s\n", *from ? from : "[*]", end, *label ? ": " : "",
                  label);
}

static void print_transitions(const graph *to, const char *source, const json_t *given)
{
    const json_t *one;
    size_t index;

    if (json_is_object(given))
        print_arrow(to, source, given);
    json_array_foreach(given, index, one) print_arrow(to, source, one);
}

static void walk(const graph *to, const char *path, const json_t *state)
{
    const json_t *invoke = json_object_get(state, "invoke"), *child, *given;
    char below[NAME_SIZE];
    const char *key;

    if (json_is_object(json_object_get(state, "initial")))
        print_transitions(to, path, json_object_get(state, "initial"));
    json_object_foreach(json_object_get(state, "on"), key, given)
        print_transitions(to, path, given);
    print_transitions(to, path, json_object_get(invoke, "onDone"));
    print_transitions(to, path, json_object_get(invoke, "onError"));
    print_transitions(to, path, json_object_get(state, "onDone"));
    json_object_foreach(json_object_get(state, "states"), key, child)
    {
        (void)snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
        walk(to, below, child);
    }
    if (strcmp(text_of(state, "type"), "final") == 0 &&
        json_object_get(json_object_get(state, "meta"), "seed"))
        shown_fprintf(to->out, "    %s --> [*]\n", path);
}

static void print_state(const graph *to, const char *name, const json_t *state)
{
    const json_t *meta = json_object_get(state, "meta");

    if (json_is_true(json_object_get(meta, "choice")))
        shown_fprintf(to->out, "    state %s <<choice>>\n", name);
    if (*text_of(meta, "title"))
        shown_fprintf(to->out, "    state \"%s\" as %s\n    %s: %s\n", text_of(meta, "title"),
                      name, name, text_of(meta, "label"));
}

static void print_note(const graph *to, const char *name, const json_t *state)
{
    const char *note = text_of(json_object_get(state, "meta"), "note");

    if (*note)
        shown_fprintf(to->out, "    note right of %s\n        %s\n    end note\n", name, note);
}

void graph_print(FILE *out, const json_t *machine, int additions, const char *here)
{
    const graph to = {out, machine, additions};
    const json_t *states = json_object_get(machine, "states"), *state;
    const char *name;

    shown_fputs("stateDiagram-v2\n", out);
    json_object_foreach((json_t *)states, name, state) print_state(&to, name, state);
    walk(&to, "", machine);
    json_object_foreach((json_t *)states, name, state) print_note(&to, name, state);
    if (here && json_object_get(states, here))
        shown_fprintf(out,
                      "    classDef here fill:#ffd54f,stroke:#e65100,stroke-width:3px\n"
                      "    class %s here\n",
                      here);
}
