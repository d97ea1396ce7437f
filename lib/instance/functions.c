/* Host guards and actions, by name. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "base/utf8.h"

int32_t wfsm_functions_new(wfsm_functions **functions, const wfsm_allocator *allocator,
                           wfsm_error *error)
{
    wfsm_allocator own;
    if (!functions || !wf_allocator_init(&own, allocator))
        return wf_fail(error, WFSM_INVALID, "functions or allocator are malformed");
    wfsm_functions *made = wf_new(&own, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    made->allocator = own;
    wf_names_init(&made->guard_names, &made->allocator);
    wf_names_init(&made->action_names, &made->allocator);
    *functions = made;
    return WFSM_OK;
}

void wfsm_functions_free(wfsm_functions *functions)
{
    if (!functions)
        return;
    wfsm_allocator allocator = functions->allocator;
    wf_names_fini(&functions->guard_names);
    wf_names_fini(&functions->action_names);
    wf_free(&allocator, functions->guards);
    wf_free(&allocator, functions->actions);
    wf_free(&allocator, functions);
}

static int32_t add(const wfsm_allocator *allocator, wf_names *names, wf_binding **list,
                   size_t *capacity, const char *name, wf_binding binding, wfsm_error *error)
{
    if (!wf_id_valid(name) || !binding.call)
        return wf_fail(error, WFSM_INVALID, "a function needs a name and a callback");
    wf_binding *grown =
        wf_grow(allocator, *list, capacity, (size_t)names->count + 1, sizeof *grown);
    if (!grown)
        return wf_no_memory(error);
    *list = grown;
    uint32_t number = wf_names_add(names, name, strlen(name));
    if (number == WF_NONE)
        return wf_no_memory(error);
    grown[number] = binding;
    return WFSM_OK;
}

int32_t wfsm_functions_add_guard(wfsm_functions *functions, const char *name,
                                 wfsm_callback guard, void *user, wfsm_error *error)
{
    if (!functions)
        return wf_fail(error, WFSM_INVALID, "functions is NULL");
    return add(&functions->allocator, &functions->guard_names, &functions->guards,
               &functions->guard_capacity, name, (wf_binding){guard, user}, error);
}

int32_t wfsm_functions_add_action(wfsm_functions *functions, const char *name,
                                  wfsm_callback action, void *user, wfsm_error *error)
{
    if (!functions)
        return wf_fail(error, WFSM_INVALID, "functions is NULL");
    return add(&functions->allocator, &functions->action_names, &functions->actions,
               &functions->action_capacity, name, (wf_binding){action, user}, error);
}

static int32_t resolve(const wf_names *needed, const wf_names *names,
                       const wf_binding *bindings, wf_binding *out, const char *what,
                       wfsm_error *error)
{
    for (uint32_t i = 0; i < needed->count; i++) {
        const wf_name *name = &needed->list[i];
        uint32_t number = !names ? WF_NONE : wf_names_find(names, name->text, name->length);
        if (number == WF_NONE)
            return wf_fail(error, WFSM_NOT_FOUND,
                           "the machine needs the %s \"%s\", which is not registered", what,
                           name->text);
        out[i] = bindings[number];
    }
    return WFSM_OK;
}

int32_t wf_instance_bind(wfsm_instance *instance, const wfsm_functions *functions,
                         wfsm_error *error)
{
    const wfsm_machine *machine = instance->snapshot.machine;
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    if (machine->guards.count + machine->functions.count == 0)
        return WFSM_OK;
    instance->attached->guards = wf_new(allocator, machine->guards.count * sizeof(wf_binding));
    instance->attached->actions =
        wf_new(allocator, machine->functions.count * sizeof(wf_binding));
    if (!instance->attached->guards || !instance->attached->actions)
        return wf_no_memory(error);
    int32_t status = resolve(&machine->guards, functions ? &functions->guard_names : NULL,
                             functions ? functions->guards : NULL, instance->attached->guards,
                             "guard", error);
    if (status != WFSM_OK)
        return status;
    return resolve(&machine->functions, functions ? &functions->action_names : NULL,
                   functions ? functions->actions : NULL, instance->attached->actions, "action",
                   error);
}

static const char *missing(const wf_names *needed, const wf_names *names)
{
    for (uint32_t i = 0; i < needed->count; i++)
        if (wf_names_find(names, needed->list[i].text, needed->list[i].length) == WF_NONE)
            return needed->list[i].text;
    return NULL;
}

const char *wf_functions_lack(const wfsm_functions *functions, const wfsm_machine *machine,
                              const char **kind)
{
    const char *name = missing(&machine->guards, &functions->guard_names);
    *kind = "guard";
    if (name)
        return name;
    *kind = "action";
    return missing(&machine->functions, &functions->action_names);
}
