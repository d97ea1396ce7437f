#include "wfsm/simulate_watch.h"

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
    watch->unassumed = NULL;
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

static void look(sim_watch *watch, wfsm_instance *instance, wfsm_error *error)
{
    size_t length = 0, entered_length = 0, event_length = 0;
    const char *entered = wfsm_instance_entered(instance, &entered_length);
    const char *event = wfsm_instance_event(instance, &event_length);
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
                                   .event = event_length > 0 ? event : NULL,
                                   .event_length = event_length,
                                   .entered = entered,
                                   .entered_length = entered_length,
                                   .now = wfsm_instance_now(instance)};
    if (text && wfsm_monitor_observe(watch->monitor, &seen, error) == WFSM_OK) {
        note_broken(watch);
        if (!watch->unassumed)
            watch->unassumed = wfsm_monitor_unassumed(watch->monitor);
    }
    cli_text_free(&states);
}

void sim_watch_after(sim_watch *watch, wfsm_instance *instance, wfsm_error *error)
{
    if (!watch->monitor || wfsm_instance_revision(instance) == watch->revision)
        return;
    watch->revision = wfsm_instance_revision(instance);
    look(watch, instance, error);
}

void sim_watch_pass_over(sim_watch *watch, const wfsm_instance *instance)
{
    if (watch->monitor)
        watch->revision = wfsm_instance_revision(instance);
}

void sim_watch_pass(sim_watch *watch, int64_t now, wfsm_error *error)
{
    if (watch->monitor && wfsm_monitor_advance(watch->monitor, now, error) == WFSM_OK)
        note_broken(watch);
}

void sim_watch_names(const sim_watch *watch, int32_t watched, cli_text *names)
{
    wfsm_watched_property property = {.size = sizeof property};
    for (size_t i = 0; wfsm_monitor_property(watch->monitor, i, &property) == WFSM_OK; i++)
        if (property.watched == watched)
            add_name(names, property.name);
}
