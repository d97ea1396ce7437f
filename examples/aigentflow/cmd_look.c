/* The commands that only read: status, history, pool, agents. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ledger.h"
#include "router.h"
#include "shared/owner.h"
#include "show_task.h"
#include "summary.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"

typedef int (*look)(const arguments *given, const settings *with, wfsm_store *store);

static int with_store(const arguments *given, const settings *with, look at)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    int code;

    if (address_open(&store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed("the store", error);
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

static int status_json(const task *found, const task_list *features, wfsm_store *store)
{
    wfsm_error *error = wfsm_error_new(NULL);
    json_t *sum = summary_make(store, found, features, error), *made = NULL;
    int code = sum ? END_FINE : library_failed(found->id, error);

    if (sum)
        made = json_pack("{s:s, s:s, s:O, s:b, s:b, s:o, s:o}", "id", found->id, "state",
                         found->state, "context", found->stored.context, "isTerminal",
                         found->stored.over, "isAwaitingInput", found->stored.awaiting,
                         "validEvents", valid_events(store, found->id), "features",
                         show_features_json(found, features));
    if (made)
        json_object_update(made, sum);
    json_decref(sum);
    wfsm_error_free(error);
    return code == END_FINE ? show_json(made) : code;
}

static void print_owner(const task *found)
{
    char text[WFSM_OWNER_SIZE + 64];

    if (!task_is_unfinished(found))
        return;
    if (host_owner_is_at_work(found->stored.owner))
        wfsm_owner_describe(found->stored.owner, text);
    else if (task_asks(found))
        (void)snprintf(text, sizeof text, "nobody: it waits for a person");
    else
        (void)snprintf(text, sizeof text, "nobody: `aigentflow resume %s` continues",
                       found->root);
    shown_printf("  %-10s %s\n", "run by", text);
    if (task_asks(found))
        show_commands(found);
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
    code = summary_show(store, found, features);
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

    if (code == END_FINE)
        code = tasks_of(&features, store, with, given->operand);
    if (code == END_FINE)
        code = given->json ? status_json(&found, &features, store)
                           : status_text(&found, &features, store);
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

static int print_lines(const task_list *list)
{
    size_t index;

    for (index = 0; index < list->count; index++)
        print_line(&list->all[index]);
    return END_FINE;
}

static int print_lines_json(const task_list *list)
{
    json_t *lines = json_array();
    size_t index;

    for (index = 0; index < list->count; index++) {
        const task *one = &list->all[index];
        json_array_append_new(lines,
                              json_pack("{s:s, s:s, s:b, s:s}", "id", one->id, "state",
                                        one->state, "isAwaitingInput", one->stored.awaiting,
                                        "prompt", host_stored_text(&one->stored, "prompt")));
    }
    return show_json(lines);
}

static int status_all(const arguments *given, const settings *with, wfsm_store *store)
{
    task_list list;
    int code = tasks_read(&list, store, with, 0, NULL);

    if (code == END_FINE)
        code = given->json ? print_lines_json(&list) : print_lines(&list);
    tasks_clear(&list);
    return code;
}

int cmd_status(const arguments *given, const settings *with)
{
    if (!given->operand && !host_store_is_made(with->store))
        return show_no_task(given, json_array());
    return with_store(given, with, given->operand ? status_of : status_all);
}

/* ---- history ---- */

enum { TIME_SIZE = 48 };

static const char *time_text(int64_t ms, char text[TIME_SIZE])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm utc;
    char whole[32] = "?";

    if (gmtime_r(&seconds, &utc))
        (void)strftime(whole, sizeof whole, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(text, TIME_SIZE, "%s.%03dZ", whole, (int)(ms % 1000));
    return text;
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

static void print_move(json_t *moves, const json_t *record, const char *at, const char *from,
                       const char *to)
{
    if (moves)
        json_array_append_new(moves,
                              json_pack("{s:s, s:s, s:s, s:s, s:O}", "at", at, "from", from,
                                        "to", to, "event", event_of(record), "revision",
                                        json_object_get(record, "revision")));
    else
        shown_printf("%s  %s -> %s (%s)  revision %lld\n", at, from, to, event_of(record),
                     (long long)json_integer_value(json_object_get(record, "revision")));
}

static void state_of(const json_t *paths, char state[HOST_STATE_SIZE])
{
    const char *path = json_string_value(json_array_get(paths, 0));

    task_state(path ? path : "", state);
}

/* user: the list for JSON, or NULL. */
static int32_t print_record(void *user, const wfsm_row *row)
{
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE], at[TIME_SIZE];
    json_t *record = json_loadb(row->text, row->length, 0, NULL);

    if (!record)
        return WFSM_CORRUPT;
    state_of(json_object_get(record, "from"), from);
    state_of(json_object_get(record, "configuration"), to);
    if (*from && *to && strcmp(from, to) != 0)
        print_move(user, record, time_text(row->now, at), from, to);
    json_decref(record);
    return WFSM_OK;
}

static int history_of(const arguments *given, const settings *with, wfsm_store *store)
{
    wfsm_error *error = wfsm_error_new(NULL);
    json_t *moves = given->json ? json_array() : NULL;
    task found;
    int code = task_find(&found, store, with, given, any, "there is no such task");

    if (code == END_FINE && wfsm_store_records(store, found.id, 1, UINT64_MAX, print_record,
                                               moves, error) != WFSM_OK)
        code = library_failed(found.id, error);
    if (code == END_FINE && moves)
        code = show_json(json_incref(moves));
    json_decref(moves);
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
        code = given->json ? show_json(status) : print_pool(status);
    }
    tasks_clear(&list);
    return code;
}

int cmd_pool(const arguments *given, const settings *with)
{
    const task_list none = {NULL, 0};

    if (!host_store_is_made(with->store))
        return show_no_task(given,
                            ledger_status(&none, number_of(with->pool, "maxConcurrent")));
    return with_store(given, with, pool_of);
}

/* ---- agents ---- */

/* {"agent", "kind": program, model or rules, "command"?}. */
static json_t *agent_json(const settings *with, const char *name)
{
    size_t length;
    const char *text = settings_has_agent(with, name)
                           ? wfsm_agents_describe(with->agents, name, &length)
                           : NULL;
    json_t *agent = text ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *command = json_object_get(agent, "command");
    json_t *line = json_pack("{s:s, s:s}", "agent", name, "kind",
                             command ? "program"
                             : text  ? "model"
                                     : "rules");

    if (command)
        json_object_set(line, "command", command);
    json_decref(agent);
    return line;
}

static void print_agent(const json_t *line)
{
    const json_t *command = json_object_get(line, "command"), *word;
    size_t index;

    shown_printf("%-20s", text_of(line, "agent"));
    if (!command)
        shown_printf(" %s", text_of(line, "kind"));
    json_array_foreach(command, index, word) shown_printf(" %s", json_string_value(word));
    shown_printf("\n");
}

/* The thirteen, then who decides; the model behind the rules only if there is one. */
static json_t *all_agents(const settings *with)
{
    static const char *const deciders[] = {"task_analyzer", ROUTER_MODEL, "router"};
    json_t *lines = json_array();
    size_t index;

    for (index = 0; index < AGENT_TYPES; index++)
        json_array_append_new(lines, agent_json(with, agent_types[index]));
    for (index = 0; index < 3; index++)
        if (index != 1 || settings_has_agent(with, deciders[index]))
            json_array_append_new(lines, agent_json(with, deciders[index]));
    return lines;
}

int cmd_agents(const arguments *given, const settings *with)
{
    json_t *lines = all_agents(with), *line;
    size_t index;

    if (given->json)
        return show_json(lines);
    json_array_foreach(lines, index, line) print_agent(line);
    json_decref(lines);
    return END_FINE;
}
