/* The prompts and skills that init writes (003-163 to 166, and the prompts of 003-60, 003-61,
 * 003-67 to 69, 003-107, 003-113, 003-114). */
#include "agentd/config.h"
#include "agentd/proposal.h"
#include "agentd/skills.h"
#include "agentd/verdict.h"
#include "agents/each_fault.h"
#include "hosts/workspace.h"

static host_error error;

void setUp(void)
{
}

void tearDown(void)
{
}

static void assert_says(const char *text, const char *words)
{
    TEST_ASSERT_NOT_NULL(text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, words), words);
}

/* 003-163, 003-164, 003-165, 003-166: each calls its command, knows its exit codes, and what is
 * not its own to decide. */
static void test_skills(void)
{
    static const char *const commands[] = {"plan", "impl", "archive"};
    static const char *const options[] = {"`--again`", "`--accept`", "`--overwrite`"};
    char words[64], *text;
    int number;

    for (number = 0; number < SKILL_FILES; number++) {
        const char *command = commands[number % 3];
        text = skill_file_text(number, &error);
        (void)snprintf(words, sizeof words, "# /agentd:%s\n", command);
        assert_says(text, words);
        (void)snprintf(words, sizeof words, "`agentd %s <change-id>", command);
        assert_says(text, words);
        (void)snprintf(words, sizeof words, "agentd/%s.", command);
        assert_says(skill_file_path(number), words);
        assert_says(text, "## What a person decides, never you");
        assert_says(text, options[number % 3]);
        assert_says(text, "| 4 | ");
        free(text);
    }
}

static void test_claude_has_front_matter(void)
{
    char *text;
    int number;

    for (number = 0; number < 3; number++) {
        text = skill_file_text(number, &error);
        TEST_ASSERT_EQUAL_STRING_LEN("---\ndescription: ", text, 17);
        assert_says(text, "\nallowed-tools: Bash(agentd ");
        assert_says(text, "\n---\n");
        assert_says(text, "$ARGUMENTS");
        assert_says(skill_file_path(number), ".claude/commands/agentd/");
        free(text);
    }
}

/* Read as Gemini reads it. */
static void test_gemini_s_are_toml(void)
{
    wfsm_settings *file = NULL;
    wfsm_error *why = wfsm_error_new(NULL);
    const char *description = "", *prompt = "";
    char *text;
    int number;

    workspace_make_fast();
    for (number = 3; number < SKILL_FILES; number++) {
        text = skill_file_text(number, &error);
        TEST_ASSERT_EQUAL_MESSAGE(0, wfsm_settings_open(&file, write_text("x.toml", text), why),
                                  wfsm_error_message(why));
        free(text);
        TEST_ASSERT_EQUAL(
            0, wfsm_table_string(wfsm_settings_root(file), "description", &description, why));
        TEST_ASSERT_EQUAL(0,
                          wfsm_table_string(wfsm_settings_root(file), "prompt", &prompt, why));
        TEST_ASSERT_EQUAL_MESSAGE(0, wfsm_settings_check(file, why), wfsm_error_message(why));
        TEST_ASSERT_GREATER_THAN(20, strlen(description));
        assert_says(prompt, "{{args}}");
        TEST_ASSERT_NULL(strstr(prompt, "$ARGUMENTS"));
        TEST_ASSERT_NULL(strstr(prompt, "allowed-tools"));
        wfsm_settings_free(file);
    }
    wfsm_error_free(why);
    workspace_remove();
}

/* Each prompt is told what is asked, and in which form it is answered. */
static void test_prompts(void)
{
    static const char *const words[PROMPT_FILES][6] = {
        {"clarifications.md", "proposal.md", "specs/NAME.md", "tasks.md", "`reproposal`",
         "`files`"},
        {"gaps", "conflicts", "edge cases", "NEEDS_REVISION", "REJECTED", "`report`"},
        {"proposal.md", "specs/", "tasks.md", "REVIEW.md", "code and tests", "`summary`"},
        {"logic", "edge cases", "best practices", "NEEDS_CHANGES", "MAJOR_ISSUES", "`report`"},
    };
    int number, index;

    for (number = 0; number < PROMPT_FILES; number++) {
        char *text = prompt_file_text(number, &error);
        assert_says(text, "{input}");
        assert_says(text, "{output_schema}");
        assert_says(prompt_file_path(number), agent_role_name((agent_role)number));
        for (index = 0; index < 6; index++)
            assert_says(text, words[number][index]);
        free(text);
    }
}

/* 003-175: the proposer is told the sections that the configuration asks for. */
static void test_the_proposer_knows_the_sections(void)
{
    agentd_config config;
    char *text = prompt_file_text(0, &error), heading[64];
    size_t index;

    workspace_make_fast();
    TEST_ASSERT_EQUAL(
        0, agentd_config_read(&config, write_text("c.toml", agentd_config_text), &error));
    for (index = 0; config.required_sections[index]; index++) {
        (void)snprintf(heading, sizeof heading, "`## %s`", config.required_sections[index]);
        assert_says(text, heading);
    }
    agentd_config_clear(&config);
    workspace_remove();
    free(text);
}

/* What a prompt shows as an example is no verdict of a report that quotes it. */
static void test_an_example_is_no_verdict(void)
{
    char *text = prompt_file_text(ROLE_CHALLENGER, &error);
    verdict found;

    TEST_ASSERT_EQUAL(
        -1, verdict_find("x", text, strlen(text), VERDICT_OF_CHALLENGE, &found, &error));
    free(text);
}

static void prepare(void)
{
    memset(&error, 0, sizeof error);
}

static int work(void)
{
    char *text = skill_file_text(4, &error);

    free(text);
    return text ? 0 : -1;
}

static void check(int status)
{
    TEST_ASSERT_EQUAL(-1, status);
    assert_says(error.message, ".gemini/commands/agentd/impl.toml: out of memory");
}

static void test_out_of_memory(void)
{
    TEST_ASSERT_GREATER_THAN(1, each_fault(FAULT_ERROR, prepare, work, check));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_skills);
    RUN_TEST(test_claude_has_front_matter);
    RUN_TEST(test_gemini_s_are_toml);
    RUN_TEST(test_prompts);
    RUN_TEST(test_the_proposer_knows_the_sections);
    RUN_TEST(test_an_example_is_no_verdict);
    RUN_TEST(test_out_of_memory);
    return UNITY_END() != 0;
}
