/* What a client of the Model Context Protocol sends. The first byte is the exit code of the commands that it starts. */
#include "fuzz_command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/mcp.h"

static const char document[] =
    "{\"id\":\"ship\",\"initial\":\"a\",\"context\":{\"n\":1},\"schemas\":{\"context\":{\"type\":"
    "\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}}},\"states\":{\"a\":{\"on\":{\"GO\":"
    "\"b\"}},\"b\":{\"type\":\"final\"}}}";

static const fuzz_printed printed[] = {
    {"approvals",
     "[{\"instance\":\"a\",\"id\":\"a/1/1\",\"src\":\"human\",\"state\":\"a\",\"digest\":\"0\",\"quorum\":1,"
     "\"rejections\":1,\"input\":{\"people\":[\"ada\"],\"x\":\"\\u202e\\n\"},\"votes\":[]}]"},
    {"list",
     "[{\"id\":\"a\",\"machine\":\"ship\",\"configuration\":[\"a\"],\"status\":\"running\",\"revision\":1,"
     "\"created\":1,\"updated\":2,\"deadline\":null,\"owner\":\"\",\"tags\":[],\"attributes\":{}}]"},
    {"show",
     "{\"id\":\"a\",\"machine\":\"ship\",\"status\":\"done\",\"revision\":1,\"created\":1,\"updated\":2,"
     "\"configuration\":[\"a\"],\"context\":{\"n\":1},\"output\":{\"x\":1},\"invocations\":[],\"tags\":[]}"},
    {NULL, "line\n\xff \x1b[31m"}};

static mcp base = {.store = "nowhere.db", .person = "ada", .worker_out = -1};

static void take(mcp *self, const char *data, size_t size)
{
    size_t first = size / 3;
    rpc_take(&self->rpc, data, first);
    rpc_take(&self->rpc, data + first, size - first);
    while (self->run_count > 0)
        fuzz_expect(mcp_turn(self, false), "the server continues");
}

/* The number of answers among what was said. */
static size_t check_said(const char *text, size_t length)
{
    size_t answers = 0;
    for (const char *end; length > 0; length -= (size_t)(end - text), text = end) {
        end = memchr(text, '\n', length);
        fuzz_expect(end != NULL, "a message is a line");
        json_t *message = json_loadb(text, (size_t)(end++ - text), 0, NULL);
        const char *version = json_string_value(json_object_get(message, "jsonrpc"));
        fuzz_expect(version && strcmp(version, "2.0") == 0, "a message is one of JSON-RPC");
        answers += !json_object_get(message, "method");
        json_decref(message);
    }
    return answers;
}

static size_t lines_of(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

static void converse(const char *text, size_t length)
{
    char *said = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&said, &bytes);
    mcp self = base;
    mcp_begin(&self, out);
    take(&self, text, length);
    mcp_forget_questions(&self);
    rpc_free(&self.rpc);
    fclose(out);
    fuzz_expect(check_said(said, bytes) <= lines_of(text, length),
                "a request has one answer at most");
    free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (base.machine_count == 0)
        fuzz_expect(mcp_read_machines(&base, fuzz_file("ship.json", document)),
                    "the document is read");
    if (size == 0)
        return 0;
    fuzz_processes(printed, data[0] % 4);
    converse((const char *)data + 1, size - 1);
    return 0;
}
