/* verify/monitor.c: the public monitor: properties of one run. */
#include <wfsm/monitor.h>

#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "logic/json.h"
#include "step/snapshot.h"
#include "verify/property.h"
#include "verify/release.h"

struct wfsm_monitor {
    wfsm_machine *machine; /* a reference */
    wf_arena arena;        /* of the last observation */
    uint8_t *memory, *next; /* the monitor's memory, and that of the next step */
    int64_t *since, *since_next; /* by property: when it began to wait */
    uint8_t *late;               /* by property: its time limit has passed */
    uint8_t *verdicts;
    const char **why;
    uint64_t *active, *former; /* states, now and in the observation before */
    uint64_t *reentered;
    wf_value *slots;
    const char *unassumed; /* the event, or NULL */
};

static bool make_parts(wfsm_monitor *self)
{
    const wfsm_machine *machine = self->machine;
    const wfsm_allocator *allocator = &machine->allocator;

    self->memory = wf_new(allocator, wf_monitor_size(machine));
    self->next = wf_new(allocator, wf_monitor_size(machine));
    self->since = wf_new(allocator, machine->property_count * sizeof *self->since);
    self->since_next = wf_new(allocator, machine->property_count * sizeof *self->since);
    self->late = wf_new(allocator, machine->property_count);
    self->verdicts = wf_new(allocator, machine->property_count);
    self->why = wf_new(allocator, machine->property_count * sizeof *self->why);
    self->active = wf_new(allocator, machine->words * sizeof *self->active);
    self->former = wf_new(allocator, machine->words * sizeof *self->former);
    self->reentered = wf_new(allocator, machine->words * sizeof *self->reentered);
    self->slots = wf_new(allocator, machine->keys.count * sizeof *self->slots);
    return self->memory && self->next && self->since && self->since_next && self->late &&
           self->verdicts && self->why && self->active && self->former && self->reentered &&
           self->slots;
}

int32_t wfsm_monitor_new(wfsm_monitor **monitor, wfsm_machine *machine, wfsm_error *error)
{
    wfsm_monitor *self;

    if (wf_check_release(error) != WFSM_OK)
        return WFSM_VERSION;
    if (!monitor || !machine)
        return wf_fail(error, WFSM_INVALID, "monitor and machine must not be NULL");
    self = wf_new(&machine->allocator, sizeof *self);
    if (!self)
        return wf_no_memory(error);
    wfsm_machine_ref(machine);
    self->machine = machine;
    wf_arena_init(&self->arena, &machine->allocator, 0);
    if (!make_parts(self)) {
        wfsm_monitor_free(self);
        return wf_no_memory(error);
    }
    *monitor = self;
    return WFSM_OK;
}

void wfsm_monitor_free(wfsm_monitor *monitor)
{
    if (!monitor)
        return;
    wfsm_machine *machine = monitor->machine;
    void *const parts[] = {monitor->memory,      monitor->next,   monitor->since,
                           monitor->since_next,  monitor->late,   monitor->verdicts,
                           (void *)monitor->why, monitor->active, monitor->former,
                           monitor->reentered,   monitor->slots};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        wf_free(&machine->allocator, parts[i]);
    wf_arena_fini(&monitor->arena);
    wf_free(&machine->allocator, monitor);
    wfsm_machine_unref(machine);
}

static uint32_t named_state(const wfsm_monitor *self, const wf_value *path)
{
    return path->type == WF_STRING ? wf_machine_find(self->machine, path->as.text, path->length)
                                   : WF_NONE;
}

/* A leaf and its ancestors. */
static bool add_leaf(wfsm_monitor *self, const wf_value *path)
{
    uint32_t state = named_state(self, path);

    if (state == WF_NONE)
        return false;
    for (; state != WF_NONE; state = self->machine->states[state].parent)
        self->active[state / 64] |= (uint64_t)1 << (state % 64);
    return true;
}

static int32_t take_configuration(wfsm_monitor *self, const wf_value *list, wfsm_error *error)
{
    memset(self->active, 0, self->machine->words * sizeof *self->active);
    if (list->type != WF_ARRAY || !list->length)
        return wf_fail(error, WFSM_SEMANTIC,
                       "expected the configuration, a list of paths of states");
    for (uint32_t i = 0; i < list->length; i++)
        if (!add_leaf(self, &list->as.items[i]))
            return wf_fail(error, WFSM_SEMANTIC,
                           "expected the path of a state as element %u of the configuration",
                           (unsigned)i);
    return WFSM_OK;
}

/* Those of the entered states that were active before, and are active now. */
static int32_t take_entered(wfsm_monitor *self, const wf_value *list, wfsm_error *error)
{
    memset(self->reentered, 0, self->machine->words * sizeof *self->reentered);
    if (list->type != WF_ARRAY)
        return wf_fail(error, WFSM_SEMANTIC,
                       "expected the entered states, a list of paths of states");
    for (uint32_t i = 0; i < list->length; i++) {
        uint32_t state = named_state(self, &list->as.items[i]);

        if (state == WF_NONE)
            return wf_fail(error, WFSM_SEMANTIC,
                           "expected the path of a state as element %u of the entered states",
                           (unsigned)i);
        if (wf_set_has(self->former, state) && wf_set_has(self->active, state))
            wf_set_add(self->reentered, state);
    }
    return WFSM_OK;
}

/* Properties cannot read keys that the machine does not know. */
static int32_t take_context(wfsm_monitor *self, const wf_value *context, wfsm_error *error)
{
    const wf_names *keys = &self->machine->keys;

    if (context->type != WF_OBJECT)
        return wf_fail(error, WFSM_SEMANTIC, "expected the context, an object");
    for (uint32_t i = 0; i < keys->count; i++)
        self->slots[i] = wf_absent();
    for (uint32_t i = 0; i < context->length; i++) {
        const wf_member *member = &context->as.members[i];
        uint32_t slot = wf_names_find(keys, member->key, member->length);

        if (slot != WF_NONE)
            self->slots[slot] = member->value;
    }
    return WFSM_OK;
}

static int32_t parse(wfsm_monitor *self, const char *text, size_t length, wf_value *value,
                     wfsm_error *error)
{
    if (!text)
        return wf_fail(error, WFSM_INVALID, "configuration and context must not be NULL");
    return wf_json_parse(&self->arena, text, length, value, error);
}

/* The name of an event whose data breaks its assumption, or NULL. */
static const char *find_unassumed(const wfsm_machine *machine, const wf_value *event)
{
    const wf_value *type = wf_value_get_z(event, "type"), *data = wf_value_get_z(event, "data");
    const wf_value none = wf_null();
    uint32_t number = type && type->type == WF_STRING
                          ? wf_names_find(&machine->events, type->as.text, type->length)
                          : WF_NONE;
    const wf_schema *schema = wf_assumed_of(machine, number);

    if (!schema || wf_schema_check(schema, data ? data : &none, NULL) == WFSM_OK)
        return NULL;
    return machine->events.list[number].text;
}

static void find_overdue(wfsm_monitor *self, int64_t now)
{
    memcpy(self->since_next, self->since,
           self->machine->property_count * sizeof *self->since_next);
    wf_monitor_find_late(self->machine, self->memory, now, self->since_next, self->late);
}

static void keep_since(wfsm_monitor *self)
{
    memcpy(self->since, self->since_next, self->machine->property_count * sizeof *self->since);
}

/* The memory changes only on success. */
static int32_t look(wfsm_monitor *self, const wf_value *event, int64_t now, wfsm_error *error)
{
    size_t size = wf_monitor_size(self->machine);
    wf_observed seen = {.active = self->active,
                        .reentered = self->reentered,
                        .slots = self->slots,
                        .keys = &self->machine->keys,
                        .slot_count = self->machine->keys.count,
                        .event = event,
                        .arena = &self->arena,
                        .late = self->late};

    find_overdue(self, now);
    memcpy(self->next, self->memory, size);
    if (wf_monitor_observe(self->machine, &seen, self->next, self->verdicts, self->why))
        return wf_no_memory(error);
    keep_since(self);
    self->unassumed = event ? find_unassumed(self->machine, event) : NULL;
    memcpy(self->memory, self->next, size);
    memcpy(self->former, self->active, self->machine->words * sizeof *self->former);
    return WFSM_OK;
}

int32_t wfsm_monitor_observe(wfsm_monitor *monitor, const wfsm_observation *observation,
                             wfsm_error *error)
{
    wfsm_observation seen;
    wf_value states, data, happened = wf_null(), entered = wf_array(NULL, 0);
    int32_t status;

    if (!monitor)
        return wf_fail(error, WFSM_INVALID, "the monitor must not be NULL");
    if (!wf_struct_check(&seen, sizeof seen, observation,
                         WF_SIZE_UP_TO(wfsm_observation, event_length)))
        return wf_fail(error, WFSM_INVALID, "the observation, or its size, is not set");
    wf_arena_reset(&monitor->arena);
    status = parse(monitor, seen.configuration, seen.configuration_length, &states, error);
    if (!status)
        status = parse(monitor, seen.context, seen.context_length, &data, error);
    if (!status && seen.event)
        status = parse(monitor, seen.event, seen.event_length, &happened, error);
    if (!status && seen.entered)
        status = parse(monitor, seen.entered, seen.entered_length, &entered, error);
    if (!status)
        status = take_configuration(monitor, &states, error);
    if (!status)
        status = take_entered(monitor, &entered, error);
    if (!status)
        status = take_context(monitor, &data, error);
    return status ? status
                  : look(monitor, happened.type == WF_NULL ? NULL : &happened, seen.now, error);
}

int32_t wfsm_monitor_advance(wfsm_monitor *monitor, int64_t now, wfsm_error *error)
{
    if (!monitor)
        return wf_fail(error, WFSM_INVALID, "the monitor must not be NULL");
    find_overdue(monitor, now);
    keep_since(monitor);
    wf_monitor_pass(monitor->machine, monitor->late, monitor->memory, monitor->verdicts);
    for (uint32_t i = 0; i < monitor->machine->property_count; i++)
        monitor->why[i] = NULL;
    monitor->unassumed = NULL;
    return WFSM_OK;
}

const char *wfsm_monitor_unassumed(const wfsm_monitor *monitor)
{
    return monitor ? monitor->unassumed : NULL;
}

int32_t wfsm_monitor_property(const wfsm_monitor *monitor, size_t index,
                              wfsm_watched_property *property)
{
    wfsm_watched_property full = {.size = sizeof full};

    if (!monitor || !property)
        return WFSM_INVALID;
    if (index >= monitor->machine->property_count)
        return WFSM_NOT_FOUND;
    const wf_property *own = &monitor->machine->properties[index];
    full.name = own->name.text;
    full.kind = wf_property_word(own->kind);
    full.description = own->description ? own->description : "";
    full.watched = own->kind == WF_INSTANCES ? WFSM_WATCHED_UNKNOWN : monitor->verdicts[index];
    full.message = monitor->why[index] ? monitor->why[index] : "";
    return wf_struct_give(property, &full, sizeof full, sizeof full.size) ? WFSM_OK
                                                                          : WFSM_INVALID;
}
