/* tests/verify/read_file.h: reads a whole file, which must be there. */
#ifndef READ_FILE_H
#define READ_FILE_H

#include <stdio.h>
#include <unity.h>
#include "base/buffer.h"

static inline void read_file(const char *path, wf_buffer *out)
{
    char part[4096];
    size_t length;
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    while ((length = fread(part, 1, sizeof part, file)) > 0)
        wf_buffer_add(out, part, length);
    fclose(file);
}
#endif
