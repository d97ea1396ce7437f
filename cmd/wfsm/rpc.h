/*
 * rpc.h: JSON-RPC 2.0 in lines, as the stdio transport of the Model Context Protocol has it. For `wfsm mcp`
 * and for `agentd mcp`.
 */
#ifndef WFSM_RPC_H
#define WFSM_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "wfsm/cli.h"

/* Errors of JSON-RPC. */
enum rpc_error {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603
};

/* The most bytes of a message. */
enum { RPC_MESSAGE = 8 << 20 };

/* One side of a conversation. The caller sets what stands before the last two members. */
typedef struct rpc {
    FILE *out;
    void *user;
    /* Each request is answered once, now or later, by rpc_answer() or rpc_fail(). `params` may be NULL. */
    void (*request)(void *user, const json_t *id, const char *method, const json_t *params);
    void (*notice)(void *user, const char *method, const json_t *params);
    void (*answered)(void *user, const json_t *message); /* an answer of the other side */
    cli_text line; /* a message that has not ended */
    bool line_is_long; /* it is skipped up to its end */
} rpc;

/* Takes bytes of the other side, and calls the functions above for each message that is complete. */
void rpc_take(rpc *self, const char *bytes, size_t length);
/* Takes the message away. */
void rpc_write(rpc *self, json_t *message);
/* Takes the result away. `id` NULL: nobody is answered. */
void rpc_answer(rpc *self, const json_t *id, json_t *result);
/* `id` NULL: the message could not be read that far. */
void rpc_fail(rpc *self, const json_t *id, int code, const char *format, ...) CLI_PRINTF(4, 5);
void rpc_vfail(rpc *self, const json_t *id, int code, const char *format, va_list list)
    CLI_PRINTF(4, 0);
void rpc_free(rpc *self);

/* The revision of the Model Context Protocol that answers a client that asks for this one: the same if it is
 * known, else the newest. */
const char *rpc_revision(const char *asked);
bool rpc_is_newest(const char *revision);
#endif
