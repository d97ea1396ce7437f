#include "wfsm/copy.h"

#include <stdlib.h>

/* Of the posts for instances that nobody owns, none has such a number. */
static const uint64_t none_beyond = INT64_MAX;

static int32_t drop_row(void *user, const wfsm_row *row)
{
    (void)user, (void)row;
    return WFSM_OK;
}

int32_t copy_ask(const copy_question *asked, const char *const *ids, size_t count,
                 int32_t *answers, wfsm_error *error)
{
    wfsm_request requests[COPY_GROUP];
    const wfsm_request *list[COPY_GROUP];
    for (size_t i = 0; i < count; i++) {
        requests[i] =
            (wfsm_request){.size = sizeof requests[i], .instance = ids[i], .kind = asked->kind};
        list[i] = &requests[i];
    }
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = asked->session,
                              .now = owned_clock(),
                              .requests = list,
                              .request_count = count,
                              .request_answers = answers,
                              .inbox = asked->inbox,
                              .after = none_beyond,
                              .sink = asked->sink ? asked->sink : drop_row,
                              .user = asked->user};
    int32_t status = wfsm_store_exchange(asked->store, &exchange, error);
    return status == WFSM_OK && asked->inbox ? exchange.inbox_answer : status;
}

void copy_release_group(copying *self, const char *const *ids, size_t count, bool *released)
{
    const copy_question asked = {
        .store = self->to, .session = COPY_OWNER, .kind = WFSM_REQUEST_GIVE_UP};
    int32_t answers[COPY_GROUP];
    int32_t status = copy_ask(&asked, ids, count, answers, self->error);
    for (size_t i = 0; i < count; i++)
        released[i] =
            (status == WFSM_OK && answers[i] == WFSM_OK) || copy_release(self, ids[i]);
}
