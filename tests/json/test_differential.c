/*
 * wfsm's JSON reader and writer against jansson's, on the cases of tests/json/cases, on
 * generated texts, on the repository's machine documents, and on mutations of all of them.
 * Seeds are fixed: every run is the same. Where the two readers disagree, differences.json has
 * the disagreement with its reason; anything else fails and shows the text.
 */
#include <jansson.h>
#include "json_cases.h"
#include "json_texts.h"

enum { GENERATED = 4000, MUTATED = 30000 };

typedef struct difference {
    const char *message; /* wfsm's error contains it */
    const char *reason;
    size_t count;
} difference;

static difference differences[20];
static size_t difference_count;
static size_t agreed_accept, agreed_reject;
static wf_arena scratch; /* of one text */

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

/* ---- what is compared ---- */

static bool same(const wf_value *mine, json_t *theirs);

static bool same_array(const wf_value *mine, json_t *theirs)
{
    if (mine->length != json_array_size(theirs))
        return false;
    for (uint32_t i = 0; i < mine->length; i++)
        if (!same(&mine->as.items[i], json_array_get(theirs, i)))
            return false;
    return true;
}

/* The order of members counts: both keep it. */
static bool same_object(const wf_value *mine, json_t *theirs)
{
    void *iter = json_object_iter(theirs);

    if (mine->length != json_object_size(theirs))
        return false;
    for (uint32_t i = 0; i < mine->length; i++, iter = json_object_iter_next(theirs, iter))
        if (strcmp(mine->as.members[i].key, json_object_iter_key(iter)) != 0 ||
            !same(&mine->as.members[i].value, json_object_iter_value(iter)))
            return false;
    return true;
}

static bool same_string(const wf_value *mine, json_t *theirs)
{
    return mine->length == json_string_length(theirs) &&
           memcmp(mine->as.text, json_string_value(theirs), mine->length) == 0;
}

static bool same(const wf_value *mine, json_t *theirs)
{
    switch (mine->type) {
    case WF_NULL:
        return json_is_null(theirs);
    case WF_BOOLEAN:
        return json_is_boolean(theirs) && mine->as.boolean == json_is_true(theirs);
    case WF_NUMBER:
        return json_is_number(theirs) && !(mine->as.number < json_number_value(theirs)) &&
               !(mine->as.number > json_number_value(theirs));
    case WF_STRING:
        return json_is_string(theirs) && same_string(mine, theirs);
    case WF_ARRAY:
        return json_is_array(theirs) && same_array(mine, theirs);
    default:
        return json_is_object(theirs) && same_object(mine, theirs);
    }
}

static void fail_at(const char *what, const char *text, size_t length)
{
    fprintf(stderr, "%s:\n%.*s\n", what, (int)length, text);
    TEST_FAIL_MESSAGE(what);
}

/* jansson reads what wfsm writes. */
static void check_my_text(const wf_value *mine, json_t *theirs, const char *text, size_t length)
{
    json_t *again;

    json(mine);
    again = json_loadb(buffer.data, buffer.length, JSON_DECODE_ANY, NULL);
    if (!again || !same(mine, again) || !same(mine, theirs))
        fail_at("jansson reads something else in what wfsm writes", text, length);
    json_decref(again);
}

/* wfsm reads what jansson writes. */
static void check_their_text(const wf_value *mine, json_t *theirs, size_t flags,
                             const char *text, size_t length)
{
    char *written = json_dumps(theirs, JSON_ENCODE_ANY | flags);
    wf_value again;

    if (!written || wf_json_parse(&scratch, written, strlen(written), &again, error) ||
        !wf_value_equal(mine, &again))
        fail_at("wfsm reads something else in what jansson writes", text, length);
    free(written);
}

/* ---- where they differ ---- */

static void read_differences(void)
{
    static const char path[] = JSON_CASES "/../differences.json";
    size_t length = 0;
    char *text = read_file(path, &length);
    wf_value list = parse_bytes(text, length);

    difference_count = 0;
    for (uint32_t i = 0; i < list.length && i < 20; i++)
        differences[difference_count++] =
            (difference){.message = json_case_word(&list.as.items[i], "message"),
                         .reason = json_case_word(&list.as.items[i], "reason")};
}

static bool is_known(const char *message)
{
    for (size_t i = 0; i < difference_count; i++) {
        if (strstr(message, differences[i].message)) {
            differences[i].count++;
            return true;
        }
    }
    return false;
}

static void check_verdicts(const char *text, size_t length, int32_t status, json_t *theirs)
{
    if (!status && !theirs)
        fail_at("wfsm accepts, jansson rejects", text, length);
    else if (status && theirs && !is_known(wfsm_error_message(error)))
        fail_at(wfsm_error_message(error), text, length);
    agreed_accept += !status;
    agreed_reject += status && !theirs;
}

static void compare(const char *text, size_t length)
{
    wf_value mine;
    int32_t status = wf_json_parse(&scratch, text, length, &mine, error);
    json_t *theirs = json_loadb(text, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

    check_verdicts(text, length, status, theirs);
    if (!status && theirs) {
        check_my_text(&mine, theirs, text, length);
        check_their_text(&mine, theirs, JSON_COMPACT, text, length);
        check_their_text(&mine, theirs, JSON_INDENT(3) | JSON_ENSURE_ASCII, text, length);
    }
    json_decref(theirs);
}

/* ---- the texts ---- */

static json_texts seeds;

static void add_seed(const json_case *one, void *user)
{
    (void)user;
    json_texts_add(&seeds, one->bytes, one->length);
}

static void add_documents(void)
{
    static const char *const names[] = {"coordinator/coordinator.json",
                                        "agentd/lifecycle.json",
                                        "agentd/plan.json",
                                        "agentd/impl.json",
                                        "aigentflow/linear.json",
                                        "embed/review.json",
                                        "embed/essay.json",
                                        "aigentflow/competition.json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        size_t length;
        char *text;

        snprintf(path, sizeof path, "%s/%s", DOCUMENTS, names[i]);
        text = read_file(path, &length);
        TEST_ASSERT_NOT_NULL_MESSAGE(text, path);
        json_texts_add(&seeds, text, length);
    }
}

/* A text of its own block, so that a sanitizer sees a read beyond its end. */
static void compare_exactly(const json_text *text)
{
    char *copy = malloc(text->length ? text->length : 1);

    if (text->length)
        memcpy(copy, text->bytes, text->length);
    compare(copy, text->length);
    free(copy);
    wf_arena_reset(&scratch);
}

/* Each listed difference shows: one that does not is no difference any more. */
static void check_differences(void)
{
    printf("%zu texts accepted by both, %zu rejected by both\n", agreed_accept, agreed_reject);
    for (size_t i = 0; i < difference_count; i++) {
        printf("%6zu accepted by jansson only: %s\n", differences[i].count,
               differences[i].reason);
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, differences[i].count, differences[i].reason);
    }
    TEST_ASSERT_GREATER_THAN(5000, agreed_accept);
    TEST_ASSERT_GREATER_THAN(5000, agreed_reject);
}

static void they_agree_but_for_what_is_listed(void)
{
    chance random = {UINT64_C(20261122)};
    json_text text;

    wf_arena_init(&scratch, &memory.allocator, 0);
    read_differences();
    json_cases_each(add_seed, NULL);
    add_documents();
    for (size_t i = 0; i < seeds.count; i++)
        compare_exactly(&seeds.list[i]);
    for (int i = 0; i < GENERATED; i++) {
        json_text_generate(&text, &random);
        compare_exactly(&text);
        if (i % 4 == 0)
            json_texts_add(&seeds, text.bytes, text.length);
        json_text_free(&text);
    }
    for (int i = 0; i < MUTATED; i++) {
        json_text_mutate(&text, &seeds, &random);
        compare_exactly(&text);
        json_text_free(&text);
    }
    json_texts_free(&seeds);
    wf_arena_fini(&scratch);
    check_differences();
}
int main(void)
{
    json_object_seed(1);
    UNITY_BEGIN();
    RUN_TEST(they_agree_but_for_what_is_listed);
    return UNITY_END() != 0;
}
