/* The request of one attempt: the model's prompt, and how it is sent. */
#ifndef WFA_HTTP_REQUEST_H
#define WFA_HTTP_REQUEST_H

#include <wfsm/call.h>
#include <wfsm/store.h>

#include "http.h"
#include "http_config.h"
#include "key.h"

typedef struct wfa_http_request {
    wfa_http_spec spec; /* points into the rest; without sink */
    char *body;
    char *key_header;  /* malloc'ed; holds the key */
    const char *headers[8];
} wfa_http_request;

/* The store may be NULL. Must be cleared after failure, too; borrows from config. */
int wfa_http_request_make(wfa_http_request *request, const wfa_agent_config *config,
                          const wfa_key *key, wfsm_call *call, wfsm_store *store,
                          wfa_error *error);
void wfa_http_request_clear(wfa_http_request *request);

/* Why the attempt before this one failed, if the journal tells: "CLASS: MESSAGE" in
 * malloc'ed text, of failures of this class only; NULL if it does not. */
char *wfa_last_failure(wfsm_store *store, const char *instance, const char *invocation,
                       const char *failure_class);

#endif
