#include "recorder.h"

#include "store/wrapper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { LINE = 1200 };

static int file = -1;

typedef struct recorder {
    wrapper all;
    long early, exchanges;
    wfsm_row_sink sink; /* of the exchange */
    void *user;
    char **doubted; /* instances with a lost answer */
    size_t count;
} recorder;

void follow_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

void note_to(const char *path)
{
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        perror(path);
        exit(1);
    }
}

void note(const char *format, ...)
{
    char line[LINE];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > LINE - 2)
        length = LINE - 2;
    line[length++] = '\n';
    if (write(file, line, (size_t)length) != length)
        abort();
}

/* ---- lost answers ---- */

static size_t place_of(const recorder *self, const char *instance)
{
    size_t i = 0;

    while (i < self->count && strcmp(self->doubted[i], instance) != 0)
        i++;
    return i;
}

static void doubt(recorder *self, const char *instance)
{
    if (place_of(self, instance) < self->count)
        return;
    self->doubted = realloc(self->doubted, (self->count + 1) * sizeof *self->doubted);
    self->doubted[self->count++] = strdup(instance);
}

static void look(recorder *self, const char *instance, uint64_t revision, const char *token)
{
    size_t i = place_of(self, instance);

    if (i == self->count)
        return;
    note("look %s %llu %s", instance, (unsigned long long)revision, *token ? token : "-");
    free(self->doubted[i]);
    self->doubted[i] = self->doubted[--self->count];
}

static void look_at(recorder *self, const wfsm_head *head)
{
    look(self, head->instance, head->revision, head->token);
}

static int32_t pass_row(void *user, const wfsm_row *row)
{
    recorder *self = user;

    if (row->head && (row->part == WFSM_ROW_HEAD || row->part == WFSM_ROW_OWNED))
        look_at(self, row->head);
    return self->sink(self->user, row);
}

/* ---- exchanges ---- */

static void note_commits(recorder *self, const wfsm_exchange *exchange, int32_t status)
{
    for (size_t i = 0; i < exchange->commit_count; i++) {
        const wfsm_commit *commit = exchange->commits[i];
        int32_t answer = status == WFSM_OK ? exchange->commit_answers[i] : status;

        if (answer != WFSM_OK && answer != WFSM_STORE_UNKNOWN)
            continue;
        note("%s %s %llu %s", answer == WFSM_OK ? "ok" : "unknown", commit->instance,
             (unsigned long long)commit->base + 1, commit->token);
        if (answer == WFSM_STORE_UNKNOWN)
            doubt(self, commit->instance);
    }
}

/* What is asked for, and is not there, was read, too. */
static void note_missing(recorder *self, const wfsm_exchange *exchange)
{
    for (size_t i = 0; i < exchange->request_count; i++)
        if (exchange->request_answers[i] == WFSM_NOT_FOUND)
            look(self, exchange->requests[i]->instance, 0, "");
}

/* The planted fault: all is answered as if it had been written. */
static bool is_swallowed(recorder *self, const wfsm_exchange *exchange)
{
    return self->early > 0 && exchange->commit_count > 0 && exchange->request_count == 0 &&
           ++self->exchanges % self->early == 0;
}

static int32_t swallow(recorder *self, wfsm_exchange *exchange)
{
    exchange->lease = WFSM_OK;
    exchange->more = 0;
    exchange->inbox_answer = WFSM_OK;
    exchange->changes = exchange->known;
    for (size_t i = 0; i < exchange->commit_count; i++)
        exchange->commit_answers[i] = WFSM_OK;
    for (size_t i = 0; i < exchange->post_count; i++)
        exchange->post_answers[i] = WFSM_OK;
    note_commits(self, exchange, WFSM_OK);
    return WFSM_OK;
}

static int32_t exchange_all(void *user, wfsm_exchange *exchange, wfsm_error *error)
{
    recorder *self = user;
    int32_t status;

    if (is_swallowed(self, exchange))
        return swallow(self, exchange);
    self->sink = exchange->sink;
    self->user = exchange->user;
    if (exchange->sink) {
        exchange->sink = pass_row;
        exchange->user = self;
    }
    status = wfsm_store_exchange(self->all.inner, exchange, error);
    exchange->sink = self->sink;
    exchange->user = self->user;
    note_commits(self, exchange, status);
    if (status == WFSM_OK)
        note_missing(self, exchange);
    return status;
}

/* ---- heads ---- */

static int32_t head(void *self, const char *instance, wfsm_head *found, wfsm_error *error)
{
    int32_t status = wfsm_store_head(((recorder *)self)->all.inner, instance, found, error);

    if (status == WFSM_OK)
        look_at(self, found);
    if (status == WFSM_NOT_FOUND)
        look(self, instance, 0, "");
    return status;
}

static void close_all(void *user)
{
    recorder *self = user;

    wfsm_store_free(self->all.inner);
    for (size_t i = 0; i < self->count; i++)
        free(self->doubted[i]);
    free(self->doubted);
    free(self);
}

wfsm_store *recorder_open(wfsm_store *store, long early)
{
    recorder *self = calloc(1, sizeof *self);
    wfsm_store *opened = NULL;
    wfsm_store_vtable vtable = wrapper_vtable();

    vtable.head = head;
    vtable.exchange = exchange_all;
    vtable.close = close_all;
    self->all.inner = store;
    self->early = early;
    if (wfsm_store_new(&opened, &vtable, self, NULL, NULL) != WFSM_OK)
        abort();
    return opened;
}
