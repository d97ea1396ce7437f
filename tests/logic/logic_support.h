/* tests/logic/logic_support.h: one arena, one error and one buffer for a test program.
 */
#ifndef LOGIC_SUPPORT_H
#define LOGIC_SUPPORT_H

#include <stdio.h>
#include <string.h>
#include <unity.h>
#include "base/memory.h"
#include "failing_allocator.h"
#include "logic/json.h"

static failing memory;
static wf_arena arena;
static wf_buffer buffer;
static wfsm_error *error;

static inline void support_begin(void)
{
    failing_init(&memory, -1);
    wf_arena_init(&arena, &memory.allocator, 0);
    wf_buffer_init(&buffer, &memory.allocator);
    error = wfsm_error_new(&memory.allocator);
}

static inline void support_end(void)
{
    wf_arena_fini(&arena);
    wf_buffer_fini(&buffer);
    wfsm_error_free(error);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

static inline wf_value parse_bytes(const char *text, size_t length)
{
    wf_value value = {0};

    if (wf_json_parse(&arena, text, length, &value, error))
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    return value;
}

static inline wf_value parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

/* Borrowed until the next call. */
static inline const char *json(const wf_value *value)
{
    wf_buffer_clear(&buffer);
    wf_json_write(&buffer, value);
    return buffer.data;
}

/* The whole file in the arena; NULL when it cannot be read. */
static inline char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        text = wf_arena_take(&arena, (size_t)size + 1);
        *length = fread(text, 1, (size_t)size, file);
        text[*length] = '\0';
    }
    fclose(file);
    return text;
}
#endif
