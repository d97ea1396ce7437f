/* store/exchange_answers.c: the answers of an exchange. */
#include "store/exchange.h"

int32_t wf_answer_known(int32_t answer)
{
    return answer >= WFSM_OK && answer <= WFSM_HOST ? answer : WFSM_STORE_UNKNOWN;
}

void wf_answers_set(int32_t *answers, size_t count, int32_t answer)
{
    for (size_t i = 0; i < count; i++)
        answers[i] = answer;
}

void wf_exchange_set_all(wfsm_exchange *exchange, int32_t answer)
{
    exchange->lease = exchange->inbox_answer = answer;
    wf_answers_set(exchange->commit_answers, exchange->commit_count, answer);
    wf_answers_set(exchange->request_answers, exchange->request_count, answer);
    wf_answers_set(exchange->post_answers, exchange->post_count, answer);
}

bool wf_request_hands_out(int32_t kind)
{
    return kind == WFSM_REQUEST_TAKE || kind == WFSM_REQUEST_LOOK || kind == WFSM_REQUEST_LOAD;
}
