/* Making, loading and freeing an instance. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "store/decode.h"

int32_t wf_instance_ready(const wfsm_instance *instance, wfsm_error *error)
{
    if (instance == NULL)
        return wf_fail(error, WFSM_INVALID, "the instance is NULL");
    if (instance->busy)
        return wf_fail(error, WFSM_BUSY, "called from inside a callback of the instance");
    if (instance->sealed)
        return wf_fail(error, WFSM_SEALED,
                       "the store may be ahead of this instance: load it again");
    return WFSM_OK;
}

int32_t wf_instance_begin(wfsm_instance *instance, int64_t now, wfsm_error *error)
{
    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "time must not be negative");
    instance->step.error = error;
    instance->step.owner = instance->owner;
    instance->step.free_slots = instance->slots;
    instance->blocked = "";
    return wf_step_begin(&instance->step, now);
}

void wfsm_instance_free(wfsm_instance *instance)
{
    if (instance == NULL)
        return;
    wfsm_allocator allocator = instance->allocator;
    wf_buffer *buffers[] = {&instance->record, &instance->log, &instance->full,
                            &instance->tags, &instance->answer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wf_buffer_fini(buffers[i]);
    wf_call_fini(&instance->calls[WF_CALL_GUARD]);
    wf_call_fini(&instance->calls[WF_CALL_ACTION]);
    wf_step_fini(&instance->step);
    wf_snapshot_fini(&instance->snapshot);
    wf_free(&allocator, instance->guards);
    wf_free(&allocator, instance->actions);
    wfsm_machine_unref(instance->machine);
    wf_free(&allocator, instance);
}

static int32_t check(const void *out, const wfsm_store *store, const char *id,
                     wfsm_error *error)
{
    if (out == NULL || store == NULL)
        return wf_fail(error, WFSM_INVALID, "instance or store is NULL");
    if (!wf_id_valid(id))
        return wf_fail(error, WFSM_INVALID, "an instance's id is 1 to 255 bytes of UTF-8");
    return WFSM_OK;
}

static void init_buffers(wfsm_instance *instance)
{
    wf_buffer *buffers[] = {&instance->record, &instance->log, &instance->full,
                            &instance->tags, &instance->answer};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wf_buffer_init(buffers[i], &instance->allocator);
    wf_call_init(&instance->calls[WF_CALL_GUARD], WF_CALL_GUARD, &instance->allocator);
    wf_call_init(&instance->calls[WF_CALL_ACTION], WF_CALL_ACTION, &instance->allocator);
}

/* An instance without any state yet, good for wfsm_instance_free(). */
static int32_t make(wfsm_instance **out, wfsm_machine *machine, wfsm_store *store,
                    const wfsm_functions *functions, const char *id, wfsm_error *error)
{
    wfsm_instance *made = wf_new(&machine->allocator, sizeof *made);
    if (made == NULL)
        return wf_no_memory(error);
    made->allocator = machine->allocator;
    made->machine = wfsm_machine_ref(machine);
    made->store = store;
    made->blocked = "";
    memcpy(made->id, id, strlen(id));
    init_buffers(made);
    int32_t status = wf_instance_bind(made, functions, error);
    if (status == WFSM_OK &&
        (!wf_snapshot_init(&made->snapshot, machine, &made->allocator) ||
         !wf_step_init(&made->step, &made->snapshot, made->id)))
        status = wf_no_memory(error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    wf_instance_bind_host(made);
    *out = made;
    return WFSM_OK;
}

/* ---- start ---- */

static int32_t run_start(wfsm_instance *instance, const char *text, size_t length,
                         int64_t now, wf_note *note, wfsm_error *error)
{
    static const char *const keys[] = {"input"};
    wf_value input = wf_absent();
    wf_arena *arena = &instance->step.arena;
    int32_t status = wf_instance_begin(instance, now, error);
    if (status == WFSM_OK && text != NULL)
        status = wf_json_parse(arena, text, length, &input, error);
    if (status == WFSM_OK && text != NULL && input.type != WF_OBJECT)
        status = wf_fail(error, WFSM_SEMANTIC, "the input must be a JSON object");
    if (status == WFSM_OK)
        status = wf_step_start(&instance->step, &input, &note->outcome);
    if (status == WFSM_OK)
        status = wf_step_arena(&instance->step);
    const wf_value *values[] = {text != NULL ? &input : NULL};
    note->input = wf_note_value(arena, "start", keys, values, 1);
    return status;
}

int32_t wf_instance_start_owned(wfsm_instance **instance, wfsm_machine *machine,
                                wfsm_store *store, const wfsm_functions *functions,
                                const char *id, const char *input, size_t length,
                                const char *owner, uint32_t slots, int64_t now,
                                wfsm_error *error)
{
    wfsm_instance *made = NULL;
    wf_note note = {0};
    int32_t status = check(instance, store, id, error);
    if (status == WFSM_OK && machine == NULL)
        status = wf_fail(error, WFSM_INVALID, "the machine is NULL");
    if (status == WFSM_OK)
        status = make(&made, machine, store, functions, id, error);
    if (status != WFSM_OK)
        return status;
    made->slots = slots;
    status = wf_instance_set_owner(made, owner, error);
    if (status == WFSM_OK)
        status = run_start(made, input, length, now, &note, error);
    if (status == WFSM_OK)
        status = wf_instance_commit(made, &note, error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    *instance = made;
    return WFSM_OK;
}

int32_t wfsm_instance_start(wfsm_instance **instance, wfsm_machine *machine,
                            wfsm_store *store, const wfsm_functions *functions,
                            const char *id, const char *input, size_t length, int64_t now,
                            wfsm_error *error)
{
    return wf_instance_start_owned(instance, machine, store, functions, id, input, length,
                                   "", 0, now, error);
}

/* ---- load ---- */

typedef struct compiling {
    wfsm_machine **machine;
    const wfsm_allocator *allocator;
    wfsm_error *error;
} compiling;

static int32_t compile_row(void *user, const wfsm_row *row)
{
    compiling *self = user;
    int32_t status = wfsm_machine_load(self->machine, row->text, row->length, NULL,
                                       self->allocator, self->error);
    return status == WFSM_SYNTAX || status == WFSM_SEMANTIC ? WFSM_CORRUPT : status;
}

/* The machine that the instance runs under: the given one, or the stored document. */
static int32_t find_machine(wfsm_machine **machine, wfsm_store *store, const wfsm_head *head,
                            wfsm_error *error)
{
    compiling self = {machine, &store->allocator, error};
    if (*machine == NULL)
        return wfsm_store_document(store, head->fingerprint, compile_row, &self, error);
    if (strcmp((*machine)->fingerprint, head->fingerprint) != 0)
        return wf_fail(error, WFSM_DENIED,
                       "the instance runs under another document of \"%s\"", head->machine);
    wfsm_machine_ref(*machine);
    return WFSM_OK;
}

typedef struct reading {
    wfsm_instance *instance;
    wfsm_error *error;
} reading;

static int32_t read_snapshot(void *user, const wfsm_row *row)
{
    reading *self = user;
    wfsm_instance *instance = self->instance;
    instance->snapshot_bytes = row->length;
    return wf_snapshot_read(&instance->snapshot, row->text, row->length, instance->digest,
                            self->error);
}

static int32_t read_record(void *user, const wfsm_row *row)
{
    reading *self = user;
    wfsm_instance *instance = self->instance;
    instance->record_bytes += row->length;
    return wf_record_apply(&instance->snapshot, row->text, row->length, instance->digest,
                           self->error);
}

static void forget_acknowledged(wf_outbox *outbox, const wfsm_allocator *allocator,
                                uint64_t mark)
{
    size_t kept = 0;
    for (size_t i = 0; i < outbox->count; i++) {
        if (outbox->list[i].number > mark)
            outbox->list[kept++] = outbox->list[i];
        else
            wf_free(allocator, outbox->list[i].block);
    }
    outbox->count = kept;
}

/* What is left of the head once the store is asked again. */
typedef struct marks {
    uint64_t revision, acknowledged;
    char token[WF_DIGEST_HEX];
    char owner[WF_ID_BYTES];
} marks;

static int32_t read_state(wfsm_instance *instance, const marks *head, wfsm_error *error)
{
    reading self = {instance, error};
    int32_t status =
        wf_store_snapshot(instance->store, instance->id, NULL, read_snapshot, &self, error);
    if (status == WFSM_OK && instance->snapshot.revision < head->revision)
        status = wfsm_store_records(instance->store, instance->id,
                                    instance->snapshot.revision + 1, head->revision,
                                    read_record, &self, error);
    if (status != WFSM_OK)
        return status;
    if (instance->snapshot.revision != head->revision ||
        strcmp(instance->digest, head->token) != 0)
        return wf_fail(error, WFSM_CORRUPT,
                       "stored bytes: the journal of \"%s\" does not lead to its head",
                       instance->id);
    forget_acknowledged(&instance->snapshot.outbox, &instance->allocator,
                        head->acknowledged);
    return WFSM_OK;
}

static bool copy_marks(marks *out, const wfsm_head *head)
{
    if (strlen(head->token) >= sizeof out->token || strlen(head->owner) >= sizeof out->owner)
        return false;
    out->revision = head->revision;
    out->acknowledged = head->acknowledged;
    strcpy(out->token, head->token);
    strcpy(out->owner, head->owner);
    return true;
}

int32_t wfsm_instance_load(wfsm_instance **instance, wfsm_machine *machine, wfsm_store *store,
                           const wfsm_functions *functions, const char *id,
                           wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    wfsm_instance *made = NULL;
    marks kept = {0};
    int32_t status = check(instance, store, id, error);
    if (status == WFSM_OK)
        status = wfsm_store_head(store, id, &head, error);
    if (status == WFSM_OK && !copy_marks(&kept, &head))
        status = wf_fail(error, WFSM_CORRUPT, "stored bytes: token or owner is too long");
    if (status == WFSM_OK)
        status = find_machine(&machine, store, &head, error);
    if (status != WFSM_OK)
        return status;
    status = make(&made, machine, store, functions, id, error);
    wfsm_machine_unref(machine);
    if (status != WFSM_OK)
        return status;
    memcpy(made->owner, kept.owner, sizeof made->owner);
    status = read_state(made, &kept, error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    *instance = made;
    return WFSM_OK;
}

/* ---- for the engine ---- */

int32_t wf_instance_set_owner(wfsm_instance *instance, const char *owner, wfsm_error *error)
{
    size_t length = strlen(owner);
    if (length >= sizeof instance->owner)
        return wf_fail(error, WFSM_INVALID, "an owner's name has at most 255 bytes");
    memcpy(instance->owner, owner, length + 1);
    return WFSM_OK;
}

void wf_instance_set_slots(wfsm_instance *instance, uint32_t slots)
{
    instance->slots = slots;
}

bool wf_instance_sealed(const wfsm_instance *instance)
{
    return instance->sealed;
}

int32_t wfsm_instance_observe(wfsm_instance *instance, wfsm_callback observer, void *user)
{
    if (instance == NULL)
        return WFSM_INVALID;
    instance->observer = (wf_binding){observer, user};
    return WFSM_OK;
}
