#include "wfsm/stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include "wfsm/address.h"

void stored_head_copy(stored_head *copy, const wfsm_head *head)
{
    *copy = (stored_head){
        .id = cli_need(strdup(head->instance)),
        .machine = cli_need(strdup(head->machine)),
        .fingerprint = cli_need(strdup(head->fingerprint)),
        .owner = cli_need(strdup(head->owner ? head->owner : "")),
        .token = cli_need(strdup(head->token ? head->token : "")),
        .tags = cli_need(strdup(head->tags ? head->tags : "")),
        .attributes = cli_need(strdup(head->attributes)),
        .revision = head->revision,
        .snapshot_revision = head->snapshot_revision,
        .first = head->first,
        .effects = head->effects,
        .acknowledged = head->acknowledged,
        .status = head->status,
        .deadline = head->deadline,
        .created = head->created,
        .updated = head->updated,
    };
}

void stored_head_free(stored_head *head)
{
    free(head->id);
    free(head->machine);
    free(head->fingerprint);
    free(head->owner);
    free(head->token);
    free(head->tags);
    free(head->attributes);
    *head = (stored_head){0};
}

const char *stored_status(const stored_head *head)
{
    return head->status == WFSM_DONE ? "done" : "running";
}

static wfsm_store *open_store(const char *path, enum address_use use)
{
    wfsm_store *store = NULL;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    if (address_open(&store, path, use, error) != WFSM_OK)
        cli_say_error(path, error);
    wfsm_error_free(error);
    return store;
}

/* Reading a store that went back in time is harmless, so this is only a warning. */
static void warn_of_age(const char *path)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    if (wfsm_sqlite_check_age(path, NULL, error) == WFSM_CONFLICT)
        cli_say("warning: %s", wfsm_error_message(error));
    wfsm_error_free(error);
}

wfsm_store *stored_open(const char *path)
{
    wfsm_store *store = open_store(path, ADDRESS_READ);
    if (store && address_is_file(path))
        warn_of_age(path);
    return store;
}

wfsm_store *stored_open_to_write(const char *path)
{
    return open_store(path, ADDRESS_WRITE);
}

bool stored_find(wfsm_store *store, const char *path, const char *id, stored_head *head)
{
    wfsm_head found = {.size = sizeof found};
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = wfsm_store_head(store, id, &found, error);
    if (status == WFSM_OK)
        stored_head_copy(head, &found);
    else if (status == WFSM_NOT_FOUND)
        cli_say("%s: there is no instance %s", path, id);
    else
        cli_say_error(path, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

typedef struct compiled {
    wfsm_machine *machine;
    wfsm_error *error;
} compiled;

static int32_t keep_machine(void *user, const wfsm_row *row)
{
    compiled *kept = user;
    return wfsm_machine_load(&kept->machine, row->text, row->length, NULL, NULL, kept->error);
}

/* Reports the error of the sink, because the store has only its status. */
static int32_t load_machine(stored_instance *loaded, wfsm_store *store, const stored_head *head,
                            wfsm_error *error)
{
    compiled kept = {NULL, cli_need(wfsm_error_new(NULL))};
    int32_t status = wfsm_store_document(store, head->fingerprint, keep_machine, &kept, error);
    if (wfsm_error_status(kept.error) != WFSM_OK)
        wfsm_error_set(error, status, wfsm_error_message(kept.error));
    wfsm_error_free(kept.error);
    loaded->machine = kept.machine;
    return status;
}

static int32_t refuse(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_DENIED;
}

int32_t stored_functions(wfsm_functions **functions, const wfsm_machine *machine,
                         wfsm_error *error)
{
    const char *name;
    int32_t status = wfsm_functions_new(functions, NULL, error);
    for (size_t i = 0;
         status == WFSM_OK && (name = wfsm_machine_uses(machine, WFSM_USES_GUARDS, i)); i++)
        status = wfsm_functions_add_guard(*functions, name, refuse, NULL, error);
    for (size_t i = 0;
         status == WFSM_OK && (name = wfsm_machine_uses(machine, WFSM_USES_ACTIONS, i)); i++)
        status = wfsm_functions_add_action(*functions, name, refuse, NULL, error);
    return status;
}

static void keep_known(stored_machines *known, wfsm_machine *machine)
{
    if (known->count == known->capacity) {
        known->capacity = known->capacity > 0 ? 2 * known->capacity : 8;
        known->list = cli_need(realloc(known->list, known->capacity * sizeof *known->list));
    }
    known->list[known->count++] = wfsm_machine_ref(machine);
}

void stored_machines_free(stored_machines *known)
{
    for (size_t i = 0; i < known->count; i++)
        wfsm_machine_unref(known->list[i]);
    free(known->list);
    *known = (stored_machines){0};
}

static int32_t find_machine(stored_instance *loaded, wfsm_store *store, const stored_head *head,
                            stored_machines *known, wfsm_error *error)
{
    for (size_t i = 0; known && i < known->count; i++) {
        if (strcmp(wfsm_machine_fingerprint(known->list[i]), head->fingerprint) != 0)
            continue;
        loaded->machine = wfsm_machine_ref(known->list[i]);
        return WFSM_OK;
    }
    int32_t status = load_machine(loaded, store, head, error);
    if (status == WFSM_OK && !loaded->machine)
        return wfsm_error_set(error, WFSM_CORRUPT, "its machine document is missing");
    if (status == WFSM_OK && known)
        keep_known(known, loaded->machine);
    return status;
}

int32_t stored_try_load(stored_instance *loaded, wfsm_store *store, const stored_head *head,
                        stored_machines *known, wfsm_error *error)
{
    *loaded = (stored_instance){0};
    int32_t status = find_machine(loaded, store, head, known, error);
    if (status == WFSM_OK)
        status = stored_functions(&loaded->functions, loaded->machine, error);
    if (status == WFSM_OK)
        status = wfsm_instance_load(&loaded->instance, loaded->machine, store,
                                    loaded->functions, head->id, error);
    if (status != WFSM_OK)
        stored_unload(loaded);
    return status;
}

bool stored_load(stored_instance *loaded, wfsm_store *store, const stored_head *head)
{
    return stored_load_known(loaded, store, head, NULL);
}

bool stored_load_known(stored_instance *loaded, wfsm_store *store, const stored_head *head,
                       stored_machines *known)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    int32_t status = stored_try_load(loaded, store, head, known, error);
    if (status != WFSM_OK)
        cli_say_error(head->id, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

void stored_unload(stored_instance *loaded)
{
    wfsm_instance_free(loaded->instance);
    wfsm_functions_free(loaded->functions);
    wfsm_machine_unref(loaded->machine);
    *loaded = (stored_instance){0};
}

bool stored_revision(const char *text, uint64_t *revision)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && value > 0) {
        *revision = value;
        return true;
    }
    cli_misused("a revision is a number from 1, not %s", text);
    return false;
}

int stored_parse(stored_request *request, int count, char **list, const char *command,
                 enum stored_id id)
{
    static const cli_option options[] = {{"--json", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    *request = (stored_request){0};
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found != CLI_OPERAND)
            request->json = true;
        else if (!request->store)
            request->store = args.value;
        else if (!request->id)
            request->id = args.value;
        else
            return cli_misused("%s does not take %s", command, args.value);
    }
    bool wants_id = id == STORED_NEEDS_ID;
    if (!request->store || (wants_id && !request->id))
        return cli_misused("%s needs a store%s", command, wants_id ? " and an id" : "");
    return CLI_OK;
}
