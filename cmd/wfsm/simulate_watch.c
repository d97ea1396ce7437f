#include "wfsm/simulate_watch.h"
#include "wfsm/work_ids.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sim_watch_begin(sim_watch *watch, wfsm_machine *machine, wfsm_error *error)
{
    return wfsm_monitor_new(&watch->monitor, machine, error) == WFSM_OK;
}

void sim_watch_end(sim_watch *watch)
{
    wfsm_monitor_free(watch->monitor);
    cli_text_free(&watch->timers);
    cli_text_free(&watch->invocations);
    cli_text_free(&watch->violated);
}

static void set_text(cli_text *text, const char *bytes, size_t length)
{
    text->length = 0;
    cli_text_add(text, bytes ? bytes : "", bytes ? length : 0);
}

void sim_watch_line(sim_watch *watch)
{
    set_text(&watch->violated, "", 0);
}

void sim_watch_before(sim_watch *watch, wfsm_instance *instance)
{
    size_t length = 0;
    if (!watch->monitor)
        return;
    const char *text = wfsm_instance_timers(instance, &length);
    set_text(&watch->timers, text, length);
    text = wfsm_instance_invocations(instance, &length);
    set_text(&watch->invocations, text, length);
}

/* ---- the event of a step, from its record ---- */

static json_t *event_named(const char *name, json_t *data, json_t *id, const char *kind)
{
    return json_pack("{s:s s:O? s:O? s:s}", "type", name, "data", data, "id", id, "kind", kind);
}

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The one of that name that was due first. */
static json_t *event_of_timer(const sim_watch *watch, json_t *input)
{
    json_t *list = json_loadb(watch->timers.data, watch->timers.length, 0, NULL);
    json_t *timer, *found = NULL;
    size_t i;
    json_array_foreach(list, i, timer)
    {
        bool same = strcmp(text_of(timer, "event"), text_of(input, "event")) == 0;
        json_int_t due = json_integer_value(json_object_get(timer, "due"));
        if (same && (!found || due < json_integer_value(json_object_get(found, "due"))))
            found = timer;
    }
    json_t *event = event_named(text_of(input, "event"), json_object_get(found, "data"),
                                json_object_get(found, "id"), "timer");
    json_decref(list);
    return event;
}

/* A budget of time is used up. The data of its event are the amounts of the budget after the step. */
static json_t *event_of_budget(wfsm_instance *instance, const char *budget)
{
    size_t length = 0;
    const char *text = wfsm_instance_budgets(instance, wfsm_instance_now(instance), &length);
    json_t *budgets = text ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *data = json_pack("{s:s}", "budget", budget);
    char name[160];
    snprintf(name, sizeof name, "error.budget.%s", budget);
    if (json_object_get(budgets, budget))
        json_object_update(data, json_object_get(budgets, budget));
    json_t *event = event_named(name, data, NULL, "platform");
    json_decref(data);
    json_decref(budgets);
    return event;
}

/* done.invoke.ID or error.invoke.ID of an invocation that was there before. */
static json_t *event_of_invocation(const sim_watch *watch, const char *id, const char *prefix,
                                   json_t *data)
{
    json_t *list = json_loadb(watch->invocations.data, watch->invocations.length, 0, NULL);
    json_t *invocation, *event = NULL;
    char name[600];
    size_t i;
    json_array_foreach(list, i, invocation)
    {
        if (event || !work_id_same(text_of(invocation, "id"), id))
            continue;
        snprintf(name, sizeof name, "%s%s", prefix, text_of(invocation, "invoke"));
        /* One of several items: their results come together. */
        bool item = json_object_get(invocation, "item") != NULL;
        event = event_named(name, item ? NULL : data, NULL, "platform");
    }
    json_decref(list);
    return event;
}

/* `failed` names the attempt, also if a time limit ended it. */
static json_t *event_of_failure(const sim_watch *watch, json_t *failed)
{
    json_t *which = json_object_get(failed, "invocation");
    char id[64];
    snprintf(id, sizeof id, "sim/%lld/%lld",
             (long long)json_integer_value(json_array_get(which, 0)),
             (long long)json_integer_value(json_array_get(which, 1)));
    json_t *data = json_pack("{s:O? s:O?}", "class", json_object_get(failed, "class"),
                             "message", json_object_get(failed, "message"));
    json_t *event = event_of_invocation(watch, id, "error.invoke.", data);
    json_decref(data);
    return event;
}

static json_t *event_from_outside(json_t *input, json_t *origin)
{
    json_t *event = event_named(text_of(input, "event"), json_object_get(input, "data"),
                                json_object_get(input, "id"), "external");
    json_t *engine = json_pack("{s:s s:n}", "interface", "engine", "sender");
    if (event)
        json_object_set(event, "origin", origin ? origin : engine);
    json_decref(engine);
    return event;
}

/* NULL: no event, or none that a transition took. */
static json_t *event_of(const sim_watch *watch, wfsm_instance *instance, json_t *record)
{
    json_t *input = json_object_get(record, "input");
    json_t *failed = json_object_get(record, "failed");
    const char *kind = text_of(input, "kind"), *outcome = text_of(record, "outcome");
    if (strcmp(outcome, "taken") != 0 && strcmp(outcome, "ended") != 0)
        return NULL;
    if (failed)
        return event_of_failure(watch, failed);
    if (strcmp(kind, "event") == 0)
        return event_from_outside(input, json_object_get(record, "origin"));
    if (strcmp(kind, "timer") == 0)
        return event_of_timer(watch, input);
    if (strcmp(kind, "budget") == 0)
        return event_of_budget(instance, text_of(input, "budget"));
    if (strcmp(kind, "result") == 0)
        return event_of_invocation(watch, text_of(input, "invocation"), "done.invoke.",
                                   json_object_get(input, "output"));
    return NULL;
}

/* ---- what the properties say ---- */

static void add_name(cli_text *names, const char *name)
{
    json_t *text = cli_need(json_string(name));
    char *json = cli_need(json_dumps(text, JSON_ENCODE_ANY));
    if (names->length > 0)
        cli_text_add(names, ", ", 2);
    cli_text_add(names, json, strlen(json));
    free(json);
    json_decref(text);
}

static bool is_broken(const wfsm_watched_property *property)
{
    return property->watched == WFSM_WATCHED_VIOLATED ||
           property->watched == WFSM_WATCHED_FAILED;
}

static void note_broken(sim_watch *watch)
{
    wfsm_watched_property property = {.size = sizeof property};
    for (size_t i = 0; wfsm_monitor_property(watch->monitor, i, &property) == WFSM_OK; i++)
        if (is_broken(&property)) {
            add_name(&watch->violated, property.name);
            watch->ever = true;
        }
}

static void look(sim_watch *watch, wfsm_instance *instance, json_t *event, wfsm_error *error)
{
    size_t length = 0, entered_length = 0;
    const char *entered = wfsm_instance_entered(instance, &entered_length);
    char *said = event ? cli_need(json_dumps(event, JSON_ENCODE_ANY)) : NULL;
    cli_text states = {0};
    const char *text = wfsm_instance_configuration(instance, &length);
    /* The next answer of the instance takes the place of this one. */
    set_text(&states, text, length);
    text = wfsm_instance_context(instance, &length);
    const wfsm_observation seen = {.size = sizeof seen,
                                   .configuration = states.data,
                                   .configuration_length = states.length,
                                   .context = text,
                                   .context_length = length,
                                   .event = said,
                                   .event_length = said ? strlen(said) : 0,
                                   .entered = entered,
                                   .entered_length = entered_length,
                                   .now = wfsm_instance_now(instance)};
    if (text && wfsm_monitor_observe(watch->monitor, &seen, error) == WFSM_OK)
        note_broken(watch);
    cli_text_free(&states);
    free(said);
}

void sim_watch_after(sim_watch *watch, wfsm_instance *instance, wfsm_error *error)
{
    size_t length = 0;
    if (!watch->monitor || wfsm_instance_revision(instance) == watch->revision)
        return;
    watch->revision = wfsm_instance_revision(instance);
    const char *text = wfsm_instance_record(instance, &length);
    json_t *record = text ? json_loadb(text, length, 0, NULL) : NULL;
    json_t *event = event_of(watch, instance, record);
    look(watch, instance, event, error);
    json_decref(event);
    json_decref(record);
}

void sim_watch_pass(sim_watch *watch, int64_t now, wfsm_error *error)
{
    if (watch->monitor && wfsm_monitor_advance(watch->monitor, now, error) == WFSM_OK)
        note_broken(watch);
}

void sim_watch_pending(const sim_watch *watch, cli_text *names)
{
    wfsm_watched_property property = {.size = sizeof property};
    for (size_t i = 0; wfsm_monitor_property(watch->monitor, i, &property) == WFSM_OK; i++)
        if (property.watched == WFSM_WATCHED_PENDING)
            add_name(names, property.name);
}
