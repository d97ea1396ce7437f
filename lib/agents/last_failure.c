/* Why an attempt failed, from the journal: it is there after a crash, too, and it knows
 * what the engine found wrong with an answer that the agent took for good. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_request.h"

typedef struct search {
    json_int_t revision, ordinal;
    char *class, *message; /* of the last failure found */
} search;

/* Revision and ordinal of INSTANCE/REVISION/ORDINAL-INCARNATION. */
static int read_id(search *wanted, const char *invocation)
{
    const char *ordinal = strrchr(invocation, '/'), *revision = ordinal;

    while (revision && revision > invocation && revision[-1] != '/')
        revision--;
    if (!revision || revision == ordinal)
        return -1;
    wanted->revision = strtoll(revision, NULL, 10);
    wanted->ordinal = strtoll(ordinal + 1, NULL, 10);
    return wanted->revision > 0 ? 0 : -1;
}

static int is_wanted(const search *wanted, const json_t *failed)
{
    const json_t *id = json_object_get(failed, "invocation");

    return json_integer_value(json_array_get(id, 0)) == wanted->revision &&
           json_integer_value(json_array_get(id, 1)) == wanted->ordinal;
}

static void keep(char **text, const json_t *found)
{
    const char *value = json_string_value(found);

    free(*text);
    *text = value ? strdup(value) : NULL;
}

static int32_t look(void *user, const wfsm_row *row)
{
    search *wanted = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    const json_t *failed = json_object_get(record, "failed");

    if (failed && is_wanted(wanted, failed)) {
        keep(&wanted->class, json_object_get(failed, "class"));
        keep(&wanted->message, json_object_get(failed, "message"));
    }
    json_decref(record);
    return WFSM_OK;
}

char *wfa_last_failure(wfsm_store *store, const char *instance, const char *invocation,
                       const char *failure_class)
{
    wfsm_head head = {.size = sizeof head};
    search wanted = {.class = NULL};
    char *message = NULL;

    if (!store || read_id(&wanted, invocation) != 0 ||
        wfsm_store_head(store, instance, &head, NULL) != WFSM_OK)
        return NULL;
    (void)wfsm_store_records(store, instance, (uint64_t)wanted.revision, head.revision, look,
                             &wanted, NULL);
    if (wanted.class && strcmp(wanted.class, failure_class) == 0) {
        message = wanted.message;
        wanted.message = NULL;
    }
    free(wanted.class);
    free(wanted.message);
    return message;
}
