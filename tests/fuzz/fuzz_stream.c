/* The streams of chat services: the result does not depend on how the bytes are split. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "agents/chat.h"
#include "agents/sse.h"

enum { LIMIT = 4096 };

typedef struct talk {
    wfa_sse sse;
    wfa_reply reply;
    wfa_error error;
    int answer;
} talk;

static int take_event(void *user, const char *name, const char *data, size_t length)
{
    talk *self = user;

    fuzz_expect(name[0] != '\0' && strlen(name) < WFA_SSE_NAME, "an event has a name");
    fuzz_expect(data[length] == '\0', "data ends with a NUL");
    if (wfa_reply_event(&self->reply, data, length, &self->error) != 0)
        return -1;
    return self->reply.over;
}

static void listen(talk *self, const wfa_dialect *dialect, const char *data, size_t size,
                   size_t piece)
{
    size_t at;

    memset(self, 0, sizeof *self);
    wfa_sse_begin(&self->sse, LIMIT, take_event, self);
    wfa_reply_begin(&self->reply, dialect, LIMIT);
    for (at = 0; at < size && self->answer == 0; at += piece)
        self->answer = wfa_sse_feed(&self->sse, data + at,
                                    size - at < piece ? size - at : piece, &self->error);
}

static void forget(talk *self)
{
    wfa_sse_free(&self->sse);
    wfa_reply_free(&self->reply);
}

static const char *said(const talk *self)
{
    return self->reply.text.data ? self->reply.text.data : "";
}

static void check(const talk *self)
{
    const wfa_reply *reply = &self->reply;

    fuzz_expect(reply->text.length <= LIMIT, "an answer is within its limit");
    fuzz_expect((reply->state == WFA_REPLY_FAILED) == (reply->failure_class != NULL),
                "what has failed has a class");
    fuzz_expect(self->answer != -1 || self->error.message[0] != '\0',
                "what is refused is told why");
    fuzz_expect(reply->input_tokens >= -1 && reply->output_tokens >= -1, "tokens are counts");
}

static void compare(const talk *one, const talk *other)
{
    fuzz_same(said(one), said(other), "the pieces do not matter to the text");
    fuzz_same(one->reply.why, other->reply.why, "nor to the reason");
    fuzz_expect(one->answer == other->answer && one->reply.state == other->reply.state &&
                    one->reply.output_tokens == other->reply.output_tokens,
                "nor to what it comes to");
}

/* The first byte chooses the dialect and the pieces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const wfa_dialect *dialect;
    const char *bytes;
    talk whole, cut;

    if (size < 1)
        return 0;
    dialect = data[0] & 1 ? &wfa_openai : &wfa_anthropic;
    bytes = (const char *)data + 1;
    listen(&whole, dialect, bytes, size - 1, size);
    listen(&cut, dialect, bytes, size - 1, 1 + (data[0] >> 1) % 13);
    check(&whole);
    compare(&whole, &cut);
    (void)wfa_reply_whole(&cut.reply, bytes, size - 1, &cut.error);
    check(&cut);
    forget(&whole);
    forget(&cut);
    return 0;
}
