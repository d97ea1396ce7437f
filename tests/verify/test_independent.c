/* A search that explores the moves of independent regions in one order says the same as one that
 * explores them in every order: of the documents of tests/cases/verify, and of random ones. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/verify.h>
#include "base/memory.h"
#include "logic/json.h"
#include "machine/model.h"
#include "verify/search.h"
#include "failing_allocator.h"
#include "random_regions.h"
#include "read_file.h"

enum { STATES_MOST = 4000, NAME = 300 };

static uint32_t documents = 500; /* random ones of each kind; or the argument */

static wfsm_error *error;
static wfsm_allocator allocator;

void setUp(void)
{
    wfsm_machine *any = NULL;
    static const char text[] = "{\"id\": \"m\", \"initial\": \"a\", \"states\": {\"a\": {}}}";
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&any, text, strlen(text), NULL, NULL, error));
    allocator = any->allocator;
    wfsm_machine_unref(any);
}

void tearDown(void)
{
    wfsm_error_free(error);
}

/* ---- one document, searched twice ---- */

typedef struct both {
    const char *name;
    int32_t restores, fairness;
    wfsm_machine *machine;
    wf_search full, reduced;
} both;

static void search(const both *self, wf_search *search, bool reduces)
{
    *search = (wf_search){.reduces = reduces};
    search->options = (wfsm_verify_options){.size = sizeof search->options,
                                            .max_states = STATES_MOST,
                                            .max_memory = (uint64_t)1 << 30,
                                            .restores = self->restores,
                                            .fairness = self->fairness,
                                            .bound = 10};
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, wf_explore_classes(search, self->machine, error),
                              self->name);
}

static bool is_decided(const wf_search *self)
{
    return wf_explore_is_complete(self) && !self->explorer.undecided.is;
}

/* These name the last active state, which depends on what other regions have done. */
static bool names_leaf(uint8_t rule)
{
    return rule == WF_RULE_DEADLOCK || rule == WF_RULE_LIVELOCK || rule == WF_RULE_NO_END ||
           rule == WF_RULE_STEP_FAILS || rule == WF_RULE_TIMER_DROPPED ||
           rule == WF_RULE_EXECUTION_UNHANDLED;
}

/* A state from which no end can be reached is a deadlock where the other regions have no moves left. */
static bool is_like(uint8_t rule, uint8_t like)
{
    return rule == like || (like == WF_RULE_NO_END && rule == WF_RULE_DEADLOCK);
}

static bool has(const wf_search *self, const wf_search_diagnostic *like)
{
    for (size_t i = 0; i < self->found_count; i++)
        if (is_like(self->found[i].rule, like->rule) &&
            (names_leaf(like->rule) || self->found[i].subject == like->subject))
            return true;
    return false;
}

static void check_contains(const both *self, const wf_search *all, const wf_search *some)
{
    char message[2 * NAME];
    for (size_t i = 0; i < some->found_count; i++) {
        (void)snprintf(message, sizeof message, "%.*s: rule %d of %u is found only by the %s",
                       NAME, self->name, some->found[i].rule, (unsigned)some->found[i].subject,
                       some == &self->full ? "full search" : "reduced search");
        TEST_ASSERT_TRUE_MESSAGE(has(all, &some->found[i]), message);
    }
}

static void check_same(const both *self)
{
    const wf_search *full = &self->full, *reduced = &self->reduced;
    const wfsm_machine *machine = self->machine;
    check_contains(self, full, reduced);
    check_contains(self, reduced, full);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(full->reached, reduced->reached,
                                     machine->words * sizeof *full->reached, self->name);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(full->taken, reduced->taken,
                                     machine->transition_count + 1u, self->name);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(full->held, reduced->held, machine->property_count + 1u,
                                     self->name);
    if (machine->property_count > 0)
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(full->explorer.triggered, reduced->explorer.triggered,
                                         machine->property_count, self->name);
    if (full->explorer.coverage.count > 0)
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(full->explorer.coverage.met,
                                         reduced->explorer.coverage.met,
                                         full->explorer.coverage.count, self->name);
}

/* True if the reduced search has visited fewer states. */
static bool compare(both self, const char *text, size_t length)
{
    const char *name = self.name;
    int32_t status = wfsm_machine_load(&self.machine, text, length, NULL, NULL, error);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    search(&self, &self.reduced, true);
    bool reduces = self.reduced.regions.count > 0;
    if (reduces)
        search(&self, &self.full, false);
    const bool decided = reduces && is_decided(&self.full);
    if (decided)
        TEST_ASSERT_TRUE_MESSAGE(is_decided(&self.reduced), name);
    if (decided && wf_reduction_decides(&self.reduced))
        check_same(&self);
    if (reduces && !decided && self.full.space.count < STATES_MOST)
        TEST_ASSERT_FALSE_MESSAGE(wf_reduction_decides(&self.reduced), name);
    reduces = reduces && self.reduced.space.count < self.full.space.count;
    wf_search_end(&self.full);
    wf_search_end(&self.reduced);
    wfsm_machine_unref(self.machine);
    return reduces;
}

/* ---- the tests ---- */

static bool compare_case(const char *file)
{
    char path[NAME];
    wf_value all;
    wf_arena arena;
    wf_buffer text, document;
    (void)snprintf(path, sizeof path, "%s/%s", CASES, file);
    wf_arena_init(&arena, &allocator, 0);
    wf_buffer_init(&text, &allocator);
    wf_buffer_init(&document, &allocator);
    read_file(path, &text);
    TEST_ASSERT_EQUAL(WFSM_OK, wf_json_parse(&arena, text.data, text.length, &all, error));
    wf_json_write(&document, wf_value_get_z(&all, "document"));
    bool reduces = compare((both){.name = file}, document.data, document.length);
    compare((both){.name = file, .restores = 1}, document.data, document.length);
    wf_buffer_fini(&document);
    wf_buffer_fini(&text);
    wf_arena_fini(&arena);
    return reduces;
}

static void test_cases_have_the_same_answers(void)
{
    DIR *folder = opendir(CASES);
    const struct dirent *entry;
    uint32_t reduced = 0;
    TEST_ASSERT_NOT_NULL(folder);
    while ((entry = readdir(folder)))
        if (strstr(entry->d_name, ".json"))
            reduced += compare_case(entry->d_name);
    closedir(folder);
    TEST_ASSERT_GREATER_THAN(2, reduced);
}

static uint32_t compare_random(uint32_t touch, bool returns)
{
    uint32_t reduced = 0;
    for (uint32_t i = 0; i < documents; i++) {
        char name[NAME];
        wf_buffer text;
        wf_buffer_init(&text, &allocator);
        write_random_regions(&text, i, touch, returns);
        (void)snprintf(name, sizeof name, "document %u, touch %u%s", (unsigned)i,
                       (unsigned)touch, returns ? ", returns" : "");
        const both how = {.name = name, .fairness = (int32_t)(i % (WFSM_FAIRNESS_NONE + 1))};
        reduced += compare(how, text.data, text.length);
        wf_buffer_fini(&text);
    }
    printf("touch %u%s: %u of %u are reduced\n", (unsigned)touch, returns ? ", returns" : "",
           (unsigned)reduced, (unsigned)documents);
    return reduced;
}

static void test_random_documents_have_the_same_answers(void)
{
    TEST_ASSERT_GREATER_THAN(documents / 3, compare_random(0, false));
    TEST_ASSERT_GREATER_THAN(documents / 20, compare_random(3, false));
    TEST_ASSERT_GREATER_THAN(documents / 100, compare_random(10, false));
}

static void test_random_documents_that_return_have_the_same_answers(void)
{
    TEST_ASSERT_GREATER_THAN(documents / 30, compare_random(0, true));
    TEST_ASSERT_GREATER_THAN(documents / 60, compare_random(3, true));
}

/* ---- in place of a search that pauses ---- */

/* Two independent regions, and one that violates two properties: before, and after the parallel state
 * is done. */
static const char regions[] =
    "{'id':'m','initial':'p','properties':{'early':{'never':{'in_state':'p.v.s2'}},"
    "'late':{'never':{'in_state':'over'}}},'states':{'p':{'type':'parallel','onDone':'over',"
    "'states':{'a':{'initial':'s0','states':{'s0':{'invoke':{'src':'a','onDone':'s1','onError':"
    "'s1'}},'s1':{'invoke':{'src':'a','onDone':'end','onError':'end'}},'end':{'type':'final'}}},"
    "'b':{'initial':'s0','states':{'s0':{'invoke':{'src':'a','onDone':'end','onError':'end'}},"
    "'end':{'type':'final'}}},'v':{'initial':'s0','states':{'s0':{'invoke':{'src':'a','onDone':"
    "'s1','onError':'s1'}},'s1':{'invoke':{'src':'a','onDone':'s2','onError':'s2'}},'s2':"
    "{'invoke':{'src':'a','onDone':'end','onError':'end'}},'end':{'type':'final'}}}}},'over':"
    "{'type':'final'}}}";

static wfsm_machine *load_regions(const wfsm_allocator *own)
{
    char text[sizeof regions];
    wfsm_machine *machine = NULL;
    for (size_t i = 0; i < sizeof regions; i++)
        text[i] = regions[i] == '\'' ? '"' : regions[i];
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK,
                              wfsm_machine_load(&machine, text, strlen(text), NULL, own, error),
                              wfsm_error_message(error));
    return machine;
}

typedef struct searches {
    wf_search first, reduced, beside;
    wf_search *whole;
} searches;

static int32_t reduce(searches *all, wfsm_machine *machine)
{
    *all = (searches){.first.pause = 3};
    all->first.options = (wfsm_verify_options){.size = sizeof all->first.options,
                                               .max_states = STATES_MOST,
                                               .max_memory = (uint64_t)1 << 30,
                                               .bound = 10};
    int32_t status = wf_explore_classes(&all->first, machine, error);
    if (status == WFSM_OK)
        status = wf_reduce(&all->reduced, &all->beside, &all->first, &all->whole, error);
    return status;
}

static void end_all(searches *all)
{
    wf_search_end(&all->first);
    wf_search_end(&all->reduced);
    wf_search_end(&all->beside);
}

static const wf_search_diagnostic *violation_of(const wf_search *self, uint32_t property)
{
    for (size_t i = 0; i < self->found_count; i++)
        if (self->found[i].rule == WF_RULE_PROPERTY && self->found[i].subject == property)
            return &self->found[i];
    return NULL;
}

static void test_a_reduced_search_takes_the_place(void)
{
    searches all;
    wfsm_machine *machine = load_regions(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, reduce(&all, machine));
    TEST_ASSERT_TRUE(wf_search_is_paused(&all.first));
    TEST_ASSERT_EQUAL_PTR(&all.reduced, all.whole);
    TEST_ASSERT_TRUE(wf_reduction_decides(all.whole));
    for (uint32_t i = 0; i < 2; i++) {
        wf_search *shown = all.whole;
        const wf_search_diagnostic *found = violation_of(all.whole, i);
        TEST_ASSERT_NOT_NULL(found);
        TEST_ASSERT_EQUAL_PTR(violation_of(i == 0 ? &all.beside : &all.reduced, i),
                              wf_shorter(&shown, found));
        TEST_ASSERT_EQUAL_PTR(i == 0 ? &all.beside : &all.reduced, shown);
    }
    end_all(&all);
    wfsm_machine_unref(machine);
}

/* For each number of allocations, all later ones fail. The search must free all memory that it has. */
static void test_memory_runs_out(void)
{
    searches all;
    failing memory;
    failing_init(&memory, -1);
    wfsm_machine *machine = load_regions(&memory.allocator);
    const long held = memory.alive;
    long fails = 0;
    for (bool through = false; !through; fails++) {
        memory.left = fails;
        memory.asked = 0;
        int32_t status = reduce(&all, machine);
        through = memory.asked <= fails;
        memory.left = -1;
        TEST_ASSERT_EQUAL(through ? WFSM_OK : WFSM_NO_MEMORY, status);
        end_all(&all);
        TEST_ASSERT_EQUAL(held, memory.alive);
    }
    TEST_ASSERT_GREATER_THAN(100, fails);
    wfsm_machine_unref(machine);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        documents = (uint32_t)strtoul(argv[1], NULL, 10);
    UNITY_BEGIN();
    RUN_TEST(test_cases_have_the_same_answers);
    RUN_TEST(test_a_reduced_search_takes_the_place);
    RUN_TEST(test_memory_runs_out);
    RUN_TEST(test_random_documents_have_the_same_answers);
    RUN_TEST(test_random_documents_that_return_have_the_same_answers);
    return UNITY_END();
}
