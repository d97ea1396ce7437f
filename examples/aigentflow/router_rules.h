/* Who decides without a model: decideNextAgent and an analysis by the words of the task, as
 * pure functions of the invocation's input (DOCUMENT.md). buildAgentQueue is in the document:
 * an empty suggestedAgents leaves the queue to it. */
#ifndef AIGENTFLOW_ROUTER_RULES_H
#define AIGENTFLOW_ROUTER_RULES_H

#include <jansson.h>

/* Is nobody queued or suggested, and yet not all is clear: failures, a rejection, suggestions
 * that have all worked already, or no analysis? */
int rules_need_model(const json_t *input);
/* {"next","by","candidates","reason"}: the queue's first; else the first suggestion that has
 * not completed and is allowed; else nobody. New; NULL when out of memory. */
json_t *rules_next(const json_t *input);
/* TaskAnalysis. New; NULL when out of memory. */
json_t *rules_analysis(const json_t *input);

#endif
