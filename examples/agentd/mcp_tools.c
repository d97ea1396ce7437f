#include "mcp_tools.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agentd.h"
#include "texts.h"
#include "folder.h"
#include "proposal.h"
#include "shared/files.h"

/* NULL and an error: the tool has failed. */
typedef json_t *(*tool_run)(const mcp_tools *self, const char *id, const json_t *given,
                            host_error *error);

typedef struct tool {
    const char *name, *description;
    const char *arguments[3]; /* texts, all required; ends with NULL */
    tool_run run;
} tool;

/* ---- what the commands print ---- */

/* Runs a command in a process of its own, which prints JSON to a file. */
static int run_apart(int (*command)(const arguments *given), const arguments *given, FILE *to)
{
    int status = 0;
    pid_t child;

    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
        (void)dup2(fileno(to), STDOUT_FILENO);
        status = command(given);
        (void)fflush(stdout);
        _exit(status);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static json_t *read_lines(FILE *from, host_error *error)
{
    json_t *list = json_array(), *one;
    json_error_t why;

    rewind(from);
    while (list && (one = json_loadf(from, JSON_DISABLE_EOF_CHECK, &why)))
        (void)json_array_append_new(list, one);
    if (!list)
        (void)host_fail(error, "out of memory");
    return list;
}

static json_t *print_json(int (*command)(const arguments *given), const char *id,
                          host_error *error)
{
    const arguments given = {.id = id, .json = 1};
    FILE *file = tmpfile();
    json_t *list = NULL;

    if (!file || run_apart(command, &given, file) != END_DONE)
        (void)host_fail(error, "the state cannot be read: see agentd's standard error");
    else
        list = read_lines(file, error);
    if (file)
        (void)fclose(file);
    return list ? json_pack("{s:o}", "changes", list) : NULL;
}

static json_t *list_changes(const mcp_tools *self, const char *id, const json_t *given,
                            host_error *error)
{
    (void)id, (void)given;
    return self->change ? print_json(cmd_status, self->change, error)
                        : print_json(cmd_list, NULL, error);
}

static json_t *show_status(const mcp_tools *self, const char *id, const json_t *given,
                           host_error *error)
{
    (void)self, (void)given;
    return print_json(cmd_status, id, error);
}

/* ---- documents ---- */

static const char *text_of(const json_t *given, const char *key)
{
    return json_string_value(json_object_get(given, key));
}

static json_t *list_documents(const mcp_tools *self, const char *id, const json_t *given,
                              host_error *error)
{
    json_t *paths = folder_paths(&self->at->in, id, error);

    (void)given;
    return paths ? json_pack("{s:o}", "documents", paths) : NULL;
}

static json_t *read_document(const mcp_tools *self, const char *id, const json_t *given,
                             host_error *error)
{
    json_t *texts = folder_texts(&self->at->in, id, error);
    json_t *text = json_object_get(texts, text_of(given, "path")), *made = NULL;

    if (text)
        made = json_pack("{s:s, s:O}", "path", text_of(given, "path"), "text", text);
    else if (texts)
        (void)host_fail(error, "agentd/changes/%s has no such document", id);
    json_decref(texts);
    return made;
}

static int is_document(const char *path)
{
    return strcmp(path, "proposal.md") == 0 || strcmp(path, "tasks.md") == 0 ||
           folder_is_spec(path);
}

/* What is wrong with a proposal, as a new array; other documents have no format. */
static json_t *problems_of(const mcp_tools *self, const char *id, const json_t *given,
                           host_error *error)
{
    const json_t *text = json_object_get(given, "text");
    proposal_check check;
    json_t *problems = NULL;

    if (strcmp(text_of(given, "path"), "proposal.md") != 0)
        return json_array();
    if (proposal_check_text(&check, id, json_string_value(text), json_string_length(text),
                            self->at->config.required_sections, error) == 0)
        problems = json_incref(check.problems);
    proposal_check_clear(&check);
    return problems;
}

static json_t *keep_draft(const mcp_tools *self, const char *id, const json_t *given,
                          host_error *error)
{
    const json_t *text = json_object_get(given, "text");
    char digest[WFSM_DIGEST_SIZE];

    if (texts_write(self->at, TEXT_DRAFT, id, json_string_value(text), json_string_length(text),
                    digest, error) != 0)
        return NULL;
    return json_pack("{s:s, s:s}", "path", text_of(given, "path"), "digest", digest);
}

static json_t *write_document(const mcp_tools *self, const char *id, const json_t *given,
                              host_error *error)
{
    json_t *problems, *made = NULL;

    if (!is_document(text_of(given, "path"))) {
        (void)host_fail(error, "expected the path proposal.md, specs/NAME.md or tasks.md");
        return NULL;
    }
    problems = problems_of(self, id, given, error);
    if (json_array_size(problems) > 0)
        (void)host_fail(error, "not written: %s",
                        json_string_value(json_array_get(problems, 0)));
    else if (problems)
        made = keep_draft(self, id, given, error);
    json_decref(problems);
    return made;
}

/* ---- the table ---- */

static const tool tools[] = {
    {"list", "The changes of this project, and where each stands.", {NULL}, list_changes},
    {"status", "Where a change stands, and what it has taken.", {"change", NULL}, show_status},
    {"list_documents", "The paths of a change's documents.", {"change", NULL}, list_documents},
    {"read_document",
     "The text of a document of a change.",
     {"change", "path", NULL},
     read_document},
    {"write_document",
     "For the proposer: keeps the whole text of proposal.md, specs/NAME.md or tasks.md, if its "
     "format is right. Name it in your answer's files by its path and the digest that this tool "
     "returns, without its text.",
     {"change", "path", "text"},
     write_document},
};
enum { TOOLS = sizeof tools / sizeof *tools, ARGUMENTS = 3 };

static json_t *schema_of(const tool *one)
{
    json_t *properties = json_object(), *required = json_array();
    int index;

    for (index = 0; index < ARGUMENTS && one->arguments[index]; index++) {
        (void)json_object_set_new(properties, one->arguments[index],
                                  json_pack("{s:s, s:i}", "type", "string", "minLength", 1));
        (void)json_array_append_new(required, json_string(one->arguments[index]));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                     "required", required, "additionalProperties", 0);
}

void mcp_tools_list(mcp_tools *self, const json_t *request)
{
    json_t *list = json_array();
    int index;

    for (index = 0; index < TOOLS; index++)
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:{s:b}}", "name", tools[index].name, "description",
                      tools[index].description, "inputSchema", schema_of(&tools[index]),
                      "annotations", "readOnlyHint", tools[index].run != write_document));
    rpc_answer(&self->rpc, request, json_pack("{s:o}", "tools", list));
}

/* ---- calls ---- */

static const tool *find_tool(const char *name)
{
    int index;

    for (index = 0; name && index < TOOLS; index++)
        if (strcmp(tools[index].name, name) == 0)
            return &tools[index];
    return NULL;
}

/* The first argument that is missing or no text; NULL: none. */
static const char *wrong_argument(const tool *one, const json_t *given)
{
    int index;

    for (index = 0; index < ARGUMENTS && one->arguments[index]; index++) {
        const json_t *value = json_object_get(given, one->arguments[index]);
        const char *text = json_string_value(value);

        if (!text || !*text || strlen(text) != json_string_length(value))
            return one->arguments[index];
    }
    return NULL;
}

/* The change that a call is about; NULL with an error. */
static int check_change(const mcp_tools *self, const char *id, host_error *error)
{
    if (!id)
        return 0;
    if (self->change && strcmp(self->change, id) != 0)
        return host_fail(error, "this server is for the change %s only", self->change);
    return change_id_check(id, error);
}

static json_t *result_of(json_t *made, const host_error *error)
{
    char *text = made ? json_dumps(made, JSON_COMPACT) : NULL;
    json_t *words = json_string(text ? text : error->message), *result;

    if (!words)
        words = json_string("a name is not UTF-8");
    result = json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", words,
                       "isError", made == NULL);
    if (made)
        (void)json_object_set_new(result, "structuredContent", made);
    free(text);
    return result;
}

void mcp_tools_call(mcp_tools *self, const json_t *request, const json_t *params)
{
    const tool *one = find_tool(text_of(params, "name"));
    const json_t *given = json_object_get(params, "arguments");
    const char *wrong = one ? wrong_argument(one, given) : NULL, *id = text_of(given, "change");
    host_error error = {"out of memory"};
    json_t *made = NULL;

    if (!one || wrong) {
        rpc_fail(&self->rpc, request, RPC_PARAMS, "%s: expected %s", wrong ? wrong : "name",
                 wrong ? "a text that is not empty" : "a tool");
        return;
    }
    if (check_change(self, id, &error) == 0)
        made = one->run(self, id, given, &error);
    rpc_answer(&self->rpc, request, result_of(made, &error));
}
