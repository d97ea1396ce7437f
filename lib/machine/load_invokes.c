/* machine/load_invokes.c */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

enum { MAX_ATTEMPTS = 1000000 };
static const double max_ms = 9007199254740991.0;

static wf_name borrow(const wf_value *string)
{
    return (wf_name){string->as.text, string->length, wf_hash(string->as.text, string->length)};
}

static int64_t load_ms(wf_load *load, const wf_node *object, const char *key, int64_t otherwise)
{
    wf_node node;
    double number;

    if (!wf_node_get(&node, object, key) || !wf_expect_integer(load, &node, 0, max_ms, &number))
        return otherwise;
    return (int64_t)number;
}

static void load_id(wf_load *load, const wf_node *node, bool alone, wf_invoke *invoke)
{
    wf_node id = *node;
    uint32_t known = load->invoke_ids.count;

    invoke->id = wf_load_state(load, invoke->state)->id;
    if (wf_node_get(&id, node, "id")) {
        if (!wf_expect_name(load, &id, "an id"))
            return;
        invoke->id = borrow(id.value);
    } else if (!alone) {
        wf_load_error(load, node, "missing-key",
                      "an invocation beside others in its state needs an \"id\"");
        return;
    }
    if (wf_load_intern(load, &load->invoke_ids, invoke->id.text, invoke->id.length) < known)
        wf_load_error(load, &id, "duplicate-id", "another invocation has the id \"%.*s\"",
                      wf_shown(invoke->id.length), invoke->id.text);
}

static void load_events(wf_load *load, wf_invoke *invoke)
{
    size_t length;
    const char *text = wf_load_joined(load, "done.invoke.", invoke->id.text, "", &length);

    if (text)
        invoke->done_event = wf_load_intern(load, &load->machine->events, text, length);
    text = wf_load_joined(load, "error.invoke.", invoke->id.text, "", &length);
    if (text)
        invoke->error_event = wf_load_intern(load, &load->machine->events, text, length);
}

static void add_agent(wf_load *load, const wf_node *node)
{
    uint32_t agent;

    if (!wf_expect_name(load, node, "the name of an agent"))
        return;
    if (strcmp(node->value->as.text, "machine:") == 0)
        wf_load_error(load, node, "bad-name",
                      "expected the id of a machine behind \"machine:\"");
    agent =
        wf_load_intern(load, &load->machine->agents, node->value->as.text, node->value->length);
    wf_load_push(load, &load->lists, &agent);
}

static wf_span load_srcs(wf_load *load, const wf_node *node)
{
    uint32_t first = (uint32_t)load->lists.count;

    if (!wf_expect(load, node, WF_ARRAY, "a list of names of agents"))
        return (wf_span){first, 0};
    for (uint32_t i = 0; i < node->value->length && !load->failed; i++) {
        wf_node item = wf_node_item(node, i);

        add_agent(load, &item);
    }
    if (!node->value->length)
        wf_load_error(load, node, "bad-value", "expected at least one name of an agent");
    return (wf_span){first, (uint32_t)load->lists.count - first};
}

static bool listed(const wf_value *list, const wf_value *name)
{
    for (uint32_t i = 0; i < list->length; i++)
        if (wf_value_equal(&list->as.items[i], name))
            return true;
    return false;
}

/* A constant name is its own list; an expression needs one. */
static void load_src(wf_load *load, const wf_node *node, wf_invoke *invoke)
{
    wf_node src, srcs;
    bool have_list = wf_node_get(&srcs, node, "srcs");

    if (!wf_node_get(&src, node, "src")) {
        wf_load_error(load, node, "missing-key", "an invocation needs \"src\", an agent");
        return;
    }
    invoke->src = wf_load_expr(load, &src);
    if (have_list)
        invoke->srcs = load_srcs(load, &srcs);
    if (src.value->type != WF_STRING) {
        if (!have_list)
            wf_load_error(load, &src, "missing-key",
                          "a \"src\" that is an expression needs \"srcs\", the names that "
                          "it may give");
        return;
    }
    if (have_list) {
        if (srcs.value->type == WF_ARRAY && !listed(srcs.value, src.value))
            wf_load_error(load, &src, "bad-value", "\"srcs\" does not list this name");
        return;
    }
    invoke->srcs.first = (uint32_t)load->lists.count;
    add_agent(load, &src);
    invoke->srcs.count = (uint32_t)load->lists.count - invoke->srcs.first;
}

static uint32_t load_classes(wf_load *load, const wf_node *node)
{
    const char *words[WF_CLASSES];
    uint32_t classes = 0;

    for (uint32_t i = 0; i < WF_CLASSES; i++)
        words[i] = wf_class_name(i);
    if (!wf_expect(load, node, WF_ARRAY, "a list of failure classes"))
        return 0;
    for (uint32_t i = 0; i < node->value->length; i++) {
        wf_node item = wf_node_item(node, i);

        classes |= 1u << wf_expect_word(load, &item, words, WF_CLASSES);
    }
    if (!node->value->length)
        wf_load_error(load, node, "bad-value", "expected at least one failure class");
    return classes;
}

static void load_backoff(wf_load *load, const wf_node *rule, wf_retry *retry)
{
    wf_node node;

    if (!wf_node_get(&node, rule, "backoffRate") ||
        !wf_expect(load, &node, WF_NUMBER, "a number from 1"))
        return;
    retry->backoff = node.value->as.number;
    if (retry->backoff < 1)
        wf_load_error(load, &node, "bad-value", "expected a number from 1");
}

/* Defaults are those of Amazon States Language; its three retries are four attempts. */
static void load_retry(wf_load *load, const wf_node *rule, wf_retry *retry)
{
    wf_node node;
    double number;

    *retry = (wf_retry){.classes = UINT32_MAX, .max_attempts = 4, .backoff = 2};
    if (!wf_expect(load, rule, WF_OBJECT, "a retry rule, an object"))
        return;
    wf_check_keys(load, rule, WF_RETRY_KEYS, 0);
    if (wf_node_get(&node, rule, "errors"))
        retry->classes = load_classes(load, &node);
    if (wf_node_get(&node, rule, "maxAttempts") &&
        wf_expect_integer(load, &node, 1, MAX_ATTEMPTS, &number))
        retry->max_attempts = (uint32_t)number;
    retry->interval = load_ms(load, rule, "intervalMs", 1000);
    retry->max_delay = load_ms(load, rule, "maxDelayMs", 0);
    load_backoff(load, rule, retry);
    if (wf_node_get(&node, rule, "jitter") &&
        wf_expect(load, &node, WF_BOOLEAN, "true or false"))
        retry->jitter = node.value->as.boolean;
}

static wf_span load_retries(wf_load *load, const wf_node *invoke)
{
    wf_node list;
    wf_span span;

    if (!wf_node_get(&list, invoke, "retry") ||
        !wf_expect(load, &list, WF_ARRAY, "a list of retry rules"))
        return (wf_span){0, 0};
    span = wf_load_reserve(load, &load->retries, list.value->length);
    for (uint32_t i = 0; i < span.count; i++) {
        wf_node rule = wf_node_item(&list, i);

        load_retry(load, &rule, wf_vector_at(&load->retries, span.first + i));
    }
    return span;
}

/* What is known before the machine runs is checked here, the rest when it is entered. */
static const wf_expr *load_pool_part(wf_load *load, const wf_node *pool, const char *key,
                                     const char *what)
{
    static const char *const priorities[] = {"high", "normal", "low"};
    wf_node part;
    const wf_expr *expr;
    wf_value known;

    if (!wf_node_get(&part, pool, key))
        return NULL;
    expr = wf_load_expr(load, &part);
    if (expr && wf_expr_constant(expr, &known)) {
        if (what)
            wf_expect_name(load, &part, what);
        else
            wf_expect_word(load, &part, priorities, 3);
    }
    return expr;
}

static void load_pool(wf_load *load, const wf_node *node, wf_invoke *invoke)
{
    wf_node pool;

    if (!wf_node_get(&pool, node, "pool") || !wf_expect(load, &pool, WF_OBJECT, "an object"))
        return;
    wf_check_keys(load, &pool, WF_POOL_KEYS, 0);
    invoke->priority = load_pool_part(load, &pool, "priority", NULL);
    invoke->phase = load_pool_part(load, &pool, "phase", "a phase");
    invoke->group = load_pool_part(load, &pool, "group", "a group");
}

/* Nobody claims what a person is asked, so nothing that is about attempts would ever be
 * looked at. */
static void check_person(wf_load *load, const wf_node *node)
{
    static const char *const keys[] = {"timeoutMs", "heartbeatMs", "retry", "onUnknown",
                                       "pool"};
    wf_node src, part;
    wf_name name;

    if (!wf_node_get(&src, node, "src") || src.value->type != WF_STRING)
        return;
    name = (wf_name){.text = src.value->as.text};
    for (size_t i = 0; wf_is_person(&name) && i < sizeof keys / sizeof *keys; i++)
        if (wf_node_get(&part, node, keys[i]))
            wf_load_error(load, &part, "bad-value",
                          "a person has no \"%s\": votes have no attempts, and a deadline is "
                          "an \"after\" of the state",
                          keys[i]);
}

static void check_complete(wf_load *load, const wf_node *node)
{
    double number;

    if (node->value->type != WF_STRING)
        wf_expect_integer(load, node, 1, WF_ITEMS, &number);
    else if (strcmp(node->value->as.text, "settled") != 0)
        wf_load_error(load, node, "bad-value", "expected a number of results or \"settled\"");
}

static const wf_expr *load_bound(wf_load *load, const wf_node *object, const char *key,
                                 bool complete)
{
    wf_node node;
    const wf_expr *expr;
    wf_value known;
    double number;

    if (!wf_node_get(&node, object, key))
        return NULL;
    expr = wf_load_expr(load, &node);
    if (!expr || !wf_expr_constant(expr, &known))
        return expr;
    if (complete)
        check_complete(load, &node);
    else
        wf_expect_integer(load, &node, 1, max_ms, &number);
    return expr;
}

static void load_items(wf_load *load, const wf_node *node, wf_invoke *invoke)
{
    static const char *const bounds[] = {"maxConcurrency", "complete"};
    wf_node bound;

    invoke->items = wf_load_expr_of(load, node, "items");
    invoke->most = load_bound(load, node, bounds[0], false);
    invoke->complete = load_bound(load, node, bounds[1], true);
    for (int i = 0; i < 2 && !wf_value_get_z(node->value, "items"); i++) {
        if (wf_node_get(&bound, node, bounds[i]))
            wf_load_error_key(load, &bound, "misplaced-key", "\"%s\" needs \"items\"",
                              bounds[i]);
    }
}

static void load_invoke(wf_load *load, const wf_node *node, bool alone, wf_invoke *invoke)
{
    static const char *const unknown[] = {"reattach", "retry", "escalate"};
    static const int32_t answers[] = {WF_REATTACH, WF_RETRY, WF_ESCALATE, WF_RETRY};
    wf_node part;

    invoke->on_unknown = WF_RETRY;
    wf_check_keys(load, node, WF_INVOKE_KEYS, 0);
    check_person(load, node);
    load_id(load, node, alone, invoke);
    load_events(load, invoke);
    load_src(load, node, invoke);
    invoke->input = wf_load_expr_of(load, node, "input");
    if (wf_node_get(&part, node, "output"))
        invoke->output = wf_load_schema(load, &part);
    invoke->retries = load_retries(load, node);
    invoke->timeout = load_ms(load, node, "timeoutMs", 0);
    invoke->heartbeat = load_ms(load, node, "heartbeatMs", 0);
    load_pool(load, node, invoke);
    load_items(load, node, invoke);
    if (wf_node_get(&part, node, "onUnknown"))
        invoke->on_unknown = answers[wf_expect_word(load, &part, unknown, 3)];
}

/* Their transitions come when all invocations of the state are known. */
static void load_outcomes(wf_load *load, const wf_node *node, const wf_invoke *invoke)
{
    uint32_t state = invoke->state, done = invoke->done_event, error = invoke->error_event;
    wf_node part;

    if (wf_node_get(&part, node, "onDone"))
        wf_load_implied(load, &part, state, done);
    if (wf_node_get(&part, node, "onError"))
        wf_load_implied(load, &part, state, error);
}

static void load_one(wf_load *load, const wf_node *node, bool alone, uint32_t state,
                     uint32_t index)
{
    wf_invoke invoke = {.state = state, .done_event = WF_NONE, .error_event = WF_NONE};

    if (!wf_expect(load, node, WF_OBJECT, "an invocation, an object"))
        return;
    load_invoke(load, node, alone, &invoke);
    *(wf_invoke *)wf_vector_at(&load->invokes, index) = invoke;
    load_outcomes(load, node, &invoke);
}

void wf_load_invokes(wf_load *load, uint32_t state)
{
    wf_node node;
    bool list;
    wf_span span;

    if (!wf_node_get(&node, &wf_load_source(load, state)->node, "invoke"))
        return;
    list = node.value->type == WF_ARRAY;
    span = wf_load_reserve(load, &load->invokes, list ? node.value->length : 1);
    for (uint32_t i = 0; i < span.count && !load->failed; i++) {
        wf_node item = list ? wf_node_item(&node, i) : node;

        wf_load_push_pointer(load, &load->invoke_pointers, &item);
        load_one(load, &item, span.count == 1, state, span.first + i);
        WF_INVARIANT(load->failed || !load->lint ||
                     load->invoke_pointers.count == span.first + i + 1);
    }
    wf_load_state(load, state)->invokes = span;
}
