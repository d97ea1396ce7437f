/* The tables of agents of type "http". */
#include "agents/http_config.h"
#include "toml_agents.h"

void setUp(void)
{
    workspace_make();
    begin_agents();
}

void tearDown(void)
{
    end_agents();
    workspace_remove();
}

static int read_lines(const char *lines)
{
    char text[800];

    (void)snprintf(text, sizeof text, "[agents.a]\ntype = \"http\"\n%s\n", lines);
    return read_agents(text);
}

static void test_defaults(void)
{
    const wfa_http_config *http;

    TEST_ASSERT_EQUAL(0, read_lines("api = \"anthropic\"\nmodel = \"m\""));
    http = config_at(0)->http;
    TEST_ASSERT_EQUAL(WFA_AGENT_HTTP, config_at(0)->type);
    TEST_ASSERT_EQUAL_STRING("https://api.anthropic.com/v1/messages", http->url);
    TEST_ASSERT_EQUAL_STRING("m", http->model);
    TEST_ASSERT_EQUAL(8192, http->max_tokens);
    TEST_ASSERT_EQUAL(1, http->stream);
    TEST_ASSERT_EQUAL(10000, http->connect_ms);
    TEST_ASSERT_EQUAL(120000, http->idle_ms);
    TEST_ASSERT_EQUAL(600000, config_at(0)->timeout_ms);
    TEST_ASSERT_EQUAL(1048576, config_at(0)->max_output);
    TEST_ASSERT_EQUAL(134217728, http->max_reply);
    TEST_ASSERT_EQUAL(WFA_ANSWER_LAST_BLOCK, config_at(0)->answer);
    TEST_ASSERT_NULL(http->key_env);
    TEST_ASSERT_EQUAL(0, read_lines("api = \"openai\"\nmodel = \"m\"\nstream = false\n"
                                    "base_url = \"http://localhost:8080/v1/\"\n"
                                    "key_env = \"K\"\n"
                                    "max_tokens_name = \"max_completion_tokens\""));
    http = config_at(0)->http;
    TEST_ASSERT_EQUAL_STRING("http://localhost:8080/v1/chat/completions", http->url);
    TEST_ASSERT_EQUAL(0, http->max_tokens);
    TEST_ASSERT_EQUAL(0, http->idle_ms);
    TEST_ASSERT_EQUAL_STRING("max_completion_tokens", http->max_tokens_name);
}

static void test_complaints(void)
{
    static const struct {
        const char *lines; /* from line 3 on */
        const char *message;
    } cases[] = {
        {"", ":1:1: api: missing"},
        {"api = \"soap\"", ":3:7: api: expected \"anthropic\" or \"openai\", found \"soap\""},
        {"api = \"openai\"", ": model: missing"},
        {"api = \"openai\"\nmodel = \"\"", ":4:9: model: expected the name of a model"},
        {"api = \"openai\"\nmodel = \"m\"\ncommand = [\"x\"]", ": unknown key 'command'"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"ftp://x\"",
         ":5:12: base_url: expected https://HOST"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"https://u:p@x\"",
         ":5:12: base_url: expected no user, key, query or blank in it"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"https://x/?key=1\"",
         "expected no user, key, query or blank in it"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"http://x\"\nkey_env = \"K\"",
         ":5:12: base_url: http:// would send the key in clear"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"http://localhost.x\"\nkey_env = \"K\"",
         "in clear"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1.x\"\nkey_env = \"K\"",
         "in clear"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"http://[::2]:1/\"\nkey_file = \"k\"",
         "in clear"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"http://128.0.0.1\"\nkey_file = \"k\"",
         "in clear"},
        {"api = \"openai\"\nmodel = \"m\"\nbase_url = \"http://x\"\nkey_env = \"K\"\n"
         "plain_http = true",
         "in clear"},
        {"api = \"openai\"\nmodel = \"m\"\nkey_env = \"K\"\nkey_file = \"k\"",
         ":6:12: key_file: expected either key_env or key_file"},
        {"api = \"openai\"\nmodel = \"m\"\nkey_env = \"\"",
         ":5:11: key_env: expected the name of a variable"},
        {"api = \"openai\"\nmodel = \"m\"\nkey = \"sk\"", ": unknown key 'key'"},
        {"api = \"anthropic\"\nmodel = \"m\"\nmax_tokens_name = \"max_tokens\"",
         ": unknown key 'max_tokens_name'"},
        {"api = \"openai\"\nmodel = \"m\"\nmax_tokens = 0", ":5:14: max_tokens: expected"},
        {"api = \"openai\"\nmodel = \"m\"\nsystem = \"/no/such\"",
         ":5:10: system: expected a file: /no/such: No such file"},
        {"api = \"openai\"\nmodel = \"m\"\nconnect_timeout_ms = 0", ": connect_timeout_ms:"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        TEST_ASSERT_EQUAL_MESSAGE(-1, read_lines(cases[index].lines), cases[index].lines);
        if (!strstr(wfsm_error_message(error), cases[index].message))
            TEST_ASSERT_EQUAL_STRING(cases[index].message, wfsm_error_message(error));
    }
}

static void test_a_key_in_clear_where_it_may_be(void)
{
    static const char *const lines[] = {
        "base_url = \"http://127.0.0.1\"",   "base_url = \"http://[::1]:80\"",
        "base_url = \"http://localhost/x\"", "base_url = \"http://LOCALHOST:1\"",
        "base_url = \"http://127.1\"",       "base_url = \"http://127.9.9.9:80/v1\"",
        "base_url = \"http://2130706433\"",  "base_url = \"http://[::ffff:127.0.0.1]/x\""};
    size_t index;
    char text[200];

    for (index = 0; index < sizeof lines / sizeof *lines; index++) {
        (void)snprintf(text, sizeof text,
                       "api = \"openai\"\nmodel = \"m\"\nkey_env = \"K\"\n%s", lines[index]);
        TEST_ASSERT_EQUAL_MESSAGE(0, read_lines(text), wfsm_error_message(error));
    }
}

/* What looks like this machine, or was it in another reading of the URL. */
static void test_a_key_in_clear_to_elsewhere(void)
{
    static const char *const urls[] = {"http://127.0.0.1@x",
                                       "http://127.0.0.1:80@x",
                                       "http://127.0.0.1:p@x/",
                                       "http://localhost:@x",
                                       "http://[::1]@x",
                                       "http://[::1]:1@x",
                                       "http://127.0.0.1#@x",
                                       "http://127.0.0.1?@x",
                                       "http://127.0.0.1\\\\@x",
                                       "http://127.0.0.1\\\\.x",
                                       "http://127.0.0.1%40x",
                                       "http://127.0.0.1%2ex",
                                       "http://127.0.0.1%09.x",
                                       "http://127.0.0.1 .x",
                                       "http://127.0.0.1\\t.x",
                                       "http://127.0.0.1\\u000B.x",
                                       "http://127.0.0.1\\u000C.x",
                                       "http://127.0.0.1\\r.x",
                                       "http://127.0.0.1\\u0001.x",
                                       "http://127.0.0.1\\u0085.x",
                                       "http://127.0.0.1\\u00A0.x",
                                       "http://127.0.0.1\\uFF0Ex",
                                       "http://localhost\u3002x",
                                       "http:///127.0.0.1",
                                       "http:////x/127.0.0.1",
                                       "http:/x/://127.0.0.1",
                                       "http:x://127.0.0.1",
                                       "http://x/://127.0.0.1",
                                       "http://x:80://127.0.0.1",
                                       "http://0.0.0.0",
                                       "http://0",
                                       "http://[::]",
                                       "http://[::1]x",
                                       "http://[::1].x",
                                       "http://[::1",
                                       "http://[::1%25eth0]",
                                       "http://[::127.0.0.1]",
                                       "http://[::ffff:128.0.0.1]",
                                       "http://127.0.0.1.",
                                       "http://127.0.0.256",
                                       "http://4294967296",
                                       "http://localhost.",
                                       "http://localhost.localdomain",
                                       "http://xlocalhost",
                                       "http://local%68ost",
                                       "http://",
                                       "HTTP://127.0.0.1",
                                       "http:127.0.0.1"};
    size_t index;
    char text[200];

    for (index = 0; index < sizeof urls / sizeof *urls; index++) {
        (void)snprintf(text, sizeof text,
                       "api = \"openai\"\nmodel = \"m\"\nkey_env = \"K\"\nbase_url = \"%s\"",
                       urls[index]);
        TEST_ASSERT_EQUAL_MESSAGE(-1, read_lines(text), urls[index]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), ": base_url: "),
                                     wfsm_error_message(error));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_key_in_clear_to_elsewhere);
    RUN_TEST(test_defaults);
    RUN_TEST(test_complaints);
    RUN_TEST(test_a_key_in_clear_where_it_may_be);
    return UNITY_END() != 0;
}
