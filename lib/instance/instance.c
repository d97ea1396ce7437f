/* Makes, starts and frees instances. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"

void wfsm_instance_free(wfsm_instance *instance)
{
    if (!instance)
        return;
    wfsm_machine *machine = instance->snapshot.machine;
    const wfsm_allocator allocator = *instance->snapshot.allocator;
    if (instance->scratch)
        wf_instance_drop(instance, WFSM_OK);
    wf_instance_detach(instance);
    wf_snapshot_drop(&instance->snapshot);
    wf_free(&allocator, instance);
    wfsm_machine_unref(machine);
}

int32_t wf_instance_check(const void *out, const char *id, wfsm_error *error)
{
    if (!out)
        return wf_fail(error, WFSM_INVALID, "there is no place for the instance");
    if (!wf_id_valid(id))
        return wf_fail(error, WFSM_INVALID, "an instance's id is 1 to 255 bytes of UTF-8");
    return WFSM_OK;
}

/* The block: instance, room of the snapshot, id. */
wfsm_instance *wf_instance_bare(wfsm_machine *machine, const char *id)
{
    size_t room = wf_snapshot_room(machine), length = strlen(id) + 1;
    wfsm_instance *made = wf_new(&machine->allocator, sizeof *made + room + length);
    if (!made)
        return NULL;
    if (!wf_snapshot_place(&made->snapshot, machine, &machine->allocator, made + 1)) {
        wf_free(&machine->allocator, made);
        return NULL;
    }
    wfsm_machine_ref(machine);
    made->blocked = WF_NONE;
    memcpy((char *)(made + 1) + room, id, length);
    return made;
}

int32_t wf_instance_make(wfsm_instance **out, wfsm_machine *machine, wfsm_store *store,
                         const wfsm_functions *functions, const char *id, wfsm_error *error)
{
    wfsm_instance *made = wf_instance_bare(machine, id);
    int32_t status = WFSM_OK;
    if (!made)
        return wf_no_memory(error);
    if (store || machine->guards.count > 0 || machine->functions.count > 0)
        status = wf_instance_attach(made, error);
    if (status == WFSM_OK && made->attached) {
        made->attached->store = store;
        made->attached->functions = functions;
        status = wf_instance_bind(made, functions, error);
    }
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    *out = made;
    return WFSM_OK;
}

/* ---- start ---- */

void wf_instance_first(wfsm_instance *instance, const char *session, uint64_t start)
{
    wf_parent parent;
    bool child = wf_instance_parent(instance, &parent);
    const wf_beginning by = {child ? parent.invocation : NULL, session, start};
    if (wf_instance_store(instance))
        wf_step_first(&instance->scratch->step, &by);
}

/* The owner is the session that starts it. */
static int32_t take_session(wfsm_start_options *given, const wf_ownership *by,
                            wfsm_error *error)
{
    if (by->owner[0] != '\0')
        given->session = by->owner;
    if (!given->session)
        given->session = "";
    if (given->session[0] == '\0' || wf_id_valid(given->session))
        return WFSM_OK;
    return wf_fail(error, WFSM_INVALID, "a session's name is 1 to 255 bytes of UTF-8");
}

/* They hold from the first step on. */
static int32_t set_limits(wfsm_instance *instance, const wfsm_step_limits *given,
                          wfsm_error *error)
{
    wf_limits limits;
    int32_t status = wf_host_limits(&limits, given, error);
    if (status == WFSM_OK && !wf_snapshot_set_limits(&instance->snapshot, &limits))
        return wf_no_memory(error);
    return status;
}

static int32_t run_start(wfsm_instance *instance, const wfsm_start_options *given,
                         uint64_t start, int64_t now, wf_note *note, wfsm_error *error)
{
    static const char *const keys[] = {"input", "parent", "session", "start"};
    const wf_value *parent = &instance->snapshot.extras->singles.parent;
    const wf_value session = wf_string_z(given->session), number = wf_number((double)start);
    const char *text = given->input;
    wf_value input = wf_absent();
    int32_t status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    if (text)
        status = wf_instance_parse(instance, text, given->length, &input, error);
    if (status == WFSM_OK && text && input.type != WF_OBJECT)
        status = wf_fail(error, WFSM_SEMANTIC, "the input must be a JSON object");
    wf_instance_first(instance, given->session, start);
    if (status == WFSM_OK)
        status = wf_step_start(&instance->scratch->step, &input, &note->outcome);
    if (status == WFSM_OK)
        status = wf_step_arena(&instance->scratch->step);
    const wf_value *values[] = {text ? &input : NULL, parent->type == WF_OBJECT ? parent : NULL,
                                given->session[0] != '\0' ? &session : NULL,
                                start > 0 ? &number : NULL};
    if (wf_instance_writes(instance))
        note->input = wf_note_value(&instance->scratch->step.arena, "start", keys, values, 4);
    return status;
}

static bool set_parent(wfsm_instance *instance, const wf_parent *parent)
{
    wf_member members[5];
    wf_member_set(&members[0], "invocation", 10, wf_string_z(parent->invocation));
    wf_member_set(&members[1], "attempt", 7, wf_number(parent->attempt));
    wf_member_set(&members[2], "depth", 5, wf_number(parent->depth));
    wf_member_set(&members[3], "descendants", 11, wf_number(parent->descendants));
    wf_member_set(&members[4], "descendants_in_all", 18, wf_number(parent->descendants_in_all));
    wf_value value = wf_object(members, 5);
    return wf_snapshot_set_parent(&instance->snapshot, &value);
}

/* Nobody needs a record. */
static bool start_fast(wfsm_instance *instance, int64_t now)
{
    return now >= 0 && now <= WF_NUMBER_MOST && !wf_instance_writes(instance) &&
           wf_fast_start(&instance->snapshot, now);
}

int32_t wf_instance_start_owned(wfsm_instance **instance, wfsm_machine *machine,
                                const wfsm_start_options *options, const wf_ownership *by,
                                int64_t now, wfsm_error *error)
{
    wfsm_start_options given;
    wfsm_instance *made = NULL;
    wf_note note = {0};
    if (!wf_struct_check(&given, sizeof given, options,
                         WF_SIZE_UP_TO(wfsm_start_options, length)))
        return wf_fail(error, WFSM_INVALID, "the options, or their size, are not set");
    int32_t status = wf_instance_check(instance, given.id, error);
    if (status == WFSM_OK)
        status = take_session(&given, by, error);
    if (status == WFSM_OK && !machine)
        status = wf_fail(error, WFSM_INVALID, "the machine is NULL");
    if (status == WFSM_OK)
        status =
            wf_instance_make(&made, machine, given.store, given.functions, given.id, error);
    if (status != WFSM_OK)
        return status;
    status = set_limits(made, given.limits, error);
    if (status == WFSM_OK && by->parent && !set_parent(made, by->parent))
        status = wf_no_memory(error);
    if (status == WFSM_OK && (by->grant.slots > 0 || by->owner[0] != '\0'))
        status = wf_instance_set_owner(made, by->owner, error);
    if (status == WFSM_OK && by->grant.slots > 0)
        made->attached->grant = by->grant;
    bool fast = status == WFSM_OK && !given.input && start_fast(made, now);
    if (status == WFSM_OK && !fast)
        status = run_start(made, &given, by->number, now, &note, error);
    if (status == WFSM_OK && !fast)
        status = wf_instance_commit(made, &note, error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    WF_INVARIANT(!made->scratch);
    *instance = made;
    return WFSM_OK;
}

int32_t wfsm_instance_start(wfsm_instance **instance, wfsm_machine *machine,
                            const wfsm_start_options *options, int64_t now, wfsm_error *error)
{
    const wf_ownership nobody = {.owner = ""};
    return wf_instance_start_owned(instance, machine, options, &nobody, now, error);
}

/* ---- for the engine ---- */

int32_t wf_instance_set_owner(wfsm_instance *instance, const char *owner, wfsm_error *error)
{
    const wfsm_allocator *allocator = instance->snapshot.allocator;
    size_t length = strlen(owner);
    if (length >= WF_ID_BYTES)
        return wf_fail(error, WFSM_INVALID, "an owner's name has at most 255 bytes");
    char *copy = wf_copy_text(allocator, owner, length);
    int32_t status = !copy ? wf_no_memory(error) : wf_instance_attach(instance, error);
    if (status != WFSM_OK) {
        wf_free(allocator, copy);
        return status;
    }
    wf_free(allocator, instance->attached->owner);
    instance->attached->owner = copy;
    instance->attached->by_hand = false;
    return WFSM_OK;
}

bool wf_instance_parent(const wfsm_instance *instance, wf_parent *parent)
{
    const wf_value *value = &instance->snapshot.extras->singles.parent;
    *parent = (wf_parent){.invocation = ""};
    if (value->type != WF_OBJECT)
        return false;
    WF_INVARIANT(wf_is_parent(value));
    parent->invocation = wf_value_get_z(value, "invocation")->as.text;
    parent->attempt = (uint32_t)wf_value_get_z(value, "attempt")->as.number;
    parent->depth = (uint32_t)wf_value_get_z(value, "depth")->as.number;
    parent->descendants = (uint32_t)wf_value_get_z(value, "descendants")->as.number;
    parent->descendants_in_all =
        (uint32_t)wf_value_get_z(value, "descendants_in_all")->as.number;
    return true;
}

const char *wfsm_instance_parent(const wfsm_instance *instance)
{
    wf_parent parent = {.invocation = ""};
    if (instance)
        wf_instance_parent(instance, &parent);
    return parent.invocation;
}

uint64_t wf_instance_descendants(const wfsm_instance *instance)
{
    return instance->snapshot.extras->singles.descendants;
}

int64_t wf_instance_used(const wfsm_instance *instance, uint32_t budget)
{
    return wf_budget_used(&instance->snapshot, budget, instance->snapshot.now);
}

const wf_value *wf_instance_output(const wfsm_instance *instance)
{
    return &instance->snapshot.extras->singles.output;
}

int32_t wfsm_instance_stopped(const wfsm_instance *instance)
{
    return instance && instance->snapshot.extras->singles.progress == WF_IS_STOPPED;
}

void wf_instance_set_grant(wfsm_instance *instance, const wf_grant *grant)
{
    instance->attached->grant = *grant;
}

bool wf_instance_sealed(const wfsm_instance *instance)
{
    return instance->sealed;
}

int32_t wfsm_instance_observe(wfsm_instance *instance, wfsm_callback observer, void *user)
{
    if (!instance)
        return WFSM_INVALID;
    if (!observer && !instance->attached)
        return WFSM_OK;
    int32_t status = wf_instance_attach(instance, NULL);
    if (status == WFSM_OK)
        instance->attached->observer = (wf_binding){observer, user};
    return status;
}
