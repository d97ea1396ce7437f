#include "usage.h"

#include <stdio.h>
#include <string.h>

static void add_amounts(json_t *sum, const json_t *more)
{
    const char *name;
    json_t *amount;

    json_object_foreach((json_t *)(uintptr_t)more, name, amount)
        json_object_set_new(sum, name,
                            json_integer(json_integer_value(json_object_get(sum, name)) +
                                         (json_int_t)json_number_value(amount)));
}

static int is_work(const json_t *input)
{
    const char *kind = json_string_value(json_object_get(input, "kind"));

    return kind && (strcmp(kind, "result") == 0 || strcmp(kind, "failure") == 0);
}

/* The host's own agents use nothing, and take no time. */
static int32_t take_record(void *user, const wfsm_row *row)
{
    host_usage *self = user;
    json_t *record = json_loadb(row->text, row->length, 0, NULL);
    const json_t *input = json_object_get(record, "input");
    const json_t *usage = json_object_get(input, "usage");

    if (is_work(input) && json_is_object(usage)) {
        self->attempts++;
        add_amounts(self->amounts, usage);
    }
    json_decref(record);
    return WFSM_OK;
}

void host_usage_begin(host_usage *sum)
{
    *sum = (host_usage){.amounts = json_object()};
}

void host_usage_clear(host_usage *sum)
{
    json_decref(sum->amounts);
    sum->amounts = NULL;
}

int32_t host_usage_add(host_usage *sum, wfsm_store *store, const char *id, wfsm_error *error)
{
    return wfsm_store_records(store, id, 1, UINT64_MAX, take_record, sum, error);
}

static json_int_t amount_of(const json_t *amounts, const char *name)
{
    return json_integer_value(json_object_get(amounts, name));
}

void host_usage_text(const json_t *amounts, char text[HOST_USAGE_SIZE])
{
    json_int_t in = amount_of(amounts, "input_tokens");
    json_int_t out = amount_of(amounts, "output_tokens");
    json_int_t micros = amount_of(amounts, "micros");
    size_t used;

    text[0] = '\0';
    if (in + out + micros == 0)
        return;
    (void)snprintf(text, HOST_USAGE_SIZE, "%lld tokens in, %lld out", (long long)in,
                   (long long)out);
    used = strlen(text);
    if (micros > 0)
        (void)snprintf(text + used, HOST_USAGE_SIZE - used, ", $%lld.%04lld",
                       (long long)(micros / 1000000), (long long)(micros % 1000000 / 100));
}
