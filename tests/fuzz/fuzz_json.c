/* JSON: a parsed value is written as text that parses to the same value. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_places(const char *text, size_t size)
{
    static const char *const pointers[] = {"", "/a", "/0", "/a/b", "/a/0", "/~0", "/~1/a"};
    wf_json_finder finder = {.text = text, .length = size};
    int32_t line, column;
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++)
        if (wf_json_find(&finder, pointers[i], i % 2 == 1, &line, &column))
            fuzz_expect(line >= 1 && column >= 1, "places begin at 1");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_json json, again;
    if (!fuzz_parse(&json, data, size))
        return 0;
    char *text = fuzz_text(&json.value), *second;
    check_places((const char *)data, size);
    fuzz_expect(fuzz_parse(&again, (const uint8_t *)text, strlen(text)),
                "what is written can be parsed");
    fuzz_expect(wf_value_equal(&json.value, &again.value), "and is equal");
    second = fuzz_text(&again.value);
    fuzz_expect(strcmp(text, second) == 0, "and is written the same");
    free(text);
    free(second);
    fuzz_drop(&again);
    fuzz_drop(&json);
    return 0;
}
