/* store/submit.h: the kinds of posts. */
#ifndef WF_STORE_SUBMIT_H
#define WF_STORE_SUBMIT_H

#include "logic/value.h"
#include "store/store.h"

/* "event", "stop", …; "" for any other number. Static. */
const char *wf_post_word(int32_t kind);
/* INVALID or SEMANTIC if there is no such kind, or the data does not have what the kind needs. */
int32_t wf_post_check(int32_t kind, const wf_value *data, wfsm_error *error);
/* The text under a key; NULL: there is none. */
const char *wf_post_text(const wf_value *data, const char *key);
#endif
