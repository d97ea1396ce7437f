/* The log of own_store.c: its format, and how it is read, appended to and synced. */
#include "own_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char first_line[] = "wfsm own_store 2\n";

/*
 * The format of the log is described once: the same functions write and read it. A call is its
 * numbers, its texts and a checksum (FNV-1a), by which one that was cut off is recognised. It says how
 * many calls were appended together with it behind it: if one of them is missing, none of them counts.
 * All computers that use the log must have the same byte order.
 */
typedef struct coder {
    FILE *out;       /* NULL: it reads */
    const char *at;  /* reading: the next byte, */
    const char *end; /* and where the last one ends */
    uint64_t sum;    /* of the bytes of this call so far */
    bool bad;        /* the call is not whole */
} coder;

/* Writes the bytes, or finds the next ones of the log. Returns where they are, or NULL. */
static const char *code_bytes(coder *x, const void *bytes, size_t count)
{
    const char *at = x->out ? bytes : x->at;

    if (x->out)
        x->bad |= fwrite(bytes, 1, count, x->out) != count;
    else
        x->bad |= count > (size_t)(x->end - x->at);
    if (x->bad)
        return NULL;
    for (size_t i = 0; i < count; i++)
        x->sum = (x->sum ^ (unsigned char)at[i]) * 1099511628211u;
    if (!x->out)
        x->at += count;
    return at;
}

static void code_number(coder *x, void *number, size_t size)
{
    const char *bytes = code_bytes(x, number, size);

    if (bytes && !x->out)
        memcpy(number, bytes, size);
}

/* Whether there is one, its length, its bytes and a NUL. length: NULL for names and ids. */
static void code_text(coder *x, const char **text, size_t *length)
{
    uint64_t count = !*text ? 0 : length ? *length : strlen(*text);
    char there = *text != NULL;
    const char *end;

    code_number(x, &there, 1);
    code_number(x, &count, sizeof count);
    if (!there)
        return;
    *text = code_bytes(x, *text, (size_t)count);
    end = code_bytes(x, "", 1);
    x->bad |= !end || *end;
    if (length)
        *length = (size_t)count;
}

/* true: the call is whole. */
static bool code_call(coder *x, int32_t *call, uint64_t *behind, wfsm_commit *c)
{
    uint64_t sum, computed;

    x->sum = 14695981039346656037u;
    code_number(x, call, sizeof *call);
    code_number(x, behind, sizeof *behind);
    code_number(x, &c->status, sizeof c->status);
    code_number(x, &c->base, sizeof c->base);
    code_number(x, &c->inbox, sizeof c->inbox);
    code_number(x, &c->effects, sizeof c->effects);
    code_number(x, &c->deadline, sizeof c->deadline);
    code_number(x, &c->now, sizeof c->now);
    code_text(x, &c->instance, NULL);
    code_text(x, &c->owner, NULL);
    code_text(x, &c->token, NULL);
    code_text(x, &c->previous, NULL);
    code_text(x, &c->event_id, NULL);
    code_text(x, &c->record, &c->record_length);
    code_text(x, &c->snapshot, &c->snapshot_length);
    code_text(x, &c->checkpoint, NULL);
    code_text(x, &c->checkpoint_snapshot, &c->checkpoint_length);
    code_text(x, &c->artifacts, &c->artifacts_length);
    code_text(x, &c->checkpoint_deleted, NULL);
    code_text(x, &c->machine, NULL);
    code_text(x, &c->fingerprint, NULL);
    code_text(x, &c->document, &c->document_length);
    code_text(x, &c->tags, NULL);
    code_text(x, &c->attributes, NULL);
    sum = computed = x->sum;
    code_number(x, &sum, sizeof sum);
    return !x->bad && sum == computed;
}

static int32_t fail(wfsm_error *error, int32_t status, const char *what)
{
    char message[256];

    snprintf(message, sizeof message, "%s: %s", what, strerror(errno));
    return wfsm_error_set(error, status, message);
}

static uint64_t count_accepted(const int32_t *answers, size_t count)
{
    uint64_t accepted = 0;

    for (size_t i = 0; i < count; i++)
        accepted += !answers[i];
    return accepted;
}

int32_t own_log_append(own_log *log, int32_t call, const wfsm_commit *const *arguments,
                       size_t count, const int32_t *answers, wfsm_error *error)
{
    const int file = dup(log->file); /* which fclose() closes */
    uint64_t behind = count_accepted(answers, count);
    coder out = {.out = fdopen(file, "ab")};

    if (!out.out) {
        close(file);
        return fail(error, WFSM_STORE_FAILED, "the log cannot be written");
    }
    for (size_t i = 0; i < count; i++) {
        wfsm_commit copy = *arguments[i];

        if (answers[i])
            continue;
        behind--;
        code_call(&out, &call, &behind, &copy);
    }
    if (!fclose(out.out) && !out.bad && !fsync(log->file)) {
        log->end = lseek(log->file, 0, SEEK_END);
        return WFSM_OK;
    }
    fail(error, WFSM_STORE_UNKNOWN, "the log cannot be written");
    /* Others must not read what the disk may not have. */
    if (ftruncate(log->file, log->end))
        own_log_close(log); /* every later call fails */
    return WFSM_STORE_UNKNOWN;
}

/* How many calls begin here that were appended together; 0 if one of them is not whole. */
static uint64_t count_together(coder in)
{
    wfsm_commit arguments = {.size = sizeof arguments};
    uint64_t count = 0, behind = 0;
    int32_t call = 0;

    do {
        arguments = (wfsm_commit){.size = sizeof arguments};
        if (!code_call(&in, &call, &behind, &arguments))
            return 0;
        count++;
    } while (behind > 0);
    return count;
}

static int32_t read_calls(own_log *log, coder in, own_log_sink sink, void *user,
                          wfsm_error *error)
{
    const char *const first = in.at;
    const off_t begin = log->end;
    int32_t status = WFSM_OK;

    for (uint64_t left; !status && (left = count_together(in)) > 0;) {
        for (; !status && left > 0; left--) {
            wfsm_commit arguments = {.size = sizeof arguments};
            uint64_t behind = 0;
            int32_t call = 0;

            code_call(&in, &call, &behind, &arguments);
            status = sink(user, call, &arguments, error);
        }
        log->end = begin + (in.at - first);
    }
    return status;
}

/* The process that appended the calls may have been killed before they were synced. Bytes after the
 * last calls that are whole are what is left of an append that was cut off, because nobody is writing
 * now. */
int32_t own_log_read(own_log *log, own_log_sink sink, void *user, wfsm_error *error)
{
    const off_t size = lseek(log->file, 0, SEEK_END);
    int32_t status;
    size_t length;
    char *bytes;

    if (!log->end)
        log->end = sizeof first_line;
    if (size < log->end)
        return wfsm_error_set(error, WFSM_CORRUPT, "the log is shorter than it was");
    if (size == log->end)
        return WFSM_OK;
    length = (size_t)(size - log->end);
    bytes = malloc(length);
    if (!bytes)
        return fail(error, WFSM_NO_MEMORY, "the log cannot be read");
    if (pread(log->file, bytes, length, log->end) != (ssize_t)length || fsync(log->file))
        status = fail(error, WFSM_STORE_FAILED, "the log cannot be read");
    else
        status =
            read_calls(log, (coder){.at = bytes, .end = bytes + length}, sink, user, error);
    free(bytes);
    if (!status && log->end < size && ftruncate(log->file, log->end))
        status = fail(error, WFSM_STORE_FAILED, "the log cannot be truncated");
    return status;
}

int32_t own_log_lock(own_log *log, wfsm_error *error)
{
    while (flock(log->file, LOCK_EX))
        if (errno != EINTR)
            return fail(error, WFSM_STORE_FAILED, "the log cannot be locked");
    return WFSM_OK;
}

void own_log_unlock(own_log *log)
{
    flock(log->file, LOCK_UN);
}

void own_log_close(own_log *log)
{
    close(log->file);
    log->file = -1;
}

/* A new log gets its first line. Any other file stays as it is. */
static int32_t check_first_line(own_log *log, wfsm_error *error)
{
    char line[sizeof first_line] = "";
    ssize_t length = pread(log->file, line, sizeof line, 0);

    if (!length && write(log->file, first_line, sizeof first_line) == sizeof first_line &&
        !fsync(log->file))
        return WFSM_OK;
    if (length <= 0)
        return fail(error, WFSM_STORE_FAILED, "the log cannot be opened");
    if (memcmp(line, first_line, sizeof line))
        return wfsm_error_set(error, WFSM_CORRUPT, "the file is not a log of this store");
    return WFSM_OK;
}

int32_t own_log_open(own_log *log, const char *folder, wfsm_error *error)
{
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int32_t status = WFSM_OK;

    log->end = 0;
    /* For its owner only: the inputs of a workflow are nobody else's business. */
    log->file =
        openat(directory, "log", O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    /* The name of the file must survive a power cut, too. */
    if (directory < 0 || log->file < 0 || fsync(directory))
        status = fail(error, WFSM_STORE_FAILED, "the log cannot be opened");
    close(directory);
    if (!status)
        status = own_log_lock(log, error);
    if (!status) {
        status = check_first_line(log, error);
        own_log_unlock(log);
    }
    return status;
}
