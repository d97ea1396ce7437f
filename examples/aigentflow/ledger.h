/* The pool according to the ledgers in the store, no matter which process drives the tasks. */
#ifndef LEDGER_H
#define LEDGER_H

#include "tasks.h"

/* As agent_pool_status(), over all of these instances. */
json_t *ledger_status(const task_list *list, json_int_t slots);

#endif
