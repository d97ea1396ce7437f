/* Keys and signatures: what they say, and what they refuse. */
#include <sys/stat.h>
#include <unistd.h>
#include <wfsm/sign.h>

#include "hosts/workspace.h"

static wfsm_error *error;
static char key[WFSM_KEY_SIZE], signature[WFSM_SIGNATURE_SIZE];

void setUp(void)
{
    workspace_make();
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wfsm_error_free(error);
    workspace_remove();
}

static wfsm_approval vote(void)
{
    return (wfsm_approval){.size = sizeof(wfsm_approval),
                           .instance = "t",
                           .invocation = "t/1/1",
                           .by = "ada",
                           .digest = "d1",
                           .decision = WFSM_APPROVE,
                           .reason = "gr\xc3\xbc\xc3\x9f\"e",
                           .signed_at = 1000};
}

static void expect(int32_t expected, int32_t status, const char *words)
{
    TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, status, wfsm_error_message(error));
    if (expected != WFSM_OK)
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), words),
                                     wfsm_error_message(error));
}

static wfsm_approval signed_vote(const char *path)
{
    wfsm_approval made = vote();
    expect(WFSM_OK, wfsm_vote_sign(&made, path, key, signature, error), "");
    made.key = key;
    made.signature = signature;
    return made;
}

static void test_a_key_is_the_owners(void)
{
    const char *path = in_workspace("ada.key");
    char again[WFSM_KEY_SIZE];
    struct stat about;

    expect(WFSM_OK, wfsm_key_make(path, key, error), "");
    TEST_ASSERT_EQUAL_size_t(WFSM_KEY_SIZE - 1, strlen(key));
    TEST_ASSERT_EQUAL_INT(0, stat(path, &about));
    TEST_ASSERT_EQUAL_INT(0600, about.st_mode & 07777);
    expect(WFSM_OK, wfsm_key_public(path, again, error), "");
    TEST_ASSERT_EQUAL_STRING(key, again);
    expect(WFSM_EXISTS, wfsm_key_make(path, again, error), "exists");
    TEST_ASSERT_EQUAL_INT(0, chmod(path, 0640));
    expect(WFSM_DENIED, wfsm_key_public(path, again, error), "chmod 600");
}

static void test_a_key_is_not_written_through_a_link(void)
{
    const char *path = in_workspace("ada.key");

    TEST_ASSERT_EQUAL_INT(0, symlink("elsewhere", path));
    expect(WFSM_EXISTS, wfsm_key_make(path, key, error), "exists");
    TEST_ASSERT_NOT_EQUAL(0, access(in_workspace("elsewhere"), F_OK));
}

static void test_what_is_no_key(void)
{
    static const char *const texts[] = {"", "wfsm-key-1 \n", "wfsm-key-1 00\n",
                                        "wfsm-key-2 0000000000000000000000000000000000000000000"
                                        "000000000000000000000\n",
                                        "wfsm-key-1 x000000000000000000000000000000000000000000"
                                        "000000000000000000000\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *path = write_text("k", texts[i]);
        TEST_ASSERT_EQUAL_INT(0, chmod(path, 0600));
        expect(WFSM_INVALID, wfsm_key_public(path, key, error), "expected a key");
    }
    expect(WFSM_IO, wfsm_key_public(in_workspace("none"), key, error), "No such file");
    expect(WFSM_INVALID, wfsm_key_public(NULL, key, error), "NULL");
}

static void test_a_signature_covers_the_whole_vote(void)
{
    const char *path = in_workspace("ada.key");
    wfsm_approval changed[9];

    expect(WFSM_OK, wfsm_key_make(path, key, error), "");
    wfsm_approval right = signed_vote(path);
    expect(WFSM_OK, wfsm_vote_verify(&right, error), "");
    for (size_t i = 0; i < 9; i++)
        changed[i] = right;
    changed[0].instance = "u";
    changed[1].invocation = "t/1/2";
    changed[2].by = "bob";
    changed[3].digest = "d2";
    changed[4].decision = WFSM_REJECT;
    changed[5].reason = NULL;
    changed[6].signed_at = 1001;
    changed[7].key = "0000000000000000000000000000000000000000000000000000000000000001";
    changed[8].instance = "t\",\"invocation\":\"t/1/1";
    for (size_t i = 0; i < 9; i++)
        expect(WFSM_DENIED, wfsm_vote_verify(&changed[i], error), "not that of this vote");
    signature[5] = signature[5] == '0' ? '1' : '0';
    expect(WFSM_DENIED, wfsm_vote_verify(&right, error), "not that of this vote");
}

static void test_a_vote_that_is_not_complete(void)
{
    const char *path = in_workspace("ada.key");
    wfsm_approval lacks[6];

    expect(WFSM_OK, wfsm_key_make(path, key, error), "");
    for (size_t i = 0; i < 6; i++)
        lacks[i] = vote();
    lacks[0].size = 8;
    lacks[1].instance = NULL;
    lacks[2].digest = NULL;
    lacks[3].decision = 0;
    lacks[4].signed_at = -1;
    lacks[5].by = "\xff";
    for (size_t i = 0; i < 6; i++)
        expect(WFSM_INVALID, wfsm_vote_sign(&lacks[i], path, key, signature, error),
               "expected a vote");
    wfsm_approval unsigned_one = vote();
    expect(WFSM_INVALID, wfsm_vote_verify(&unsigned_one, error), "expected a key");
    expect(WFSM_INVALID, wfsm_vote_verify(NULL, error), "expected a vote");
}

/* OpenSSL has signed this text with the key of RFC 8032, 7.1, test 2:
 * {"wfsm":"vote","instance":"t","invocation":"t/1/1","by":"ada","decision":"approve",
 * "digest":"d1","reason":"grüß\"e","at":1000}, in one line and without blanks. */
static void test_what_is_signed(void)
{
    wfsm_approval known = vote();
    known.key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    known.signature = "0549b4e6a30b4f614fbe552dcd0af6e20e3f71ab38db41bc9167e9c84e083829"
                      "9a0ed6f582e109419fbb2d9bb7b4b7ddfca8ec5f02a6327f01d59ed808b3a20e";
    expect(WFSM_OK, wfsm_vote_verify(&known, error), "");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_key_is_the_owners);
    RUN_TEST(test_a_key_is_not_written_through_a_link);
    RUN_TEST(test_what_is_no_key);
    RUN_TEST(test_a_signature_covers_the_whole_vote);
    RUN_TEST(test_a_vote_that_is_not_complete);
    RUN_TEST(test_what_is_signed);
    return UNITY_END() != 0;
}
