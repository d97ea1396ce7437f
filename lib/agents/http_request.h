/* The request of one attempt: what a model is told, as a prompt, and how it is sent. */
#ifndef HK_HTTP_REQUEST_H
#define HK_HTTP_REQUEST_H

#include <wfsm/call.h>
#include <wfsm/store.h>

#include "http.h"
#include "http_config.h"
#include "key.h"

typedef struct hk_http_request {
    hk_http_spec spec; /* points into the rest; without sink */
    char *body;
    char *key_header;  /* malloc'ed; holds the key */
    const char *headers[8];
} hk_http_request;

/* The store may be NULL. Must be cleared after failure, too; borrows from config. */
int hk_http_request_make(hk_http_request *request, const hk_agent_config *config,
                         const hk_key *key, wfsm_call *call, wfsm_store *store,
                         hk_error *error);
void hk_http_request_clear(hk_http_request *request);

/* Why the attempt before this one failed, if the journal tells: "CLASS: MESSAGE" in
 * malloc'ed text, of failures of this class only; NULL if it does not. */
char *hk_last_failure(wfsm_store *store, const char *instance, const char *invocation,
                      const char *failure_class);

#endif
