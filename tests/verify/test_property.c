/*
 * The monitor of properties, by hand: its verdict after each of several steps. A step is
 * "STATE N EVENT": the active state, with a ! if it was left and entered again, the context key
 * n, and the event (- for none); verdicts
 * are . nothing, V violated, F cannot be evaluated, R reached, P pending.
 */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include "logic/json.h"
#include "machine/machine.h"
#include "verify/property.h"

typedef struct monitor_case {
    const char *property;
    const char *steps;
    const char *verdicts;
} monitor_case;

static const monitor_case cases[] = {
    {"'never':{'in_state':'b'}", "a 0 -,b 0 x,b 0 -,a 0 x", ".VV."},
    {"'never':{'===':[{'var':'event.type'},'x']}", "a 0 -,a 0 x,a 0 y,a 0 -", ".V.."},
    {"'never':{'+':[{'throw':'no'},1]}", "a 0 -", "F"},
    {"'never':{'===':[{'var':'event.data.of'},'x']}", "a 0 y,a 0 x", ".V"},
    {"'never':{'===':[{'var':'event.kind'},'timer']}", "a 0 x", "V"},
    {"'always':{'<':[{'var':'context.n'},2]}", "a 0 -,a 1 x,b 2 x,a 1 -", "..V."},
    {"'always':{'!==':[{'var':'event.type'},'x']}", "a 0 -,a 0 x,a 0 -", ".V."},
    {"'always':{'throw':'no'}", "a 0 -", "F"},
    {"'reachable':{'in_state':'c'}", "a 0 -,c 0 x,a 0 x,c 0 x", ".R.R"},
    /* Only after `needs`, in the same step at the earliest. */
    {"'precedes':{'of':{'in_state':'c'},'needs':{'in_state':'b'}}",
     "a 0 -,c 0 x,b 0 x,c 0 x,a 0 x,c 0 x", ".V...."},
    {"'precedes':{'of':{'in_state':'c'},'needs':{'===':[{'var':'event.type'},'x']}}",
     "a 0 -,c 0 x,c 0 y", "..."},
    /* After the last `since`: it takes back, also when `needs` is true in the same step. */
    {"'precedes':{'of':{'in_state':'c'},'needs':{'===':[{'var':'event.type'},'x']},"
     "'since':{'in_state':'b'}}",
     "a 0 -,a 0 x,c 0 -,b 0 y,c 0 y,c 0 x,b 0 x,c 0 -", "....V..V"},
    {"'precedes':{'of':{'in_state':'c'},'needs':{'in_state':'b'},'since':{'throw':'no'}}",
     "a 0 -", "F"},
    {"'leadsTo':{'from':{'in_state':'a'},'to':{'in_state':'b'}}",
     "c 0 -,a 0 x,c 0 x,b 0 x,c 0 x", ".PP.."},
    {"'leadsTo':{'from':{'===':[{'var':'event.type'},'x']},'to':{'in_state':'b'}}",
     "a 0 -,b 0 x,a 0 x,a 0 y,b 0 y", "..PP."},
    {"'leadsTo':{'to':{'in_state':'b'}}", "a 0 -,b 0 x,c 0 x", "P.P"},
    /* States are counted when they are entered, events each time. */
    {"'atMost':{'of':{'in_state':'b'},'times':1}", "b 0 -,b 0 x,a 0 x,b 0 x,b 0 x", "...V."},
    /* A state that is entered again, although it was active. */
    {"'atMost':{'of':{'in_state':'b'},'times':1}", "b 0 -,b 0 x,b! 0 x,b! 0 -", "..VV"},
    {"'atMost':{'of':{'in_state':'b'},'times':1}", "a 0 -,b! 0 x,a! 0 x,a! 0 x", "...."},
    {"'atMost':{'of':{'in_state':'b'},'times':1,'since':{'===':[{'var':'event.type'},'y']}}",
     "b 0 -,b! 0 y,b! 0 x", "..V"},
    {"'atMost':{'of':{'!':{'in_state':'b'}},'times':1}", "a 0 -,a! 0 x,a! 0 x", "..."},
    {"'atMost':{'of':{'or':[{'in_state':'a'},{'in_state':'b'}]},'times':1}",
     "a 0 -,b 0 x,b! 0 x", "..V"},
    {"'atMost':{'of':{'and':[{'in_state':'b'},{'===':[{'var':'context.n'},1]}]},'times':1}",
     "b 0 -,b! 0 x,b! 1 x,b! 1 x", "...V"},
    {"'atLeast':{'of':{'in_state':'b'},'times':3}", "b 0 -,b! 0 x,b 0 x,b! 0 x", "PPP."},
    {"'exactly':{'of':{'in_state':'b'},'times':2}", "b 0 -,b! 0 x,b! 0 x", "P.V"},
    {"'atMost':{'of':{'===':[{'var':'event.type'},'x']},'times':1}",
     "a 0 -,a 0 x,a 0 y,a 0 x,a 0 x", "...VV"},
    {"'atMost':{'of':{'in_state':'b'},'times':0}", "a 0 -,b 0 x", ".V"},
    {"'atMost':{'of':{'in_state':'b'},'times':1,'since':{'in_state':'c'}}",
     "b 0 -,a 0 x,c 0 x,b 0 x,a 0 x,b 0 x", ".....V"},
    {"'atMost':{'of':{'in_state':'b'},'times':1,'since':{'===':[{'var':'event.type'},'y']}}",
     "b 0 -,a 0 x,b 0 y,a 0 x,b 0 x", "....V"},
    {"'atMost':{'of':{'in_state':'b'},'times':{'var':'context.n'}}",
     "b 1 -,a 1 x,b 1 x,a 2 x,b 2 x,a 4 x,b 4 x", "..V.V.."},
    {"'atMost':{'of':{'in_state':'b'},'times':{'cat':'x'}}", "a 0 -,b 0 x", ".F"},
    /* From the start until `to`, once; each time with `from`. */
    {"'until':{'of':{'in_state':'a'},'to':{'in_state':'b'}}",
     "a 0 -,a 0 x,b 0 x,c 0 x,a 0 x,c 0 x", "PP...."},
    {"'until':{'of':{'in_state':'a'},'to':{'in_state':'b'}}", "b 0 -,c 0 x,a 0 x", "..."},
    {"'until':{'of':{'in_state':'a'},'to':{'in_state':'b'}}", "a 0 -,c 0 x,c 0 x", "PV."},
    {"'until':{'of':{'in_state':'a'},'to':{'in_state':'b'}}", "c 0 -,a 0 x,b 0 x", "V.."},
    {"'until':{'of':{'in_state':'a'},'from':{'===':[{'var':'event.type'},'x']},"
     "'to':{'in_state':'b'}}",
     "c 0 -,c 0 y,a 0 x,a 0 y,b 0 y,c 0 y,b 0 x,c 0 x", "..PP...V"},
    {"'until':{'of':{'throw':'no'},'to':{'in_state':'b'}}", "a 0 -,b 0 x", "F."},
    {"'absent':{'of':{'in_state':'c'},'from':{'in_state':'a'},'to':{'in_state':'b'}}",
     "c 0 -,a 0 x,c 0 x,c 0 x,b 0 x,c 0 x", "..VV.."},
    {"'absent':{'of':{'===':[{'var':'event.type'},'x']},'from':{'in_state':'a'},"
     "'to':{'in_state':'b'}}",
     "b 0 x,a 0 x,b 0 x,c 0 x", ".V.."},
    {"'absent':{'of':{'in_state':'c'},'to':{'in_state':'b'}}", "a 0 -,c 0 x,b 0 x,c 0 x",
     ".V.."},
    {"'absent':{'of':{'in_state':'c'},'from':{'in_state':'b'}}", "c 0 -,b 0 x,a 0 x,c 0 x",
     "...V"},
    {"'absent':{'of':{'in_state':'c'}}", "a 0 -,c 0 x", ".V"},
    {"'atLeast':{'of':{'in_state':'b'}}", "a 0 -,b 0 x,a 0 x", "P.."},
    {"'atLeast':{'of':{'in_state':'b'},'times':2}", "b 0 -,b 0 x,a 0 x,b 0 x,a 0 x", "PPP.."},
    {"'atLeast':{'of':{'===':[{'var':'event.type'},'x']},'times':2}", "a 0 x,a 0 y,a 0 x,a 0 x",
     "PP.."},
    {"'exactly':{'of':{'in_state':'b'}}", "a 0 -,b 0 x,a 0 x,b 0 x,b 0 x", "P..V."},
    {"'exactly':{'of':{'in_state':'b'},'times':2}", "b 0 -,a 0 x,b 0 x,a 0 x,b 0 x", "PP..V"},
    /* With no event it looks at states alone, and they have not changed. */
    {"'atMost':{'of':{'or':[{'in_state':'b'},{'===':[{'var':'event.type'},'x']}]},'times':1}",
     "b 0 -,b 0 -,b 0 y", "..V"},
};

static wfsm_machine *machine;
static wf_arena arena;

void setUp(void)
{
    machine = NULL;
}

void tearDown(void)
{
    wf_arena_fini(&arena);
    wfsm_machine_unref(machine);
}

static void load(const char *property)
{
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "{'id':'m','context':{'n':0},'properties':{'p':{%s}},'states':{"
                          "'a':{'on':{'x':'b'}},'b':{'on':{'x':'c'}},'c':{'on':{'x':'a'}}}}",
                          property);
    wfsm_error *error = wfsm_error_new(NULL);

    for (char *at = text; *at; at++)
        if (*at == '\'')
            *at = '"';
    if (wfsm_machine_load(&machine, text, (size_t)length, NULL, NULL, error))
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
    wfsm_error_free(error);
    wf_arena_init(&arena, &machine->allocator, 0);
}

/* {"of": NAME} is the data of each event. */
static wf_value event_of(const char *name)
{
    wf_member *data = wf_arena_take(&arena, sizeof *data);
    wf_value text = wf_string_copy(&arena, name, strlen(name));

    wf_member *members = wf_arena_take(&arena, 3 * sizeof *members);

    wf_member_set(data, "of", 2, text);
    wf_member_set(&members[0], "type", 4, text);
    wf_member_set(&members[1], "data", 4, wf_object(data, 1));
    wf_member_set(&members[2], "kind", 4, wf_string_z("timer"));
    return wf_object(members, 3);
}

static uint8_t observe(const char *step, uint8_t *memory)
{
    char state[8], name[8];
    double n;
    uint64_t again = 0;
    uint8_t verdict = WF_VERDICT_NONE;
    const char *why = NULL;
    uint64_t active = 1;
    wf_value slots[8] = {{0}}, event;

    TEST_ASSERT_EQUAL_INT(3, sscanf(step, "%7s %lf %7s", state, &n, name));
    active |= (uint64_t)1 << wf_machine_find(machine, state, strcspn(state, "!"));
    if (strchr(state, '!'))
        again = active & ~(uint64_t)1;
    slots[wf_names_find(&machine->keys, "n", 1)] = wf_number(n);
    event = event_of(name);
    wf_observed seen = {.active = &active,
                        .reentered = &again,
                        .slots = slots,
                        .keys = &machine->keys,
                        .slot_count = machine->keys.count,
                        .event = name[0] == '-' ? NULL : &event,
                        .arena = &arena};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wf_monitor_observe(machine, &seen, memory, &verdict, &why));
    TEST_ASSERT_EQUAL_INT(verdict == WF_VERDICT_FAILED, why != NULL);
    return verdict;
}

static void run_case(const monitor_case *at)
{
    static const char letters[] = ".VFRP";
    uint8_t memory[4] = {0};
    char steps[512], said[64];
    size_t count = 0;

    load(at->property);
    TEST_ASSERT_LESS_OR_EQUAL(1, wf_monitor_size(machine));
    snprintf(steps, sizeof steps, "%s", at->steps);
    for (char *step = strtok(steps, ","); step; step = strtok(NULL, ","))
        said[count++] = letters[observe(step, memory)];
    said[count] = '\0';
    TEST_ASSERT_EQUAL_STRING_MESSAGE(at->verdicts, said, at->property);
    tearDown();
    machine = NULL;
    wf_arena_init(&arena, NULL, 0);
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i]);
}

/* A count stops where no `times` reaches; it does not begin again. */
static void test_many_times(void)
{
    uint8_t memory[1] = {0};

    load("'atMost':{'of':{'===':[{'var':'event.type'},'x']},'times':126}");
    for (int i = 0; i < 300; i++)
        TEST_ASSERT_EQUAL_UINT8(i < 126 ? WF_VERDICT_NONE : WF_VERDICT_VIOLATED,
                                observe("a 0 x", memory));
}

/* Each has its own byte, and properties that remember nothing have none. */
static void test_several(void)
{
    load("'never':{'in_state':'b'}},'q':{'leadsTo':{'to':{'in_state':'c'}}},"
         "'r':{'atMost':{'of':{'in_state':'c'},'times':1}},'s':{'reachable':{'in_state':'c'}");
    TEST_ASSERT_EQUAL_UINT32(4, machine->property_count);
    TEST_ASSERT_EQUAL(2, wf_monitor_size(machine));
    TEST_ASSERT_EQUAL_STRING("q", machine->properties[1].name.text);
    TEST_ASSERT_EQUAL_STRING("leadsTo", wf_property_word(machine->properties[1].kind));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, machine->properties[3].byte);
}

/* Once is enough. */
static void test_reached_stays(void)
{
    uint8_t verdict = WF_VERDICT_REACHED;
    uint64_t active = 1;
    wf_observed seen = {.active = &active, .keys = NULL, .arena = &arena};

    load("'reachable':{'throw':'asked'}");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_monitor_observe(machine, &seen, NULL, &verdict, NULL));
    TEST_ASSERT_EQUAL_UINT8(WF_VERDICT_REACHED, verdict);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cases);
    RUN_TEST(test_many_times);
    RUN_TEST(test_several);
    RUN_TEST(test_reached_stays);
    return UNITY_END() != 0;
}
