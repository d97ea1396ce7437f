/* What agents have used, by the journals. */
#ifndef HOST_USAGE_H
#define HOST_USAGE_H

#include <jansson.h>
#include <wfsm/store.h>

typedef struct host_usage {
    json_t *amounts;     /* by name, of tokens and so on */
    json_int_t attempts; /* of agents that have answered or failed */
} host_usage;

void host_usage_begin(host_usage *sum);
void host_usage_clear(host_usage *sum);
/* Adds what the records of the instance say. */
int32_t host_usage_add(host_usage *sum, wfsm_store *store, const char *id, wfsm_error *error);
/* "12 tokens in, 3 out, $0.0400"; "" if nothing is known. */
enum { HOST_USAGE_SIZE = 128 };
void host_usage_text(const json_t *amounts, char text[HOST_USAGE_SIZE]);

#endif
