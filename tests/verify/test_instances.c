/* Properties of an instance and its children through the library call: its arguments, the verdicts of
 * tests/cases/instances, and running out of memory anywhere. command_verify_instances has the traces. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/verify.h>
#include "failing_allocator.h"
#include "base/buffer.h"
#include "logic/json.h"
#include "machine/model.h"
#include "read_file.h"

enum { MACHINES = 4 };

/* A case: the parent, and the machines that it starts. */
typedef struct instances_case {
    wfsm_machine *parent;
    wfsm_machine *children[MACHINES];
    wfsm_verify_options options;
    wf_arena arena;
    wf_value all;
} instances_case;

static wfsm_machine *any; /* lends its allocator */
static wfsm_error *error;

void setUp(void)
{
    static const char text[] = "{\"id\": \"m\", \"initial\": \"a\", \"states\": {\"a\": {}}}";
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&any, text, strlen(text), NULL, NULL, error));
}

void tearDown(void)
{
    wfsm_machine_unref(any);
    wfsm_error_free(error);
}

static wfsm_machine *load(const wf_value *document, const wfsm_allocator *own)
{
    wfsm_machine *machine = NULL;
    wf_buffer text;
    wf_buffer_init(&text, &any->allocator);
    wf_json_write(&text, document);
    TEST_ASSERT_EQUAL_MESSAGE(
        WFSM_OK, wfsm_machine_load(&machine, text.data, text.length, NULL, own, error),
        text.data);
    wf_buffer_fini(&text);
    return machine;
}

static void open_case(instances_case *self, const char *path, const wfsm_allocator *own)
{
    wf_buffer text;
    *self = (instances_case){.options = {.size = sizeof self->options}};
    wf_arena_init(&self->arena, &any->allocator, 0);
    wf_buffer_init(&text, &any->allocator);
    read_file(path, &text);
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wf_json_parse(&self->arena, text.data, text.length, &self->all, error));
    wf_buffer_fini(&text);
    const wf_value *machines = wf_value_get_z(&self->all, "machines");
    TEST_ASSERT_LESS_OR_EQUAL(MACHINES, machines->length);
    self->parent = load(wf_value_get_z(&self->all, "document"), own);
    for (uint32_t i = 0; i < machines->length; i++)
        self->children[i] = load(&machines->as.items[i], own);
    self->options.machines = self->children;
    self->options.machine_count = machines->length;
    self->options.punctual = wf_value_get_z(&self->all, "arguments") != NULL;
}

static void close_case(instances_case *self)
{
    for (size_t i = 0; i < self->options.machine_count; i++)
        wfsm_machine_unref(self->children[i]);
    wfsm_machine_unref(self->parent);
    wf_arena_fini(&self->arena);
}

static void check_verdicts(const char *path)
{
    instances_case self;
    wfsm_verification *found = NULL;
    wfsm_verify_property property = {.size = sizeof property};
    open_case(&self, path, NULL);
    const wf_value *wanted = wf_value_get_z(&self.all, "properties");
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, wfsm_verify(&found, self.parent, &self.options, error),
                              path);
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++) {
        TEST_ASSERT_EQUAL_STRING("instances", property.kind);
        const char *verdict =
            property.vacuous ? "vacuous" : wfsm_verdict_name(property.verdict);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(wf_value_get_z(wanted, property.name)->as.text,
                                         verdict, path);
    }
    wfsm_verification_free(found);
    close_case(&self);
}

static void test_each_case_has_its_verdicts(void)
{
    struct dirent *entry;
    int count = 0;
    DIR *folder = opendir(CASES);
    TEST_ASSERT_NOT_NULL(folder);
    while ((entry = readdir(folder))) {
        char path[1024];
        if (!strstr(entry->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/%s", CASES, entry->d_name);
        check_verdicts(path);
        count++;
    }
    closedir(folder);
    TEST_ASSERT_GREATER_THAN(25, count);
}

/* Each allocation of a verification fails, and all behind it. */
static void run_short(const char *name)
{
    char path[1024];
    instances_case self;
    wfsm_verification *found = NULL;
    failing memory;
    snprintf(path, sizeof path, "%s/%s.json", CASES, name);
    failing_init(&memory, -1);
    open_case(&self, path, &memory.allocator);
    const long held = memory.alive;
    long fails = 0;
    for (bool through = false; !through; fails++) {
        memory.left = fails;
        memory.asked = 0;
        int32_t status = wfsm_verify(&found, self.parent, &self.options, error);
        memory.left = -1;
        through = memory.asked <= fails;
        TEST_ASSERT_EQUAL_MESSAGE(through ? WFSM_OK : WFSM_NO_MEMORY, status, name);
        if (!through)
            TEST_ASSERT_EQUAL_MESSAGE(held, memory.alive, name);
    }
    TEST_ASSERT_GREATER_THAN(50, fails);
    wfsm_verification_free(found);
    close_case(&self);
    TEST_ASSERT_EQUAL_MESSAGE(0, memory.alive, name);
}

static void test_memory_may_run_out_anywhere(void)
{
    static const char *const names[] = {
        "answered",        "document-missing",   "failed-by-itself",
        "input-from-data", "input-without-enum", "items-first",
        "result-as-given", "result-not-given",   "withdrawn"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        run_short(names[i]);
}

static void test_machines_must_be_there(void)
{
    instances_case self;
    wfsm_verification *found = NULL;
    open_case(&self, CASES "/answered.json", NULL);
    self.options.machines = NULL;
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_verify(&found, self.parent, &self.options, error));
    wfsm_machine *const nothing[] = {NULL};
    self.options.machines = nothing;
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_verify(&found, self.parent, &self.options, error));
    TEST_ASSERT_NULL(found);
    close_case(&self);
}

static void test_a_machine_is_given_once(void)
{
    instances_case self;
    wfsm_verification *found = NULL;
    open_case(&self, CASES "/answered.json", NULL);
    wfsm_machine *const twice[] = {self.children[0], self.children[0]};
    const wfsm_verify_options options = {
        .size = sizeof options, .machines = twice, .machine_count = 2};
    TEST_ASSERT_EQUAL(WFSM_SEMANTIC, wfsm_verify(&found, self.parent, &options, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "two machines have the id"));
    close_case(&self);
}

/* The states of the child are too many, so that nothing is known of it. */
static void test_bounds_leave_it_undecided(void)
{
    instances_case self;
    wfsm_verification *found = NULL;
    open_case(&self, CASES "/answered.json", NULL);
    self.options.max_states = 4; /* the parent has three */
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, self.parent, &self.options, error));
    TEST_ASSERT_EQUAL(WFSM_UNDECIDED, wfsm_verification_verdict(found));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_verification_bound(found), "of the child \"review\""));
    wfsm_verification_free(found);
    close_case(&self);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_each_case_has_its_verdicts);
    RUN_TEST(test_memory_may_run_out_anywhere);
    RUN_TEST(test_machines_must_be_there);
    RUN_TEST(test_a_machine_is_given_once);
    RUN_TEST(test_bounds_leave_it_undecided);
    return UNITY_END() != 0;
}
