/*
 * Rows of a store with one flipped bit, truncated rows, and rows of another instance. Loading
 * refuses them, or the audit reports them, or the bit means nothing. A store in between changes
 * a row whenever it is read. An argument is the distance between the flipped bits; 1 flips all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "store/small.h"
#include "support.h"

enum { ROWS = 64, TEXT = 4096 };

/* A row, found again by its kind, its id and its revision. */
typedef struct known {
    int kind;
    char instance[8], id[80];
    uint64_t revision;
    size_t bits;
    char text[TEXT];
    size_t length;
} known;

static enum { COLLECT, LOOK, FLIP, CUT, SWAP } mode;
static known rows[ROWS];
static size_t row_count;
static const known *target, *other;
static size_t place; /* the bit, or the length that is left */
static const char *asked; /* instance */
static bool touched;

static size_t distance = 53;
static wfsm_error *error;
static wfsm_store *memory, *bent;
static flaky between;
static wfsm_machine *machine;
static char *expected;
static uint64_t detected, same;

/* ---- the bits of a row ---- */

typedef struct pieces {
    struct {
        void *at;
        size_t length;
    } list[20];
    size_t count;
    char texts[8][TEXT];
    size_t used;
} pieces;

static void add(pieces *all, void *at, size_t length)
{
    all->list[all->count].at = at;
    all->list[all->count++].length = length;
}

/* A copy takes the place of the text, so that it can be changed. */
static void add_text(pieces *all, const char **text, size_t length)
{
    char *copy = all->texts[all->used++];
    if (!*text)
        return;
    TEST_ASSERT_LESS_THAN_size_t(TEXT, length);
    memcpy(copy, *text, length);
    copy[length] = '\0';
    *text = copy;
    add(all, copy, length);
}

#define ADD(all, member) add(all, &(member), sizeof(member))
#define ADD_TEXT(all, member) add_text(all, &(member), strlen(member))

/* Not the owner and what is acknowledged: those only a store's own checksum can prove. Nor
 * `first`, which 0 and 1 leave open where nothing can be compacted. */
static void head_pieces(pieces *all, wfsm_head *head)
{
    ADD_TEXT(all, head->machine);
    ADD_TEXT(all, head->fingerprint);
    ADD_TEXT(all, head->token);
    ADD_TEXT(all, head->tags);
    ADD(all, head->revision);
    ADD(all, head->snapshot_revision);
    ADD(all, head->effects);
    ADD(all, head->status);
    ADD(all, head->deadline);
    ADD(all, head->created);
    ADD(all, head->updated);
}

static void row_pieces(pieces *all, wfsm_row *row, int kind)
{
    add_text(all, &row->text, row->length);
    if (kind == ROW_RECORD || kind == ROW_LISTED) {
        add_text(all, &row->id, row->id ? strlen(row->id) : 0);
        ADD(all, row->revision);
        ADD(all, row->now);
    }
}

static size_t bits_of(const pieces *all)
{
    size_t bits = 0;
    for (size_t i = 0; i < all->count; i++)
        bits += all->list[i].length * 8;
    return bits;
}

static void flip(pieces *all, size_t bit)
{
    size_t i = 0;
    while (bit >= all->list[i].length * 8)
        bit -= all->list[i++].length * 8;
    ((unsigned char *)all->list[i].at)[bit / 8] ^= (unsigned char)(1u << bit % 8);
}

/* ---- the store in between ---- */

static bool is_row(const known *one, int kind, const wfsm_row *row)
{
    const char *id = kind == ROW_LISTED && row->id ? row->id : "";
    return one->kind == kind && one->revision == row->revision && strcmp(one->id, id) == 0 &&
           (kind == ROW_DOCUMENT || strcmp(one->instance, asked) == 0);
}

static void collect(int kind, const wfsm_row *row, size_t bits)
{
    for (size_t i = 0; i < row_count; i++)
        if (is_row(&rows[i], kind, row))
            return;
    TEST_ASSERT_LESS_THAN_size_t(ROWS, row_count);
    known *made = &rows[row_count++];
    *made = (known){.kind = kind, .revision = row->revision, .bits = bits};
    snprintf(made->instance, sizeof made->instance, "%s", asked);
    snprintf(made->id, sizeof made->id, "%s", kind == ROW_LISTED && row->id ? row->id : "");
    made->length = row->length;
    if (row->text)
        memcpy(made->text, row->text, row->length);
}

static int bend(void *user, int kind, wfsm_row *row)
{
    static pieces all;
    static wfsm_head head;
    all = (pieces){.count = 0};
    (void)user;
    if (mode == LOOK || (mode != COLLECT && !is_row(target, kind, row)))
        return 1;
    if (kind == ROW_HEAD) {
        head = *row->head;
        row->head = &head;
        head_pieces(&all, &head);
    } else {
        row_pieces(&all, row, kind);
    }
    touched = true;
    if (mode == COLLECT)
        collect(kind, row, bits_of(&all));
    else if (mode == FLIP)
        flip(&all, place);
    else if (mode == CUT)
        row->length = place;
    else {
        row->text = other->text;
        row->length = other->length;
    }
    return 1;
}

static int32_t count_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    TEST_ASSERT_GREATER_THAN_size_t(0, strlen(diagnostic->message));
    ++*(int *)user;
    return WFSM_OK;
}

/* Did loading or the audit find something? Loading under a machine that is known already,
 * unless it is the document that is looked at. */
static bool finds(const char *id)
{
    wfsm_instance *instance = NULL;
    int diagnostics = 0;
    asked = id;
    touched = false;
    bool compile = mode == COLLECT || (target && target->kind == ROW_DOCUMENT);
    int32_t status =
        wfsm_instance_load(&instance, compile ? NULL : machine, bent, NULL, id, error);
    char *bytes = status == WFSM_OK ? bytes_of(instance) : NULL;
    bool equal = bytes && (!expected || strcmp(bytes, expected) == 0);
    if (!expected)
        expected = bytes;
    else
        free(bytes);
    wfsm_instance_free(instance);
    int32_t audited = wfsm_store_audit(bent, id, count_diagnostic, &diagnostics, NULL, NULL);
    if (status == WFSM_OK && audited == WFSM_OK && diagnostics == 0)
        TEST_ASSERT_TRUE_MESSAGE(equal, "another state was loaded");
    return status != WFSM_OK || audited != WFSM_OK || diagnostics > 0;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    between = (flaky){.bend = bend};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&memory, NULL, error));
    small_fill(memory);
    between.inner = memory;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, flaky_open(&bent, &between, NULL, error));
    row_count = 0;
    target = NULL;
    expected = NULL;
    detected = same = 0;
    wfsm_instance *instance = NULL;
    mode = LOOK;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_load(&instance, NULL, bent, NULL, "one", error));
    machine = wfsm_machine_ref((wfsm_machine *)wfsm_instance_machine(instance));
    wfsm_instance_free(instance);
    mode = COLLECT;
    TEST_ASSERT_FALSE(finds("one"));
    TEST_ASSERT_GREATER_THAN_size_t(10, row_count);
}

void tearDown(void)
{
    free(expected);
    wfsm_machine_unref(machine);
    wfsm_store_free(bent);
    wfsm_store_free(memory);
    wfsm_error_free(error);
}

/* Description and meta of a document are no part of its fingerprint, nor is white space; a
 * snapshot that is older than the head's is not read. */
static bool may_be_unnoticed(const known *row)
{
    return row->kind == ROW_DOCUMENT;
}

static void judge(const known *row, const char *what)
{
    static char message[200];
    if (finds("one")) {
        detected++;
        return;
    }
    snprintf(message, sizeof message, "%s %d of row kind %d '%s' revision %d", what, (int)place,
             row->kind, row->id, (int)row->revision);
    TEST_ASSERT_TRUE_MESSAGE(touched, message);
    TEST_ASSERT_TRUE_MESSAGE(may_be_unnoticed(row), message);
    same++;
}

static void test_any_bit_of_any_row(void)
{
    for (size_t i = 0; i < row_count; i++) {
        target = &rows[i];
        mode = FLIP;
        for (place = 0; place < target->bits; place += distance)
            judge(target, "bit");
        char *kept = expected;
        expected = NULL; /* the other instance stays whole */
        if (target->kind != ROW_DOCUMENT)
            TEST_ASSERT_FALSE(finds("two"));
        free(expected);
        expected = kept;
    }
    printf("%zu rows: %d bits were noticed, %d mean nothing\n", row_count, (int)detected,
           (int)same);
    TEST_ASSERT_GREATER_THAN_UINT64(100, detected);
}

static void test_any_length_of_any_row(void)
{
    for (size_t i = 0; i < row_count; i++) {
        target = &rows[i];
        mode = CUT;
        for (place = 0; place < target->length && target->kind != ROW_HEAD;
             place += 1 + distance / 8)
            judge(target, "length");
    }
    printf("%zu rows: %d lengths were noticed\n", row_count, (int)detected);
    TEST_ASSERT_EQUAL_UINT64(0, same);
}

/* Any row in the place of any other: of this instance, and of the other one. */
static void test_any_row_in_the_place_of_another(void)
{
    char *kept = expected;
    expected = NULL;
    mode = COLLECT;
    TEST_ASSERT_FALSE(finds("two"));
    free(expected);
    expected = kept;
    mode = SWAP;
    for (size_t i = 0; i < row_count; i++) {
        target = &rows[i];
        if (strcmp(target->instance, "one") != 0 || target->kind == ROW_HEAD)
            continue;
        for (size_t j = 0; j < row_count; j++) {
            other = &rows[j];
            place = j;
            if (other->kind == ROW_HEAD || (other->length == target->length &&
                                            !memcmp(other->text, target->text, other->length)))
                continue;
            judge(target, "row");
        }
    }
    printf("%d swaps were noticed\n", (int)detected);
    TEST_ASSERT_EQUAL_UINT64(0, same);
}

int main(int count, char **arguments)
{
    if (count > 1)
        distance = strtoul(arguments[1], NULL, 10);
    UNITY_BEGIN();
    RUN_TEST(test_any_bit_of_any_row);
    RUN_TEST(test_any_length_of_any_row);
    RUN_TEST(test_any_row_in_the_place_of_another);
    return UNITY_END() != 0;
}
