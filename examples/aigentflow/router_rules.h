/* Decisions without a model: decideNextAgent, and an analysis of the words of the task. Both
 * are pure functions of the invocation's input (DOCUMENT.md). buildAgentQueue is in the
 * document, which uses it if suggestedAgents is empty. */
#ifndef AIGENTFLOW_ROUTER_RULES_H
#define AIGENTFLOW_ROUTER_RULES_H

#include <jansson.h>

/* True if no agent is queued or suggested, but the rules cannot decide: there are failures, a
 * rejection, only suggestions that have completed, or no analysis. */
int rules_need_model(const json_t *input);
/* {"next","by","candidates","reason"}: the first of the queue, else the first suggestion that
 * is allowed and has not completed, else none. New; NULL when out of memory. */
json_t *rules_next(const json_t *input);
/* TaskAnalysis. New; NULL when out of memory. */
json_t *rules_analysis(const json_t *input);

#endif
