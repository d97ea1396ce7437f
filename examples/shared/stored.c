#include "stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wfsm/revisions.h>

#include "person.h"
#include "wfsm/address.h"

int32_t host_post_command(wfsm_store *store, const char *id, const char *event,
                          const char *data, wfsm_error *error)
{
    const wfsm_post post = {.size = sizeof post,
                            .instance = id,
                            .name = event,
                            .data = data,
                            .length = data ? strlen(data) : 0,
                            .now = wfsm_agents_now(),
                            .interface = WFSM_INTERFACE_COMMAND,
                            .sender = host_person()};

    return wfsm_store_submit(store, &post, error);
}

static int32_t read_head(host_stored *read, wfsm_store *store, const char *id,
                         wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);

    if (status != WFSM_OK)
        return status;
    (void)snprintf(read->owner, sizeof read->owner, "%s", head.owner);
    read->revision = head.revision;
    read->created = head.created;
    read->updated = head.updated;
    read->ended = head.status == WFSM_DONE;
    return WFSM_OK;
}

static void read_state(host_stored *read, wfsm_instance *instance)
{
    size_t length;
    const char *text = wfsm_instance_configuration(instance, &length);
    json_t *paths = text ? json_loadb(text, length, 0, NULL) : NULL;
    const char *path = json_string_value(json_array_get(paths, 0));

    (void)snprintf(read->state, sizeof read->state, "%s", path ? path : "");
    (void)snprintf(read->parent, sizeof read->parent, "%s", wfsm_instance_parent(instance));
    json_decref(paths);
    read->over = wfsm_instance_has_tag(instance, "terminal") != 0;
    read->awaiting = wfsm_instance_has_tag(instance, "awaiting_input") != 0;
    read->failed = wfsm_instance_has_tag(instance, "error") != 0;
}

static int32_t read_instance(host_stored *read, wfsm_instance *instance, wfsm_error *error)
{
    const char *text;
    size_t length;

    read_state(read, instance);
    text = wfsm_instance_context(instance, &length);
    read->context = text ? json_loadb(text, length, 0, NULL) : NULL;
    text = wfsm_instance_invocations(instance, &length);
    read->invocations = text ? json_loadb(text, length, 0, NULL) : NULL;
    if (read->context && read->invocations)
        return WFSM_OK;
    return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
}

int32_t host_stored_read(host_stored *read, wfsm_store *store, const char *id,
                         wfsm_error *error)
{
    wfsm_instance *instance = NULL;
    int32_t status;

    memset(read, 0, sizeof *read);
    status = read_head(read, store, id, error);
    if (status == WFSM_NOT_FOUND)
        status = wfsm_error_set(error, WFSM_NOT_FOUND, "there is no such task");
    if (status == WFSM_OK)
        status = wfsm_instance_load(&instance, NULL, store, NULL, id, error);
    if (status == WFSM_OK)
        status = read_instance(read, instance, error);
    wfsm_instance_free(instance);
    return status;
}

int32_t host_stored_read_at(host_stored *read, wfsm_store *store, const char *id,
                            uint64_t revision, wfsm_error *error)
{
    wfsm_instance *then = NULL;
    int32_t status = wfsm_instance_load_at(&then, store, id, revision, error);

    memset(read, 0, sizeof *read);
    if (status == WFSM_OK)
        status = read_instance(read, then, error);
    wfsm_instance_free(then);
    return status;
}

void host_stored_clear(host_stored *read)
{
    json_decref(read->context);
    json_decref(read->invocations);
    memset(read, 0, sizeof *read);
}

const char *host_stored_text(const host_stored *read, const char *key)
{
    const char *text = json_string_value(json_object_get(read->context, key));

    return text ? text : "";
}

json_int_t host_stored_number(const host_stored *read, const char *key)
{
    const json_t *value = json_object_get(read->context, key);

    return (json_int_t)json_number_value(value);
}

void host_top_state(const char *path, char top[HOST_STATE_SIZE])
{
    (void)snprintf(top, HOST_STATE_SIZE, "%.*s", (int)strcspn(path, "."), path);
}

static void top_of(const json_t *paths, char top[HOST_STATE_SIZE])
{
    const char *path = json_string_value(json_array_get(paths, 0));

    host_top_state(path ? path : "", top);
}

int host_record_states(const json_t *record, char from[HOST_STATE_SIZE],
                       char to[HOST_STATE_SIZE])
{
    const json_t *after = json_object_get(record, "configuration");

    top_of(json_object_get(record, "from"), from);
    top_of(after, to);
    return after != NULL;
}

int host_store_is_made(const char *address)
{
    return !address_is_file(address) || access(address, F_OK) == 0;
}
