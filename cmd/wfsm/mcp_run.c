#include "wfsm/mcp.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/forked.h"

/* ---- in the server ---- */

static void end_pipe(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static mcp_run *add_run(mcp *self, const json_t *request, pid_t process, int out, int errors)
{
    mcp_run *made = cli_need(calloc(1, sizeof *made));
    made->process = process;
    made->out = out;
    made->errors = errors;
    made->request = request ? json_deep_copy(request) : NULL;
    made->next = self->runs;
    self->runs = made;
    self->run_count++;
    return made;
}

mcp_run *mcp_start(mcp *self, const json_t *request, const char *const *words,
                   const char *input)
{
    int out[2], errors[2];
    if (self->run_count >= MCP_RUNS) {
        mcp_fail(self, request, MCP_INTERNAL, "%d calls are running; wait for one of them",
                 MCP_RUNS);
        return NULL;
    }
    if (pipe(out) != 0) {
        mcp_fail(self, request, MCP_INTERNAL, "no pipe can be made: %s", strerror(errno));
        return NULL;
    }
    if (pipe(errors) != 0) {
        end_pipe(out);
        mcp_fail(self, request, MCP_INTERNAL, "no pipe can be made: %s", strerror(errno));
        return NULL;
    }
    pid_t process = forked_start(words, input, out, errors);
    if (process < 0) {
        end_pipe(out);
        end_pipe(errors);
        mcp_fail(self, request, MCP_INTERNAL, "no process can be made: %s", strerror(errno));
        return NULL;
    }
    close(out[1]);
    close(errors[1]);
    return add_run(self, request, process, out[0], errors[0]);
}

mcp_run *mcp_list(mcp *self, const json_t *request, const json_t *params)
{
    bool fine;
    const char *after = mcp_optional(self, request, params, "cursor", &fine);
    if (!fine)
        return NULL;
    /* One more than a page tells whether there is another. */
    return mcp_start(self, request,
                     (const char *const[]){"list", "--json", "--limit", MCP_PAGE_AND_ONE,
                                           after ? "--after" : "--",
                                           after ? after : self->store, after ? "--" : NULL,
                                           self->store, NULL},
                     NULL);
}

void mcp_add_cursor(json_t *result, const json_t *listed)
{
    if (json_array_size(listed) > MCP_PAGE)
        json_object_set(result, "nextCursor",
                        json_object_get(json_array_get(listed, MCP_PAGE - 1), "id"));
}

/* ---- the worker ---- */

void mcp_spawn(mcp *self, const char *const *words)
{
    int out[2] = {-1, -1};
    const int errors[2] = {-1, STDERR_FILENO};
    if (pipe(out) != 0)
        return;
    self->worker = forked_start(words, NULL, out, errors);
    self->worker_out = out[0];
    close(out[1]);
}

/* It is silent for ever only when it has ended. Then nothing is at work, and the client has to know. */
static void hear_worker(mcp *self)
{
    char bytes[4096];
    ssize_t got = read(self->worker_out, bytes, sizeof bytes);
    if (got > 0 || (got < 0 && errno == EINTR))
        return;
    close(self->worker_out);
    self->worker_out = -1;
    cli_say("the worker has ended, and the server with it");
}

void mcp_end_worker(mcp *self)
{
    if (self->worker <= 0)
        return;
    kill(self->worker, SIGTERM);
    if (self->worker_out >= 0)
        close(self->worker_out);
    forked_code(self->worker);
}

/* ---- what commands print ---- */

static void read_from(int *file, cli_text *text, mcp_run *run)
{
    char bytes[65536];
    ssize_t got = read(*file, bytes, sizeof bytes);
    if (got > 0 && text->length + (size_t)got <= MCP_OUTPUT) {
        cli_text_add(text, bytes, (size_t)got);
    } else if (got > 0) {
        run->too_much = true;
    } else if (got == 0 || errno != EINTR) {
        close(*file);
        *file = -1;
    }
}

static void take_out(mcp *self, const mcp_run *run)
{
    mcp_run **at = &self->runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    self->run_count--;
}

static void end_run(mcp *self, mcp_run *run)
{
    int code = forked_code(run->process);
    take_out(self, run);
    if (run->too_much)
        mcp_fail(self, run->request, MCP_INTERNAL, "the answer has more than %d bytes",
                 MCP_OUTPUT);
    else if (run->request)
        run->done(self, run, code);
    if (run->file)
        unlink(run->file);
    free(run->file);
    json_decref(run->request);
    json_decref(run->about);
    cli_text_free(&run->said);
    cli_text_free(&run->failed);
    free(run);
}

static void end_runs(mcp *self)
{
    mcp_run *next;
    for (mcp_run *run = self->runs; run; run = next) {
        next = run->next;
        if (run->out < 0 && run->errors < 0)
            end_run(self, run);
    }
}

/* Nothing is answered then. */
static void stop(mcp_run *run)
{
    json_decref(run->request);
    run->request = NULL;
    kill(run->process, SIGKILL);
}

void mcp_cancel(mcp *self, const json_t *request)
{
    for (mcp_run *run = self->runs; run; run = run->next)
        if (run->request && json_equal(run->request, request))
            stop(run);
}

void mcp_end_waiting(mcp *self)
{
    for (mcp_run *run = self->runs; run; run = run->next)
        if (run->waits)
            stop(run);
}

/* ---- the loop ---- */

static bool read_client(mcp *self)
{
    char bytes[65536];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got > 0)
        rpc_take(&self->rpc, bytes, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

bool mcp_turn(mcp *self, bool reads)
{
    struct pollfd files[2 + 2 * MCP_RUNS];
    nfds_t count = 0;
    files[count++] = (struct pollfd){.fd = reads ? STDIN_FILENO : -1, .events = POLLIN};
    files[count++] = (struct pollfd){.fd = self->worker_out, .events = POLLIN};
    for (mcp_run *run = self->runs; run; run = run->next) {
        files[count++] = (struct pollfd){.fd = run->out, .events = POLLIN};
        files[count++] = (struct pollfd){.fd = run->errors, .events = POLLIN};
    }
    if (poll(files, count, -1) < 0)
        return errno == EINTR;
    count = 2;
    for (mcp_run *run = self->runs; run; run = run->next, count += 2) {
        if (files[count].revents)
            read_from(&run->out, &run->said, run);
        if (files[count + 1].revents)
            read_from(&run->errors, &run->failed, run);
    }
    end_runs(self);
    if (files[1].revents)
        hear_worker(self);
    return (self->worker <= 0 || self->worker_out >= 0) &&
           (!files[0].revents || read_client(self));
}
