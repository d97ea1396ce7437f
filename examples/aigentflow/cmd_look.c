/* The commands that only read: status, history, pool, agents. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ledger.h"
#include "router.h"
#include "show.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"

typedef int (*look)(const arguments *given, const settings *with, wfsm_store *store);

static int with_store(const arguments *given, const settings *with, look at)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    int code;

    if (address_open(&store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed(with->store, error);
    else
        code = at(given, with, store);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}

static int any(const task *one)
{
    (void)one;
    return 1;
}

static int print_json(json_t *value)
{
    char *text = value ? json_dumps(value, JSON_INDENT(2)) : NULL;

    if (text)
        shown_puts(text);
    free(text);
    json_decref(value);
    return text ? END_FINE : END_STORE;
}

/* ---- status ---- */

/* In the order of the rules, without the events that agents and timers raise. */
static const char *const rule_events[] = {"START",
                                          "ANALYSIS_COMPLETE",
                                          "SPAWN_AGENT",
                                          "AGENT_DONE",
                                          "ROUTE_NEXT",
                                          "NEEDS_APPROVAL",
                                          "ALL_COMPLETE",
                                          "APPROVE",
                                          "REJECT",
                                          "CONTINUE",
                                          "ENTER_TEST_PHASE",
                                          "ALL_TESTS_PASS",
                                          "TESTS_FAILED",
                                          "TESTS_PASSED_CONTINUE",
                                          "START_FIX",
                                          "MAX_RETRIES_EXCEEDED",
                                          "FIX_COMPLETE",
                                          "WORKFLOW_COMPLETE",
                                          "FINALIZE",
                                          "ERROR",
                                          "ABORT",
                                          "START_RECOVERY",
                                          "RESUME"};

static int has_text(const json_t *list, const char *text)
{
    size_t index;
    json_t *one;

    json_array_foreach(list, index, one)
    {
        if (strcmp(json_string_value(one), text) == 0)
            return 1;
    }
    return 0;
}

static json_t *valid_events(wfsm_store *store, const char *id)
{
    wfsm_instance *instance = NULL;
    json_t *events = json_array(), *all;
    size_t length, index;
    const char *text;

    if (wfsm_instance_load(&instance, NULL, store, NULL, id, NULL) != WFSM_OK)
        return events;
    text = wfsm_instance_events(instance, &length);
    all = text ? json_loadb(text, length, 0, NULL) : NULL;
    for (index = 0; index < sizeof rule_events / sizeof *rule_events; index++)
        if (has_text(all, rule_events[index]))
            json_array_append_new(events, json_string(rule_events[index]));
    json_decref(all);
    wfsm_instance_free(instance);
    return events;
}

static int status_json(const task *found, wfsm_store *store)
{
    return print_json(json_pack("{s:s, s:O, s:b, s:b, s:o}", "state", found->state, "context",
                                found->stored.context, "isTerminal", found->stored.over,
                                "isAwaitingInput", found->stored.awaiting, "validEvents",
                                valid_events(store, found->id)));
}

static void print_owner(const task *found)
{
    char text[WFSM_OWNER_SIZE + 64];

    if (!task_is_unfinished(found))
        return;
    if (wfsm_owner_state(found->stored.owner) == WFSM_OWNER_ALIVE ||
        wfsm_owner_state(found->stored.owner) == WFSM_OWNER_ELSEWHERE)
        wfsm_owner_describe(found->stored.owner, text);
    else
        (void)snprintf(text, sizeof text, "nobody: `aigentflow resume %s` continues",
                       found->root);
    shown_printf("  %-10s %s\n", "run by", text);
}

static int32_t print_checkpoint(void *user, const wfsm_row *row)
{
    (void)user;
    shown_printf("  %-10s %s, revision %llu\n", "checkpoint", row->id,
                 (unsigned long long)row->revision);
    return WFSM_OK;
}

static int status_text(const task *found, const task_list *features, wfsm_store *store)
{
    wfsm_error *error = wfsm_error_new(NULL);
    int code = END_FINE;

    show_task(found, features);
    print_owner(found);
    if (wfsm_store_checkpoints(store, found->id, print_checkpoint, NULL, error) != WFSM_OK)
        code = library_failed(found->id, error);
    wfsm_error_free(error);
    return code;
}

static int status_of(const arguments *given, const settings *with, wfsm_store *store)
{
    task found;
    task_list features = {NULL, 0};
    int code = task_read(&found, store, with, given->operand);

    if (code == END_FINE && !given->json)
        code = tasks_read(&features, store, with, 1, task_is_feature);
    if (code == END_FINE)
        code = given->json ? status_json(&found, store) : status_text(&found, &features, store);
    tasks_clear(&features);
    task_clear(&found);
    return code;
}

static void print_line(const task *one)
{
    const char *prompt = host_stored_text(&one->stored, "prompt");
    size_t length = strcspn(prompt, "\r\n");

    shown_printf("%-16s  %-18s  %.*s\n", one->id, one->state, (int)(length < 60 ? length : 60),
                 prompt);
}

static int status_all(const arguments *given, const settings *with, wfsm_store *store)
{
    task_list list;
    size_t index;
    int code = tasks_read(&list, store, with, 0, NULL);

    (void)given;
    for (index = 0; index < list.count; index++)
        print_line(&list.all[index]);
    tasks_clear(&list);
    return code;
}

int cmd_status(const arguments *given, const settings *with)
{
    return with_store(given, with, given->operand ? status_of : status_all);
}

/* ---- history ---- */

static void print_time(int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm utc;
    char text[32] = "?";

    if (gmtime_r(&seconds, &utc))
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    shown_printf("%s.%03dZ", text, (int)(ms % 1000));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static const char *event_of(const json_t *record)
{
    const json_t *first = json_array_get(json_object_get(record, "transitions"), 0);
    const json_t *input = json_object_get(record, "input");

    if (*text_of(first, "event"))
        return text_of(first, "event");
    return *text_of(input, "event") ? text_of(input, "event") : text_of(input, "kind");
}

static int32_t print_record(void *user, const wfsm_row *row)
{
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE];
    json_t *record = json_loadb(row->text, row->length, 0, NULL);

    (void)user;
    if (!record)
        return WFSM_CORRUPT;
    if (host_record_states(record, from, to) && *from && strcmp(from, to) != 0) {
        print_time(row->now);
        shown_printf("  %s -> %s (%s)\n", from, to, event_of(record));
    }
    json_decref(record);
    return WFSM_OK;
}

static int history_of(const arguments *given, const settings *with, wfsm_store *store)
{
    wfsm_error *error = wfsm_error_new(NULL);
    task found;
    int code = task_find(&found, store, with, given, any, "there is no such task");

    if (code == END_FINE && wfsm_store_records(store, found.id, 1, UINT64_MAX, print_record,
                                               NULL, error) != WFSM_OK)
        code = library_failed(found.id, error);
    task_clear(&found);
    wfsm_error_free(error);
    return code;
}

int cmd_history(const arguments *given, const settings *with)
{
    return with_store(given, with, history_of);
}

/* ---- pool ---- */

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void print_counts(const char *what, json_t *counts)
{
    const char *name;
    json_t *count;

    json_object_foreach(counts, name, count)
        shown_printf("  %-8s %-20s %lld\n", what, name, (long long)json_integer_value(count));
}

static int print_pool(json_t *status)
{
    const json_t *use = json_object_get(status, "utilization");

    shown_printf("%lld of %lld agents are at work, %lld wait\n",
                 (long long)number_of(use, "active"), (long long)number_of(use, "max"),
                 (long long)number_of(status, "pending"));
    print_counts("phase", json_object_get(status, "byPhase"));
    print_counts("feature", json_object_get(status, "byFeature"));
    json_decref(status);
    return END_FINE;
}

static int pool_of(const arguments *given, const settings *with, wfsm_store *store)
{
    task_list list;
    int code = tasks_read(&list, store, with, 1, NULL);

    if (code == END_FINE) {
        json_t *status = ledger_status(&list, number_of(with->pool, "maxConcurrent"));
        code = given->json ? print_json(status) : print_pool(status);
    }
    tasks_clear(&list);
    return code;
}

int cmd_pool(const arguments *given, const settings *with)
{
    return with_store(given, with, pool_of);
}

/* ---- agents ---- */

static void print_agent(const settings *with, const char *name)
{
    size_t length, index;
    const char *text = wfsm_agents_describe(with->agents, name, &length);
    json_t *agent = text ? json_loadb(text, length, 0, NULL) : NULL, *word;
    const json_t *command = json_object_get(agent, "command");

    shown_printf("%-20s%s", name, command ? "" : " model");
    json_array_foreach(command, index, word) shown_printf(" %s", json_string_value(word));
    shown_printf("\n");
    json_decref(agent);
}

int cmd_agents(const arguments *given, const settings *with)
{
    static const char *const deciders[] = {"task_analyzer", ROUTER_MODEL, "router"};
    size_t index;

    (void)given;
    for (index = 0; index < AGENT_TYPES; index++)
        print_agent(with, agent_types[index]);
    for (index = 0; index < 3; index++)
        if (settings_has_agent(with, deciders[index]))
            print_agent(with, deciders[index]);
    for (index = 0; index < 3; index += 2)
        if (!settings_has_agent(with, deciders[index]))
            shown_printf("%-20s rules\n", deciders[index]);
    return END_FINE;
}
