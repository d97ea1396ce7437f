/* machine/machine.c */
#include "machine/machine.h"

#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"
#include "base/sized.h"

static void init_names(wfsm_machine *machine)
{
    wf_names *const all[] = {&machine->events,    &machine->keys,   &machine->tags,
                             &machine->guards,    &machine->agents, &machine->paths,
                             &machine->functions, &machine->ids,    &machine->budget_names};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wf_names_init(all[i], &machine->allocator);
}

wfsm_machine *wf_machine_new(const wfsm_allocator *allocator)
{
    wfsm_machine *machine = wf_new(allocator, sizeof *machine);

    if (!machine)
        return NULL;
    machine->allocator = *allocator;
    atomic_init(&machine->references, 1);
    atomic_init(&machine->spare, NULL);
    wf_arena_init(&machine->arena, &machine->allocator, 0);
    init_names(machine);
    return machine;
}

wf_spare *wf_machine_take_spare(wfsm_machine *machine)
{
    return atomic_exchange_explicit(&machine->spare, NULL, memory_order_acquire);
}

wf_spare *wf_machine_give_spare(wfsm_machine *machine, wf_spare *spare)
{
    return atomic_exchange_explicit(&machine->spare, spare, memory_order_acq_rel);
}

static void end(wfsm_machine *machine)
{
    WF_INVARIANT(atomic_load_explicit(&machine->references, memory_order_relaxed) == 0);
    wfsm_allocator own = machine->allocator;
    wf_spare *spare = wf_machine_take_spare(machine);

    if (spare)
        spare->release(&own, spare);

    wf_names_fini(&machine->events);
    wf_names_fini(&machine->keys);
    wf_names_fini(&machine->tags);
    wf_names_fini(&machine->guards);
    wf_names_fini(&machine->functions);
    wf_names_fini(&machine->agents);
    wf_names_fini(&machine->paths);
    wf_names_fini(&machine->ids);
    wf_names_fini(&machine->budget_names);
    wf_arena_fini(&machine->arena);
    wf_free(&own, machine);
}

wfsm_machine *wfsm_machine_ref(wfsm_machine *machine)
{
    if (machine)
        atomic_fetch_add_explicit(&machine->references, 1, memory_order_relaxed);
    return machine;
}

void wfsm_machine_unref(wfsm_machine *machine)
{
    if (machine &&
        atomic_fetch_sub_explicit(&machine->references, 1, memory_order_acq_rel) == 1)
        end(machine);
}

const char *wfsm_machine_id(const wfsm_machine *machine)
{
    return machine ? machine->id.text : NULL;
}

const char *wfsm_machine_version(const wfsm_machine *machine)
{
    return machine ? machine->version.text : NULL;
}

int32_t wfsm_machine_retention(const wfsm_machine *machine, wfsm_retention *retention)
{
    if (!machine || !wf_struct_give(retention, &machine->retention, sizeof machine->retention,
                                    WF_SIZE_UP_TO(wfsm_retention, removes)))
        return WFSM_INVALID;
    return WFSM_OK;
}

int32_t wfsm_machine_event(const wfsm_machine *machine, const char *name)
{
    uint32_t number =
        machine && name ? wf_names_find(&machine->events, name, strlen(name)) : WF_NONE;

    return number == WF_NONE ? -1 : (int32_t)number;
}

const char *wfsm_machine_fingerprint(const wfsm_machine *machine)
{
    return machine ? machine->fingerprint : NULL;
}

const char *wfsm_machine_document(const wfsm_machine *machine, size_t *length)
{
    if (length)
        *length = machine ? machine->document_length : 0;
    return machine ? machine->document : NULL;
}

size_t wfsm_machine_state_count(const wfsm_machine *machine)
{
    return machine ? machine->state_count : 0;
}

const char *wfsm_machine_state_path(const wfsm_machine *machine, size_t index)
{
    if (!machine || index >= machine->state_count)
        return NULL;
    return machine->states[index].path.text;
}

uint32_t wf_machine_find(const wfsm_machine *machine, const char *path, size_t length)
{
    uint32_t number;

    if (!length || path[0] != '#')
        return wf_names_find(&machine->paths, path, length);
    number = wf_names_find(&machine->ids, path + 1, length - 1);
    return number == WF_NONE ? WF_NONE : machine->id_states[number];
}

bool wf_prefix_matches(const wf_name *prefix, const char *name, size_t length)
{
    if (!prefix->length)
        return true;
    if (length < prefix->length || memcmp(prefix->text, name, prefix->length) != 0)
        return false;
    return length == prefix->length || name[prefix->length] == '.';
}

static const char *const classes[WF_CLASSES] = {
    "network", "timeout", "auth", "schema", "exit", "canceled", "limit", "other",
};

const char *wf_class_name(uint32_t class_number)
{
    return class_number < WF_CLASSES ? classes[class_number] : NULL;
}

uint32_t wf_class_find(const char *name, size_t length)
{
    uint32_t i = 0;

    while (i < WF_CLASSES &&
           (strlen(classes[i]) != length || memcmp(classes[i], name, length) != 0))
        i++;
    return i;
}
