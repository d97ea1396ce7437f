/* Loading an instance: head, machine, snapshot and journal, which must agree. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "store/decode.h"

/* A copy of the head, whose texts are borrowed only until the next call of the store. */
typedef struct marks {
    uint64_t revision, effects, acknowledged;
    int32_t status;
    char fingerprint[WF_DIGEST_HEX];
    char token[WF_DIGEST_HEX];
    char owner[WF_ID_BYTES];
} marks;

static bool copy_text(char *out, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size)
        return false;
    memcpy(out, text, length + 1);
    return true;
}

static bool copy_marks(marks *out, const wfsm_head *head)
{
    out->revision = head->revision;
    out->effects = head->effects;
    out->acknowledged = head->acknowledged;
    out->status = head->status;
    return copy_text(out->fingerprint, sizeof out->fingerprint, head->fingerprint) &&
           copy_text(out->token, sizeof out->token, head->token) &&
           copy_text(out->owner, sizeof out->owner, head->owner);
}

static int32_t corrupt(const char *id, const char *what, wfsm_error *error)
{
    return wf_fail(error, WFSM_CORRUPT, "stored bytes of \"%.60s\": %s", id, what);
}

static int32_t keep_marks(marks *out, const wfsm_head *head, const char *id, wfsm_error *error)
{
    if (copy_marks(out, head))
        return WFSM_OK;
    return corrupt(id, "head: fingerprint, token or owner is too long", error);
}

static int32_t read_marks(marks *out, wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);
    return status == WFSM_OK ? keep_marks(out, &head, id, error) : status;
}

typedef struct compiling {
    wfsm_machine **machine;
    const char *id;
    const wfsm_allocator *allocator;
    wfsm_error *error;
} compiling;

static int32_t compile_row(void *user, const wfsm_row *row)
{
    compiling *self = user;
    if (*self->machine)
        return corrupt(self->id, "there are two machine documents", self->error);
    int32_t status = wfsm_machine_load(self->machine, row->text, row->length, NULL,
                                       self->allocator, self->error);
    if (status == WFSM_OK || status == WFSM_NO_MEMORY || status == WFSM_VERSION)
        return status;
    return wf_fail(self->error, WFSM_CORRUPT,
                   "stored bytes of \"%.60s\": the machine document: %s", self->id,
                   wfsm_error_message(self->error));
}

int32_t wf_stored_machine(wfsm_machine **machine, wfsm_store *store, const char *id,
                          const char *fingerprint, wfsm_error *error)
{
    compiling self = {machine, id, &store->allocator, error};
    int32_t status = wfsm_store_document(store, fingerprint, compile_row, &self, error);
    if (status == WFSM_OK && *machine && strcmp((*machine)->fingerprint, fingerprint) == 0)
        return WFSM_OK;
    wfsm_machine_unref(*machine);
    if (status != WFSM_OK)
        return status;
    return corrupt(id, "the machine document has another fingerprint", error);
}

static int32_t find_machine(wfsm_machine **machine, wfsm_store *store, const char *id,
                            const marks *head, wfsm_error *error)
{
    if (!*machine)
        return wf_stored_machine(machine, store, id, head->fingerprint, error);
    if (strcmp((*machine)->fingerprint, head->fingerprint) != 0)
        return wf_fail(error, WFSM_DENIED,
                       "\"%.60s\" runs under another document of \"%.60s\" than this one", id,
                       (*machine)->id.text);
    wfsm_machine_ref(*machine);
    return WFSM_OK;
}

typedef struct reading {
    wfsm_instance *instance;
    wf_reader reader;
    wfsm_error *error;
} reading;

static int32_t read_snapshot(void *user, const wfsm_row *row)
{
    reading *self = user;
    wfsm_instance *instance = self->instance;
    if (instance->snapshot.revision > 0)
        return corrupt(wf_instance_id(instance), "there are two snapshots", self->error);
    instance->attached->snapshot_bytes = row->length;
    wf_stored stored = {wf_instance_id(instance), NULL, row->text, row->length, &self->reader};
    return wf_snapshot_read(&instance->snapshot, &stored, instance->attached->digest,
                            self->error);
}

static int32_t read_record(void *user, const wfsm_row *row)
{
    reading *self = user;
    wfsm_instance *instance = self->instance;
    instance->attached->record_bytes += row->length;
    wf_stored stored = {wf_instance_id(instance), NULL, row->text, row->length, &self->reader};
    return wf_record_apply(&instance->snapshot, &stored, instance->attached->digest,
                           self->error);
}

/* The head, the snapshot and the journal must agree. */
static int32_t check_head(const wfsm_instance *instance, const marks *head, wfsm_error *error)
{
    const wf_snapshot *snapshot = &instance->snapshot;
    if (snapshot->revision != head->revision ||
        strcmp(instance->attached->digest, head->token) != 0)
        return corrupt(wf_instance_id(instance), "the journal does not lead to the head",
                       error);
    if (snapshot->status != head->status ||
        snapshot->extras->singles.effect_number != head->effects)
        return corrupt(wf_instance_id(instance),
                       "head: status or effects differ from the journal", error);
    if (head->acknowledged > head->effects)
        return corrupt(wf_instance_id(instance), "head: more effects acknowledged than made",
                       error);
    return WFSM_OK;
}

static int32_t ask_store(reading *self, const marks *head)
{
    const wfsm_instance *instance = self->instance;
    int32_t status = wfsm_store_snapshot(wf_instance_store(instance), wf_instance_id(instance),
                                         NULL, read_snapshot, self, self->error);
    if (status == WFSM_OK && instance->snapshot.revision < head->revision)
        status = wfsm_store_records(wf_instance_store(instance), wf_instance_id(instance),
                                    instance->snapshot.revision + 1, head->revision,
                                    read_record, self, self->error);
    return status;
}

/* The rows after the head of the instance. */
static int32_t take_rows(reading *self, const wf_row *rows)
{
    int32_t status = WFSM_OK;
    for (const wf_row *at = rows->next; status == WFSM_OK && wf_row_continues(at);
         at = at->next)
        status = at->row.part == WFSM_ROW_SNAPSHOT ? read_snapshot(self, &at->row)
                                                   : read_record(self, &at->row);
    return status;
}

static int32_t read_rows(wfsm_instance *instance, const marks *head, const wf_row *rows,
                         wfsm_error *error)
{
    reading self = {.instance = instance, .error = error};
    int32_t status = wf_reader_begin(&self.reader, &instance->snapshot, error);
    if (status != WFSM_OK)
        return status;
    status = rows ? take_rows(&self, rows) : ask_store(&self, head);
    return wf_reader_end(&self.reader, &instance->snapshot, status, error);
}

static int32_t read_state(wfsm_instance *instance, const marks *head, const wf_row *rows,
                          wfsm_error *error)
{
    int32_t status = read_rows(instance, head, rows, error);
    if (status == WFSM_OK)
        status = check_head(instance, head, error);
    if (status != WFSM_OK)
        return status;
    instance->attached->committed = instance->snapshot.revision;
    wf_snapshot_acknowledge(&instance->snapshot, head->acknowledged);
    wf_snapshot_trim(&instance->snapshot);
    return WFSM_OK;
}

/* From these rows, or from the store if there are none. */
static int32_t load_once(wfsm_instance **instance, wfsm_machine *machine, wfsm_store *store,
                         const wfsm_functions *functions, const char *id, const wf_row *rows,
                         marks *kept, wfsm_error *error)
{
    wfsm_instance *made = NULL;
    int32_t status =
        rows ? keep_marks(kept, rows->row.head, id, error) : read_marks(kept, store, id, error);
    if (status == WFSM_OK)
        status = find_machine(&machine, store, id, kept, error);
    if (status != WFSM_OK)
        return status;
    status = wf_instance_make(&made, machine, store, functions, id, error);
    wfsm_machine_unref(machine);
    if (status != WFSM_OK)
        return status;
    if (kept->owner[0] != '\0')
        status = wf_instance_set_owner(made, kept->owner, error);
    if (status == WFSM_OK && made->attached)
        made->attached->by_hand = true;
    if (status == WFSM_OK)
        status = read_state(made, kept, rows, error);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    WF_INVARIANT(made->attached->committed == made->snapshot.revision && !made->scratch);
    *instance = made;
    return WFSM_OK;
}

static int32_t load_viewed(wfsm_instance **instance, wfsm_machine *machine, wfsm_store *store,
                           const wfsm_functions *functions, const char *id, marks *kept,
                           wfsm_error *error)
{
    int32_t status = wf_store_view(store, true, error);
    if (status != WFSM_OK)
        return status;
    status = load_once(instance, machine, store, functions, id, NULL, kept, error);
    wf_store_view(store, false, NULL);
    return status;
}

/* Head, snapshot and records in one exchange: from a server in one round trip. */
static int32_t load_exchanged(wfsm_instance **instance, wfsm_machine *machine,
                              wfsm_store *store, const wfsm_functions *functions,
                              const char *id, marks *kept, wfsm_error *error)
{
    const wfsm_request request = {
        .size = sizeof request, .kind = WFSM_REQUEST_LOAD, .instance = id};
    const wfsm_request *requests = &request;
    int32_t answer = WFSM_STORE_UNKNOWN;
    wf_rows rows;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .requests = &requests,
                              .request_count = 1,
                              .request_answers = &answer,
                              .sink = wf_rows_keep,
                              .user = &rows};
    wf_rows_init(&rows, &store->allocator);
    int32_t status = wfsm_store_exchange(store, &exchange, error);
    if (status == WFSM_OK)
        status = answer;
    if (status == WFSM_OK && (!rows.first || rows.first->row.part != WFSM_ROW_HEAD))
        status = corrupt(id, "the store has returned no head", error);
    if (status == WFSM_OK)
        status = load_once(instance, machine, store, functions, id, rows.first, kept, error);
    wf_rows_clear(&rows);
    return status;
}

/* A store that has no `exchange` is near, and the library would make the same calls. */
static int32_t load_from(wfsm_instance **instance, wfsm_machine *machine, wfsm_store *store,
                         const wfsm_functions *functions, const char *id, marks *kept,
                         wfsm_error *error)
{
    return store->vtable.exchange
               ? load_exchanged(instance, machine, store, functions, id, kept, error)
               : load_viewed(instance, machine, store, functions, id, kept, error);
}

int32_t wf_instance_load_rows(wfsm_instance **instance, wfsm_machine *machine,
                              wfsm_store *store, const wfsm_functions *functions,
                              const wf_row *rows, wfsm_error *error)
{
    marks kept = {0};
    return load_once(instance, machine, store, functions, rows->row.head->instance, rows, &kept,
                     error);
}

/* After CORRUPT: has somebody committed since this head was read? If the store does not say it, nobody knows
 * whether anything is damaged, and its answer is returned. */
static int32_t look_again(wfsm_store *store, const char *id, const marks *kept, bool *moved_on,
                          wfsm_error *error)
{
    marks now = {0};
    int32_t status = read_marks(&now, store, id, error);
    *moved_on = status == WFSM_OK &&
                (now.revision != kept->revision || strcmp(now.token, kept->token) != 0);
    return status == WFSM_OK ? WFSM_CORRUPT : status;
}

/* Head, snapshot and journal are read one after the other. In a store without a view, a commit
 * in between makes them disagree, which is not damage: they are read again. After so many
 * attempts this gives up, because a program is writing all the time. */
enum { MOST_LOADS = 100 };

int32_t wfsm_instance_load(wfsm_instance **instance, wfsm_machine *machine, wfsm_store *store,
                           const wfsm_functions *functions, const char *id, wfsm_error *error)
{
    marks kept = {0};
    int32_t status = wf_instance_check(instance, id, error);
    if (status == WFSM_OK && !store)
        status = wf_fail(error, WFSM_INVALID, "the store is NULL");
    if (status != WFSM_OK)
        return status;
    for (int i = 0; i < MOST_LOADS; i++) {
        bool moved_on = false;
        status = load_from(instance, machine, store, functions, id, &kept, error);
        if (status == WFSM_CORRUPT)
            status = look_again(store, id, &kept, &moved_on, error);
        if (!moved_on)
            return status;
        wfsm_error_set(error, WFSM_OK, "");
    }
    return wf_fail(error, WFSM_BUSY, "\"%.60s\" changes faster than it can be read", id);
}
