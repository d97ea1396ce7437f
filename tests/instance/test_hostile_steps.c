/*
 * Documents and events that try to make a step cost too much: each step ends within the limits of
 * its work and its memory, and its record replays. tests/cases/hostile has the cases:
 *   machine   the document; {"$repeat": n, "of": VALUE} is a list, {"$text": n, "of": "x"} a text,
 *             {"$members": n, "of": VALUE} an object, and {"$numbers": n} a list of numbers
 *   events    what is sent
 *   limit     what the last step exceeds, a name of `limits` or the beginning of one; null: nothing
 * test_instance_hostile_steps FOLDER --times also prints the time and memory of each case.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "base/memory.h"
#include "logic/json.h"
#include "../counting_allocator.h"
#include "../given.h"

enum { MOST_BYTES = 64 << 20, CASES = 200 };

static const char *folder, *only;
static int times;
static char files[CASES][300];
static size_t count, current;

/* ---- a case ---- */

static wf_arena arena;
static wf_value test_case;
static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *store;
static wfsm_functions *functions;
static wfsm_instance *one;
static const wfsm_allocator *plain;

static void *take(size_t bytes)
{
    void *taken = wf_arena_take(&arena, bytes);
    TEST_ASSERT_NOT_NULL(taken);
    return taken;
}

static wf_value expand(const wf_value *value);

static const wf_value *member(const wf_value *object, const char *key)
{
    const wf_value *found = wf_value_get_z(object, key);
    return found && found->type != WF_NULL ? found : NULL;
}

static wf_value expand_list(size_t length, const wf_value *of)
{
    wf_value *items = take((length + 1) * sizeof *items);
    wf_value item = of ? expand(of) : wf_null();
    for (size_t i = 0; i < length; i++)
        items[i] = of ? item : wf_number((double)i);
    return wf_array(items, length);
}

static wf_value expand_text(size_t length, const wf_value *of)
{
    char *text = take(length * of->length + 1);
    for (size_t i = 0; i < length; i++)
        memcpy(text + i * of->length, of->as.text, of->length);
    text[length * of->length] = '\0';
    return wf_string(text, length * of->length);
}

static wf_value expand_members(size_t length, const wf_value *of)
{
    wf_member *members = take((length + 1) * sizeof *members);
    for (size_t i = 0; i < length; i++) {
        char *key = take(32);
        snprintf(key, 32, "m%zu", i);
        wf_member_set(&members[i], key, strlen(key), expand(of));
    }
    return wf_object(members, length);
}

static wf_value expand_object(const wf_value *value)
{
    wf_member *members = take((value->length + 1u) * sizeof *members);
    for (uint32_t i = 0; i < value->length; i++) {
        members[i] = value->as.members[i];
        members[i].value = expand(&value->as.members[i].value);
    }
    return wf_object(members, value->length);
}

static wf_value expand(const wf_value *value)
{
    const wf_value *of = value->type == WF_OBJECT ? member(value, "of") : NULL, *n;
    if (value->type == WF_OBJECT) {
        if ((n = member(value, "$repeat")) || (n = member(value, "$numbers")))
            return expand_list((size_t)n->as.number, of);
        if ((n = member(value, "$text")))
            return expand_text((size_t)n->as.number, of);
        if ((n = member(value, "$members")))
            return expand_members((size_t)n->as.number, of);
        return expand_object(value);
    }
    if (value->type != WF_ARRAY)
        return *value;
    wf_value *items = take((value->length + 1u) * sizeof *items);
    for (uint32_t i = 0; i < value->length; i++)
        items[i] = expand(&value->as.items[i]);
    return wf_array(items, value->length);
}

static void write_json(wf_buffer *text, const wf_value *value)
{
    wf_value whole = expand(value);
    wf_buffer_init(text, plain);
    wf_json_write(text, &whole);
    TEST_ASSERT_FALSE(text->failed);
}

static void read_case(const char *path)
{
    wf_buffer text;
    char part[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    wf_buffer_init(&text, plain);
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        wf_buffer_add(&text, part, got);
    fclose(file);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wf_json_parse(&arena, text.data, text.length, &test_case, error), path);
    wf_buffer_fini(&text);
}

/* The host's guard `no` looks at everything, and its action `fill` answers with 20 kB. */
static int32_t refuse(void *user, wfsm_call *call)
{
    size_t length;
    (void)user;
    wfsm_call_context(call, &length);
    wfsm_call_event(call, &length);
    return wfsm_call_allow(call, 0);
}

static int32_t fill(void *user, wfsm_call *call)
{
    enum { BYTES = 20000 };
    char text[BYTES + 20];
    int used = snprintf(text, sizeof text, "{\"filled\":\"%0*d\"}", BYTES, 1);
    (void)user;
    return wfsm_call_patch(call, text, (size_t)used);
}

void setUp(void)
{
    static wfsm_allocator standard;
    wf_allocator_init(&standard, NULL);
    plain = &standard;
    wf_arena_init(&arena, plain, 0);
    error = wfsm_error_new(NULL);
    machine = NULL;
    store = NULL;
    one = NULL;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_functions_new(&functions, NULL, error));
    wfsm_functions_add_guard(functions, "no", refuse, NULL, error);
    wfsm_functions_add_action(functions, "fill", fill, NULL, error);
    alive = peak = 0;
}

void tearDown(void)
{
    wfsm_instance_free(one);
    wfsm_functions_free(functions);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    wf_arena_fini(&arena);
    TEST_ASSERT_EQUAL_size_t(0, alive);
}

/* ---- one step ---- */

static clock_t began;
static size_t before;

static void begin(void)
{
    before = peak = alive;
    began = clock();
}

static void end(const char *what)
{
    if (times)
        printf("%-22s %-6s %7.3f s %8.2f MiB  %s\n", files[current], what,
               (double)(clock() - began) / CLOCKS_PER_SEC, (double)(peak - before) / (1 << 20),
               wfsm_error_message(error));
    else
        TEST_ASSERT_LESS_OR_EQUAL_size_t_MESSAGE(MOST_BYTES, peak - before, files[current]);
}

static void check_limit(const wf_value *limit, int32_t outcome)
{
    if (!limit) {
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_TAKEN, outcome, wfsm_error_message(error));
        return;
    }
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_FAILED, outcome, files[current]);
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, wfsm_error_status(error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), limit->as.text),
                                 wfsm_error_message(error));
}

static void send(const wf_value *event, const wf_value *limit, bool last)
{
    const wf_value *name = member(event, "event"), *data = member(event, "data");
    wf_value none = wf_null();
    wf_buffer text;
    int32_t outcome = 0;
    write_json(&text, data ? data : &none);
    begin();
    int32_t status =
        wfsm_instance_send(one, EVENT(name->as.text, .data = text.data, .length = text.length),
                           2, &outcome, error);
    end(name->as.text);
    wf_buffer_fini(&text);
    if (times)
        return;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    if (last)
        check_limit(limit, outcome);
}

static int32_t print_diagnostic(void *user, const wfsm_audit_diagnostic *found)
{
    (void)user;
    printf("%s: %s\n", found->instance, found->message);
    return WFSM_OK;
}

static void audit(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    int32_t status = wfsm_store_audit(store, NULL, print_diagnostic, NULL, &counts, error);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    TEST_ASSERT_EQUAL(0, counts.diagnostics);
}

static void test_a_case(void)
{
    char path[700];
    wf_buffer text;
    snprintf(path, sizeof path, "%s/%s.json", folder, files[current]);
    read_case(path);
    const wf_value *events = member(&test_case, "events"), *limit = member(&test_case, "limit");
    write_json(&text, member(&test_case, "machine"));
    int32_t status =
        wfsm_machine_load(&machine, text.data, text.length, NULL, &counting, error);
    wf_buffer_fini(&text);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    begin();
    status = wfsm_instance_start(
        &one, machine, START("one", .store = store, .functions = functions), 1, error);
    end("start");
    if (events->length == 0 && !times)
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_LIMIT, status, wfsm_error_message(error));
    for (uint32_t i = 0; one && i < events->length; i++)
        send(&events->as.items[i], limit, i + 1 == events->length);
    if (one && !times)
        audit();
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_cases(void)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    TEST_ASSERT_NOT_NULL_MESSAGE(directory, folder);
    while ((entry = readdir(directory)) && count < CASES) {
        const char *dot = strstr(entry->d_name, ".json");
        if (dot && (!only || strncmp(entry->d_name, only, strlen(only)) == 0))
            snprintf(files[count++], sizeof *files, "%.*s", (int)(dot - entry->d_name),
                     entry->d_name);
    }
    closedir(directory);
    qsort(files, count, sizeof *files, by_name);
}

int main(int argc, char **argv)
{
    UNITY_BEGIN();
    folder = argc > 1 ? argv[1] : "tests/cases/hostile";
    times = argc > 2 && strcmp(argv[2], "--times") == 0;
    only = argc > 3 ? argv[3] : NULL;
    list_cases();
    for (current = 0; current < count; current++)
        UnityDefaultTestRun(test_a_case, files[current], __LINE__);
    TEST_ASSERT_GREATER_THAN(0, count);
    return UNITY_END() != 0;
}
