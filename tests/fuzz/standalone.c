/* Runs a target without libFuzzer, on every given file and a few mutations of each. So the
 * targets can be built, and their laws checked, with any compiler. */
#include "fuzz_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, MUTATIONS = 8 };

/* In place of libFuzzer's own: one byte is another. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    (void)room;
    if (size > 0)
        data[size * 7919 % 104729 % size] ^= 4;
    return size;
}

static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* its end is watched by the sanitizer */
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int run_file(const char *path, unsigned seed)
{
    static uint8_t data[ROOM];
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    run(data, size);
    for (unsigned i = 0; i < MUTATIONS; i++) {
        size = LLVMFuzzerCustomMutator(data, size, sizeof data, seed + i * 2654435761u);
        run(data, size);
    }
    return 0;
}

int main(int count, char **paths)
{
    int failed = 0;
    for (int i = 1; i < count; i++)
        failed += run_file(paths[i], (unsigned)i);
    printf("%d seeds, %d mutations each\n", count - 1, MUTATIONS);
    return failed != 0 || count < 2;
}
