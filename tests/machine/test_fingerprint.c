/* What changes a fingerprint, and what does not. */
#include <string.h>
#include <unity.h>
#include "documents.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const char *print_of(const char *text, char out[65])
{
    wfsm_machine *machine = load_quoted(text);

    strcpy(out, wfsm_machine_fingerprint(machine));
    wfsm_machine_unref(machine);
    return out;
}

static void same(const char *a, const char *b)
{
    char one[65], other[65];

    TEST_ASSERT_EQUAL_STRING(print_of(a, one), print_of(b, other));
}

static void different(const char *a, const char *b)
{
    char one[65], other[65];

    TEST_ASSERT_TRUE_MESSAGE(strcmp(print_of(a, one), print_of(b, other)) != 0, b);
}

#define PLAIN                                                                                  \
    "{'id':'m','initial':'a','states':{'a':{'on':{'e':{'target':'b'},'f':[{'guard':'"          \
    "g'},"                                                                                     \
    "{}]},'after':{'1':{'target':'b'}},'always':[{'guard':'g'}],'invoke':[{'src':'x',"         \
    "'onDone':{}}]},'b':{'initial':{'target':'c'},'states':{'c':{},"                           \
    "'h':{'type':'history','target':{'target':'c'}}}}}}"

static void test_comments_do_not_count(void)
{
    same(PLAIN, "{ '$schema':'s', 'description':'d', 'meta':[1], 'assume':{'e':true},"
                "'properties':{'p':{'never':{'in_state':'b'},'description':'d'}},"
                "'id':'m','initial':'a',\n'states':{'a':{'meta':1,'on':{'e':{'description':'d',"
                "'target':'b','meta':2},'f':[{'guard':'g','meta':0},{'description':''}]},"
                "'after':{'1':{'target':'b','meta':1}},'always':[{'meta':1,'guard':'g'}],"
                "'invoke':[{'src':'x','onDone':{'meta':{}}}]},'b':{'description':'x',"
                "'initial':{'target':'c','meta':1},'states':{'c':{'meta':1},"
                "'h':{'type':'history','meta':1,'target':{'target':'c','description':'d'}}}}}"
                "}");
}

static void test_order_and_meaning_count(void)
{
    different(PLAIN, "{'initial':'a','id':'m','states':{'a':{}}}");
    different("{'id':'m','initial':'a','states':{'a':{}}}",
              "{'id':'m','initial':'a','domains':{'d':{}},'states':{'a':{}}}");
    different("{'id':'m','initial':'a','states':{'a':{},'b':{}}}",
              "{'id':'m','initial':'a','states':{'b':{},'a':{}}}");
    different("{'id':'m','initial':'a','states':{'a':{}}}",
              "{'id':'m','version':'1','initial':'a','states':{'a':{}}}");
}

/* The same words where they are data. */
static void test_data_counts(void)
{
    different("{'id':'m','initial':'a','context':{'meta':1},'states':{'a':{}}}",
              "{'id':'m','initial':'a','context':{},'states':{'a':{}}}");
    different("{'id':'m','initial':'meta','states':{'meta':{},'b':{}}}",
              "{'id':'m','initial':'meta','states':{'meta':{'entry':'x'},'b':{}}}");
    different("{'id':'m','initial':'a','states':{'a':{'entry':{'type':'f',"
              "'params':{'description':1}}}}}",
              "{'id':'m','initial':'a','states':{'a':{'entry':{'type':'f',"
              "'params':{'description':2}}}}}");
    different("{'id':'m','initial':'a','states':{'a':{'on':{'meta':'a'}}}}",
              "{'id':'m','initial':'a','states':{'a':{'on':{}}}}");
    different("{'id':'m','initial':'a','states':{'a':{'entry':{'type':'assign',"
              "'params':{'meta':{'literal':{'meta':1}}}}}}}",
              "{'id':'m','initial':'a','states':{'a':{'entry':{'type':'assign',"
              "'params':{'meta':{'literal':{}}}}}}}");
}

/* A fingerprint is stored for ever: it must not change from release to release. */
static void test_golden(void)
{
    char print[65];

    /* python3: hashlib.blake2b(text, digest_size=32) */
    TEST_ASSERT_EQUAL_STRING(
        "021d9b169376e5d21c9924c389a974077b54be8f7f22177b3854766425f514a0",
        print_of("{'id':'m','initial':'a','states':{'a':{'type':'final'}}}", print));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_comments_do_not_count);
    RUN_TEST(test_order_and_meaning_count);
    RUN_TEST(test_data_counts);
    RUN_TEST(test_golden);
    return UNITY_END() != 0;
}
