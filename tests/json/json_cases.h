/* json/json_cases.h: the cases of tests/json/cases, one after the other. */
#ifndef JSON_CASES_H
#define JSON_CASES_H

#include "logic/logic_support.h"

typedef struct json_case {
    const char *name;
    const char *bytes;
    size_t length;
    const char *expect; /* "accept", "reject" or "either" */
    const char *wfsm;   /* of "either": what wfsm does; else NULL */
} json_case;

static const char *const json_case_files[] = {"bytes",   "keys",      "numbers",
                                              "strings", "structure", "words"};

static inline const char *json_case_word(const wf_value *object, const char *key)
{
    const wf_value *value = wf_value_get_z(object, key);

    return value ? value->as.text : NULL;
}

static inline const char *json_case_hex(const wf_value *hex)
{
    char *bytes = wf_arena_take(&arena, hex->length / 2 + 1);
    unsigned byte;

    for (uint32_t i = 0; i < hex->length / 2; i++) {
        TEST_ASSERT_EQUAL(1, sscanf(hex->as.text + 2 * i, "%2x", &byte));
        bytes[i] = (char)byte;
    }
    return bytes;
}

static inline json_case json_case_read(const wf_value *from)
{
    const wf_value *text = wf_value_get_z(from, "text"), *hex = wf_value_get_z(from, "hex");

    return (json_case){
        .name = json_case_word(from, "name"),
        .bytes = text ? text->as.text : json_case_hex(hex),
        .length = text ? text->length : hex->length / 2,
        .expect = json_case_word(from, "expect"),
        .wfsm = json_case_word(from, "wfsm"),
    };
}

/* Calls `use` with each case; returns how many there are. */
static inline size_t json_cases_each(void (*use)(const json_case *one, void *user), void *user)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof json_case_files / sizeof *json_case_files; i++) {
        char path[1024];
        size_t length;
        wf_value list;
        char *text;

        snprintf(path, sizeof path, "%s/%s.json", JSON_CASES, json_case_files[i]);
        text = read_file(path, &length);
        TEST_ASSERT_NOT_NULL_MESSAGE(text, path);
        list = parse_bytes(text, length);
        for (uint32_t at = 0; at < list.length; at++, count++) {
            json_case one = json_case_read(&list.as.items[at]);

            use(&one, user);
        }
    }
    return count;
}
#endif
