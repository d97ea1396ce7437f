/* The parts of an agent's configuration that are tables themselves. */
#include "agent_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"

static const char *const classes[] = {"network", "timeout",  "auth", "schema",
                                      "exit",    "canceled", "other"};

int wfa_agent_no_memory(const wfa_agent_reader *at)
{
    return wfa_fail(at->error, "out of memory");
}

/* Takes over a malloc'ed text; it is freed with the agent, or here when that fails. */
const char *wfa_agent_own(const wfa_agent_reader *at, char *text)
{
    wfa_agent_config *agent = at->agent;
    size_t room = (agent->owned_count + 1) * sizeof *agent->owned;
    char **grown = text ? realloc(agent->owned, room) : NULL;

    if (!grown) {
        free(text);
        (void)wfa_agent_no_memory(at);
        return NULL;
    }
    agent->owned = grown;
    agent->owned[agent->owned_count++] = text;
    return text;
}

const char *wfa_agent_text(const wfa_agent_reader *at, const char *text)
{
    const wfa_mark marks[] = {{"{dir}", wfa_config_folder(at->config)}, {NULL, NULL}};

    return wfa_agent_own(at, wfa_fill(text, marks));
}

size_t wfa_table_count(const wfa_table *table)
{
    size_t count = 0;

    while (table && wfa_table_key(table, count))
        count++;
    return count;
}

static const char *read_variable(const wfa_agent_reader *at, wfa_table *table, const char *name)
{
    const char *value;
    char *entry;

    if (!*name || strchr(name, '=')) {
        wfa_table_fail(table, name, at->error, "expected the name of a variable");
        return NULL;
    }
    if (wfa_table_string(table, name, "", &value, at->error) != 0)
        return NULL;
    value = wfa_agent_text(at, value);
    if (!value)
        return NULL;
    entry = malloc(strlen(name) + strlen(value) + 2);
    if (entry)
        (void)sprintf(entry, "%s=%s", name, value);
    return wfa_agent_own(at, entry);
}

int wfa_agent_read_environment(const wfa_agent_reader *at)
{
    wfa_table *table;
    size_t index, count;

    if (wfa_table_table(at->table, "env", &table, at->error) != 0)
        return -1;
    count = wfa_table_count(table);
    at->agent->env = calloc(count + 1, sizeof *at->agent->env);
    if (!at->agent->env)
        return wfa_agent_no_memory(at);
    for (index = 0; index < count; index++) {
        at->agent->env[index] = read_variable(at, table, wfa_table_key(table, index));
        if (!at->agent->env[index])
            return -1;
    }
    return 0;
}

static int is_class(const char *text)
{
    size_t index;

    for (index = 0; index < sizeof classes / sizeof classes[0]; index++)
        if (strcmp(text, classes[index]) == 0)
            return 1;
    return 0;
}

static int read_exit_class(const wfa_agent_reader *at, wfa_table *table, const char *key,
                           wfa_exit_class *class)
{
    char *end;
    long code = strtol(key, &end, 10);

    if (key[0] < '0' || key[0] > '9' || *end || code < 1 || code > 255)
        return wfa_table_fail(table, key, at->error, "expected an exit code from 1 to 255");
    if (wfa_table_string(table, key, "", &class->failure_class, at->error) != 0)
        return -1;
    if (!is_class(class->failure_class))
        return wfa_table_fail(table, key, at->error,
                              "expected network, timeout, auth, schema, exit, canceled or "
                              "other, found \"%s\"",
                              class->failure_class);
    class->code = (int)code;
    return 0;
}

int wfa_agent_read_exit_classes(const wfa_agent_reader *at)
{
    wfa_table *table;
    size_t index, count;

    if (wfa_table_table(at->table, "exit_classes", &table, at->error) != 0)
        return -1;
    count = wfa_table_count(table);
    at->agent->exit_classes = calloc(count + 1, sizeof *at->agent->exit_classes);
    if (!at->agent->exit_classes)
        return wfa_agent_no_memory(at);
    at->agent->exit_class_count = count;
    for (index = 0; index < count; index++)
        if (read_exit_class(at, table, wfa_table_key(table, index),
                            &at->agent->exit_classes[index]) != 0)
            return -1;
    return 0;
}
