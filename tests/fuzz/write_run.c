/* write_run SNAPSHOTS RECORDS: the known run as seeds, a file for each revision. */
#include "stepping.h"

#include <stdio.h>
#include <string.h>

static int write_all(const char *folder, char *const *texts, size_t count)
{
    char path[4096];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%zu.json", folder, i + 1);
        FILE *file = fopen(path, "wb");
        if (!file)
            return 1;
        fwrite(texts[i], 1, strlen(texts[i]), file);
        if (fclose(file) != 0)
            return 1;
    }
    return 0;
}

int main(int count, char **arguments)
{
    const fuzz_run *run = fuzz_the_run();
    if (count != 3)
        return 2;
    return write_all(arguments[1], run->snapshots, run->count) ||
           write_all(arguments[2], run->records, run->count);
}
