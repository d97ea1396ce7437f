/* The endpoint of an HTTP agent, without asking its model. */
#ifndef WFSM_DOCTOR_HTTP_H
#define WFSM_DOCTOR_HTTP_H

#include <jansson.h>

/* The result of a check. `message` is malloc'ed; the other texts are static. */
typedef struct doctor_endpoint {
    const char *state; /* "ok", "auth" or "network" */
    char *message;
    const char *advice; /* NULL: nothing to do */
} doctor_endpoint;

/* Is the key set, and does somebody listen at base_url? `about` is what wfsm_agents_describe() says. */
void doctor_http_try(const json_t *about, doctor_endpoint *found);

#endif
