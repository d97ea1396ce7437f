#include "fuzz_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/forked.h"

void fuzz_expect(bool holds, const char *law)
{
    if (holds)
        return;
    fprintf(stderr, "broken law: %s\n", law);
    abort();
}

/* ---- in place of forked.c ---- */

static const fuzz_printed *printed;
static int code_of_all;

void fuzz_processes(const fuzz_printed *list, int code)
{
    printed = list;
    code_of_all = code;
}

static const char *printed_by(const char *command)
{
    const fuzz_printed *one = printed;
    while (one->command && strcmp(one->command, command) != 0)
        one++;
    return one->text;
}

/* No process has this id, so ending it does nothing. */
pid_t forked_start(const char *const *words, const char *input, const int out[2],
                   const int errors[2])
{
    (void)input;
    const char *text = printed_by(words[0]);
    int to = code_of_all == 0 ? out[1] : errors[1];
    fuzz_expect(write(to, text, strlen(text)) == (ssize_t)strlen(text),
                "a pipe takes what a process prints");
    return INT32_MAX;
}

pid_t forked_program(const char *const *words)
{
    (void)words;
    return INT32_MAX;
}

int forked_code(pid_t process)
{
    (void)process;
    return code_of_all;
}

char *forked_file(const char *text, size_t length)
{
    (void)text, (void)length;
    return strdup("/nowhere/at/all");
}

/* ---- files ---- */

static char folder[64];

static void drop_folder(void)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    if (system(line) != 0)
        fprintf(stderr, "%s stays\n", folder);
}

const char *fuzz_folder(void)
{
    if (*folder)
        return folder;
    snprintf(folder, sizeof folder, "/tmp/wfsm-fuzz-XXXXXX");
    fuzz_expect(mkdtemp(folder) != NULL, "a folder can be made");
    atexit(drop_folder);
    return folder;
}

const char *fuzz_file(const char *name, const char *text)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    FILE *file = fopen(path, "w");
    fuzz_expect(file && fputs(text, file) >= 0 && fclose(file) == 0, "a file can be written");
    return path;
}

/* ---- mutations ---- */

static unsigned next(unsigned *random, size_t below)
{
    *random = *random * 1103515245 + 12345;
    return (unsigned)((*random >> 8) % (below > 0 ? below : 1));
}

/* A part of the input comes twice: a line, a field, a header. */
static size_t repeat(uint8_t *data, size_t size, size_t room, unsigned *random)
{
    size_t from = next(random, size), length = next(random, size - from + 1),
           to = next(random, size + 1);
    if (length == 0 || size + length > room || length > 4096)
        return size;
    uint8_t part[4096];
    memcpy(part, data + from, length);
    memmove(data + to + length, data + to, size - to);
    memcpy(data + to, part, length);
    return size + length;
}

/* A part of the input is left out. */
static size_t leave_out(uint8_t *data, size_t size, unsigned *random)
{
    size_t from = next(random, size), length = next(random, size - from + 1);
    memmove(data + from, data + from + length, size - from - length);
    return size - length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    unsigned random = seed;
    unsigned kind = next(&random, 4);
    if (kind == 0 && size > 0)
        return repeat(data, size, room, &random);
    if (kind == 1 && size > 0)
        return leave_out(data, size, &random);
    return LLVMFuzzerMutate(data, size, room);
}
