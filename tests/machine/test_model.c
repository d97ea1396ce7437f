/* The compiled machine, as the step reads it. */
#include <string.h>
#include <unity.h>
#include "documents.h"
#include "machine/model.h"

static wfsm_machine *machine;

void setUp(void)
{
    machine = NULL;
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
}

static const wf_state *state_of(const char *path)
{
    uint32_t number = wf_machine_find(machine, path, strlen(path));

    TEST_ASSERT_NOT_EQUAL_UINT32_MESSAGE(WF_NONE, number, path);
    return &machine->states[number];
}

static const char *path_of(uint32_t list_index)
{
    return machine->states[machine->lists[list_index]].path.text;
}

/* The first targets of the transitions that an event meets in a state, in order: "b c".
 */
static const char *candidates(const char *path, const char *event)
{
    static char out[256];
    const wf_state *state = state_of(path);
    uint32_t number = wf_names_find(&machine->events, event, strlen(event));
    wf_span span = state->generic;
    bool exact = false;

    for (uint32_t i = 0; i < state->exact.count; i++)
        if (machine->handlers[state->exact.first + i].event == number) {
            span = machine->handlers[state->exact.first + i].candidates;
            exact = true;
        }
    out[0] = '\0';
    for (uint32_t i = 0; i < span.count; i++) {
        const wf_candidate *candidate = &machine->candidates[span.first + i];
        const wf_transition *transition = &machine->transitions[candidate->transition];

        TEST_ASSERT_EQUAL(exact, candidate->descriptor == WF_NONE);
        if (!exact &&
            !wf_prefix_matches(&machine->prefixes[candidate->descriptor], event, strlen(event)))
            continue;
        if (out[0])
            strcat(out, " ");
        strcat(out, transition->targets.count ? path_of(transition->targets.first) : "-");
    }
    return out;
}

static void test_states_are_numbered_in_document_order(void)
{
    static const char *const paths[] = {"", "b", "b.z", "b.z.q", "b.a", "a"};

    machine = load_quoted("{'id': 'm', 'initial': 'b', 'states': {'b': {'initial': 'z', "
                          "'states': {'z': {'states': {'q': {}}}, 'a': {}}}, 'a': {}}}");
    TEST_ASSERT_EQUAL_size_t(6, wfsm_machine_state_count(machine));
    for (size_t i = 0; i < 6; i++)
        TEST_ASSERT_EQUAL_STRING(paths[i], wfsm_machine_state_path(machine, i));
    TEST_ASSERT_NULL(wfsm_machine_state_path(machine, 6));
    TEST_ASSERT_EQUAL_UINT32(6, machine->states[0].end);
    TEST_ASSERT_EQUAL_UINT32(5, machine->states[1].end);
    TEST_ASSERT_EQUAL_UINT32(3, machine->max_depth);
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, machine->states[0].parent);
    TEST_ASSERT_EQUAL_UINT32(1, machine->states[4].parent);
}

static void test_more_specific_descriptors_come_first(void)
{
    machine = load_quoted(
        "{'id': 'm', 'initial': 's', 'states': {'s': {'on': {'*': 'star', 'x.*': 'one',"
        "'x.y.*': 'two', 'x.y.z': [{'guard': 'g', 'target': 'e'}, {'target': 'f'}], "
        "'x': 'x'}}, 'star': {}, 'one': {}, 'two': {}, 'e': {}, 'f': {}, 'x': {}}}");
    TEST_ASSERT_EQUAL_STRING("e f two one star", candidates("s", "x.y.z"));
    TEST_ASSERT_EQUAL_STRING("x one star", candidates("s", "x"));
    TEST_ASSERT_EQUAL_STRING("two one star", candidates("s", "x.y"));
    TEST_ASSERT_EQUAL_STRING("one star", candidates("s", "x.q"));
    TEST_ASSERT_EQUAL_STRING("star", candidates("s", "xx"));
    TEST_ASSERT_EQUAL_STRING("", candidates("e", "x"));
}

static void test_the_order_of_a_list_decides(void)
{
    machine = load_quoted(
        "{'id': 'm', 'initial': 's', 'states': {'s': {'on': ["
        "{'event': 'x.*', 'target': 'one'}, {'event': ['x.y', 'x.*'], 'target': 'two'},"
        "{'event': 'x.y', 'target': 'e'}, {'event': '*', 'target': 'star'}]},"
        "'star': {}, 'one': {}, 'two': {}, 'e': {}}}");
    TEST_ASSERT_EQUAL_STRING("one two e star", candidates("s", "x.y"));
    TEST_ASSERT_EQUAL_STRING("one two star", candidates("s", "x.z"));
    TEST_ASSERT_EQUAL_STRING("star", candidates("s", "y"));
}

static void test_implied_events_follow_the_explicit_ones(void)
{
    machine = load_quoted(
        "{'id': 'm', 'initial': 's', 'states': {'s': {'initial': 'f', "
        "'on': {'done.state.s': 'a', 'done.*': 'b', 'done.invoke.s': 'b'}, 'onDone': "
        "'c',"
        "'invoke': {'src': 'x', 'onDone': 'c', 'onError': 'd'}, 'after': {'10': 'd'}, "
        "'states': {'f': {'type': 'final'}}}, 'a': {}, 'b': {}, 'c': {}, 'd': {}}}");
    TEST_ASSERT_EQUAL_STRING("a c b", candidates("s", "done.state.s"));
    TEST_ASSERT_EQUAL_STRING("b c b", candidates("s", "done.invoke.s"));
    TEST_ASSERT_EQUAL_STRING("d", candidates("s", "error.invoke.s"));
    TEST_ASSERT_EQUAL_STRING("d", candidates("s", "after.10.s"));
    TEST_ASSERT_EQUAL_STRING("done.state.s",
                             machine->events.list[state_of("s")->done_event].text);
    TEST_ASSERT_EQUAL_INT64(10, machine->afters[state_of("s")->after.first].delay);
}

static void test_targets(void)
{
    machine = load_quoted(
        "{'id': 'm', 'initial': 'p', 'on': {'root': 'p.x.k', 'dot': '.q'}, 'states': {"
        "'p': {'initial': 'x', 'on': {'in': '.x', 'below': '.x.k', 'out': 'q', "
        "'across': 'q.y', 'id': '#Y'}, 'states': {'x': {'on': {'side': 'z'}, "
        "'initial': 'k', 'states': {'k': {}}}, 'z': {}}},"
        "'q': {'initial': 'y', 'states': {'y': {'id': 'Y'}}}}}");
    TEST_ASSERT_EQUAL_STRING("p.x.k", candidates("", "root"));
    TEST_ASSERT_EQUAL_STRING("q", candidates("", "dot"));
    TEST_ASSERT_EQUAL_STRING("p.x", candidates("p", "in"));
    TEST_ASSERT_EQUAL_STRING("p.x.k", candidates("p", "below"));
    TEST_ASSERT_EQUAL_STRING("q", candidates("p", "out"));
    TEST_ASSERT_EQUAL_STRING("q.y", candidates("p", "across"));
    TEST_ASSERT_EQUAL_STRING("q.y", candidates("p", "id"));
    TEST_ASSERT_EQUAL_STRING("p.z", candidates("p.x", "side"));
}

static void test_ids(void)
{
    machine = load_quoted("{'id': 'm', 'initial': 'a', 'states': {'a': {'id': 'x.y', "
                          "'states': {'b': {}}, 'initial': 'b'}}}");
    TEST_ASSERT_EQUAL_UINT32(1, wf_machine_find(machine, "#x.y", 4));
    TEST_ASSERT_EQUAL_UINT32(2, wf_machine_find(machine, "#a.b", 4));
    TEST_ASSERT_EQUAL_UINT32(2, wf_machine_find(machine, "a.b", 3));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_machine_find(machine, "#a", 2));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_machine_find(machine, "#m", 2));
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, wf_machine_find(machine, "b", 1));
    TEST_ASSERT_EQUAL_UINT32(0, wf_machine_find(machine, "", 0));
}

static void test_defaults(void)
{
    const wf_state *history;
    const wf_transition *transition;

    machine = load_quoted("{'id': 'm', 'states': {'a': {'initial': {'target': 'y', "
                          "'actions': ['f', 'g']}, "
                          "'states': {'h': {'type': 'history'}, 'x': {}, 'y': {}, "
                          "'d': {'type': 'history', 'history': 'deep', 'target': 'x'}}}, "
                          "'p': {'type': 'parallel', 'states': {'r': {}, 'h': {'type': "
                          "'history'}, 's': {}}}}"
                          "}");
    transition = &machine->transitions[state_of("")->initial];
    TEST_ASSERT_EQUAL_STRING("a", path_of(transition->targets.first));
    transition = &machine->transitions[state_of("a")->initial];
    TEST_ASSERT_EQUAL_STRING("a.y", path_of(transition->targets.first));
    TEST_ASSERT_EQUAL_UINT32(2, machine->blocks[transition->blocks.first].actions.count);
    history = state_of("a.h");
    TEST_ASSERT_EQUAL_INT(WF_SHALLOW, history->type);
    transition = &machine->transitions[history->initial];
    TEST_ASSERT_EQUAL_STRING("a.y", path_of(transition->targets.first));
    TEST_ASSERT_EQUAL_UINT32(0, transition->blocks.count);
    TEST_ASSERT_EQUAL_INT(WF_DEEP, state_of("a.d")->type);
    TEST_ASSERT_EQUAL_UINT32(2, state_of("a")->histories.count);
    TEST_ASSERT_EQUAL_STRING("a.h", path_of(state_of("a")->histories.first));
    transition = &machine->transitions[state_of("p.h")->initial];
    TEST_ASSERT_EQUAL_UINT32(2, transition->targets.count);
    TEST_ASSERT_EQUAL_STRING("p.s", path_of(transition->targets.first + 1));
    TEST_ASSERT_EQUAL_UINT32(3, machine->history_count);
    TEST_ASSERT_EQUAL_UINT32(2, state_of("p.h")->history);
    TEST_ASSERT_EQUAL_UINT32(WF_NONE, state_of("p")->initial);
}

static void test_actions(void)
{
    const wf_state *state;
    const wf_action *action;
    const wf_assignment *assignment;

    machine = load_quoted(
        "{'id': 'm', 'context': {'a': 1, 'b': {'c': 2}}, 'initial': 's', 'states': "
        "{'s': {"
        "'entry': [[{'type': 'assign', 'params': {'b.c': 5, 'new': 1}}], ['f', "
        "{'type': 'choose', 'params': {'branches': [{'guard': 'g', 'actions': ['f', "
        "'h']}, "
        "{'actions': 'k'}]}}]], 'exit': {'type': 'raise', 'params': {'event': "
        "'go'}}}}}");
    state = state_of("s");
    TEST_ASSERT_EQUAL_UINT32(2, state->entry.count);
    action = &machine->actions[machine->blocks[state->entry.first].actions.first];
    TEST_ASSERT_EQUAL_INT(WF_ASSIGN, action->kind);
    TEST_ASSERT_EQUAL_UINT32(2, action->as.assign.count);
    assignment = &machine->assignments[action->as.assign.first];
    TEST_ASSERT_EQUAL_STRING("b", machine->keys.list[assignment->target.slot].text);
    TEST_ASSERT_EQUAL_UINT32(1, assignment->target.depth);
    TEST_ASSERT_EQUAL_STRING("c", assignment->target.keys[0].text);
    TEST_ASSERT_EQUAL_UINT32(0, assignment[1].target.depth);
    action = &machine->actions[machine->blocks[state->entry.first + 1].actions.first];
    TEST_ASSERT_EQUAL_INT(WF_CALL, action->kind);
    TEST_ASSERT_EQUAL_STRING("f", machine->functions.list[action->as.call.host].text);
    TEST_ASSERT_EQUAL_INT(WF_CHOOSE, action[1].kind);
    TEST_ASSERT_EQUAL_UINT32(2, action[1].as.choose.count);
    TEST_ASSERT_EQUAL_INT(WF_GUARD_HOST,
                          machine->branches[action[1].as.choose.first].guard.kind);
    action = &machine->actions[machine->blocks[state->exit.first].actions.first];
    TEST_ASSERT_EQUAL_INT(WF_RAISE, action->kind);
    TEST_ASSERT_EQUAL_STRING("go", machine->events.list[action->as.raise.number].text);
    TEST_ASSERT_NULL(action->as.raise.delay);
}

static void test_context_slots(void)
{
    uint32_t slot;

    machine = load_quoted(
        "{'id': 'm', 'context': {'a': 1, 'type': {'x': []}}, 'initial': 's', 'states': "
        "{"
        "'s': {'on': {'e': {'guard': {'var': 'context.read'}, 'target': 's'}}}}}");
    slot = wf_names_find(&machine->keys, "a", 1);
    TEST_ASSERT_EQUAL_UINT32(0, slot);
    TEST_ASSERT_EQUAL_INT(1, (int)machine->initial[slot].as.number);
    slot = wf_names_find(&machine->keys, "read", 4);
    TEST_ASSERT_EQUAL_UINT32(2, slot);
    TEST_ASSERT_EQUAL_INT(WF_ABSENT, machine->initial[slot].type);
}

static void test_guards(void)
{
    const wf_transition *list;

    machine = load_quoted("{'id': 'm', 'initial': 's', 'states': {'s': {'always': ["
                          "{'guard': 'g'}, {'guard': {'type': 'h', 'params': [1]}}, "
                          "{'guard': {'==': [1, {'var': 'event.data'}]}}, {}]}}}");
    TEST_ASSERT_EQUAL_UINT32(4, state_of("s")->always.count);
    list = &machine->transitions[machine->lists[state_of("s")->always.first]];
    TEST_ASSERT_EQUAL_INT(WF_GUARD_HOST, list[0].guard.kind);
    TEST_ASSERT_NULL(list[0].guard.params);
    TEST_ASSERT_EQUAL_STRING("g", list[0].guard.text);
    TEST_ASSERT_EQUAL_STRING("h", machine->guards.list[list[1].guard.host].text);
    TEST_ASSERT_NOT_NULL(list[1].guard.params);
    TEST_ASSERT_EQUAL_INT(WF_GUARD_RULE, list[2].guard.kind);
    TEST_ASSERT_EQUAL_STRING("{\"==\":[1,{\"var\":\"event.data\"}]}", list[2].guard.text);
    TEST_ASSERT_EQUAL_INT(WF_GUARD_NONE, list[3].guard.kind);
}

static void test_invocations(void)
{
    const wf_invoke *invoke;
    const wf_retry *retry;
    wf_value known;

    machine = load_quoted(
        "{'id': 'm', 'initial': 's', 'states': {'s': {'invoke': {'src': 'coder', "
        "'timeoutMs': 5, 'retry': [{'errors': ['network', 'exit']}, {'maxAttempts': 2, "
        "'jitter': true}], 'pool': {'priority': 'low', 'phase': 'p'}}}}}");
    invoke = &machine->invokes[state_of("s")->invokes.first];
    TEST_ASSERT_EQUAL_STRING("s", invoke->id.text);
    TEST_ASSERT_EQUAL_STRING("coder",
                             machine->agents.list[machine->lists[invoke->srcs.first]].text);
    TEST_ASSERT_EQUAL_INT64(5, invoke->timeout);
    TEST_ASSERT_EQUAL_INT64(0, invoke->heartbeat);
    TEST_ASSERT_TRUE(wf_expr_constant(invoke->priority, &known));
    TEST_ASSERT_EQUAL_STRING("low", known.as.text);
    TEST_ASSERT_TRUE(wf_expr_constant(invoke->phase, &known));
    TEST_ASSERT_EQUAL_STRING("p", known.as.text);
    TEST_ASSERT_NULL(invoke->group);
    TEST_ASSERT_EQUAL_INT32(WF_RETRY, invoke->on_unknown);
    retry = &machine->retries[invoke->retries.first];
    TEST_ASSERT_EQUAL_HEX32(1u << WF_CLASS_NETWORK | 1u << WF_CLASS_EXIT, retry[0].classes);
    TEST_ASSERT_EQUAL_UINT32(4, retry[0].max_attempts);
    TEST_ASSERT_EQUAL_HEX32(UINT32_MAX, retry[1].classes);
    TEST_ASSERT_EQUAL_UINT32(2, retry[1].max_attempts);
    TEST_ASSERT_TRUE(retry[1].jitter);
    TEST_ASSERT_EQUAL_STRING("done.invoke.s", machine->events.list[invoke->done_event].text);
    TEST_ASSERT_EQUAL_STRING("error.invoke.s", machine->events.list[invoke->error_event].text);
}

static void test_restore(void)
{
    machine = load_quoted("{'id': 'm', 'initial': 's', 'states': {'s': {}}}");
    TEST_ASSERT_TRUE(machine->restore_any);
    TEST_ASSERT_NULL(machine->restore_event.text);
    wfsm_machine_unref(machine);
    machine = load_quoted("{'id': 'm', 'initial': 's', 'states': {'s': {'id': 'X'}}, "
                          "'restore': {'from': '#X', 'event': 'back'}}");
    TEST_ASSERT_FALSE(machine->restore_any);
    TEST_ASSERT_EQUAL_UINT32(1, machine->restore_from.count);
    TEST_ASSERT_EQUAL_STRING("s", path_of(machine->restore_from.first));
    TEST_ASSERT_EQUAL_STRING("back", machine->restore_event.text);
}

static void test_failure_classes(void)
{
    TEST_ASSERT_EQUAL_STRING("network", wf_class_name(WF_CLASS_NETWORK));
    TEST_ASSERT_NULL(wf_class_name(WF_CLASSES));
    TEST_ASSERT_EQUAL_UINT32(WF_CLASS_OTHER, wf_class_find("other", 5));
    TEST_ASSERT_EQUAL_UINT32(WF_CLASSES, wf_class_find("othe", 4));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_states_are_numbered_in_document_order);
    RUN_TEST(test_more_specific_descriptors_come_first);
    RUN_TEST(test_the_order_of_a_list_decides);
    RUN_TEST(test_implied_events_follow_the_explicit_ones);
    RUN_TEST(test_targets);
    RUN_TEST(test_ids);
    RUN_TEST(test_defaults);
    RUN_TEST(test_actions);
    RUN_TEST(test_context_slots);
    RUN_TEST(test_guards);
    RUN_TEST(test_invocations);
    RUN_TEST(test_restore);
    RUN_TEST(test_failure_classes);
    return UNITY_END() != 0;
}
