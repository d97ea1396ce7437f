/* store/exchange.h: exchanges, and the calls that are made of them. */
#ifndef WF_STORE_EXCHANGE_H
#define WF_STORE_EXCHANGE_H

#include "store/store.h"

/* A number that is no status counts as a lost answer. */
int32_t wf_answer_known(int32_t answer);
void wf_answers_set(int32_t *answers, size_t count, int32_t answer);
/* Gives every part of the exchange the same answer. */
void wf_exchange_set_all(wfsm_exchange *exchange, int32_t answer);
/* Each array that has members has a place for their answers. */
bool wf_exchange_has_places(const wfsm_exchange *exchange);
/* INVALID: something is not complete. */
int32_t wf_exchange_check(const wfsm_exchange *exchange, const wfsm_allocator *allocator,
                          wfsm_error *error);
int32_t wf_exchange_check_commit(const wfsm_commit *commit, const wfsm_allocator *allocator,
                                 wfsm_error *error);
/* Whether such a request returns rows. */
bool wf_request_hands_out(int32_t kind);
/* The exchange with a store whose vtable has no `exchange`. */
int32_t wf_exchange_by_parts(const wfsm_store *store, wfsm_exchange *exchange,
                             wfsm_error *error);

/* Single calls: those of the vtable, or, if it has `exchange` instead, exchanges of one. The arguments
 * were checked. */
int32_t wf_store_put_post(const wfsm_store *store, const wfsm_post *post, wfsm_error *error);
int32_t wf_store_raise_mark(const wfsm_store *store, const char *instance, uint64_t effect,
                            wfsm_error *error);
int32_t wf_store_take(const wfsm_store *store, const char *instance, const char *owner,
                      int64_t now, wfsm_error *error);
int32_t wf_store_give_up(const wfsm_store *store, const char *instance, const char *owner,
                         wfsm_error *error);
/* DENIED: the store cannot tell. */
int32_t wf_store_look(const wfsm_store *store, wfsm_changes *asked, wfsm_row_sink sink,
                      void *user, wfsm_error *error);
#endif
