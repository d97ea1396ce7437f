/* The command of a coding agent. */
#include <stdlib.h>
#include <string.h>

#include "coding_job.h"
#include "files.h"
#include "fill.h"

/* The system refuses longer arguments (128 KiB on Linux). */
enum { MOST_SCHEMA = 100 * 1024, MOST_FLAGS = 32 };

/* What the flags may name; a flag whose text is NULL is left out. */
typedef struct parts {
    char *session, *schema_file;
    const char *schema;
} parts;

static char *with_ending(const char *base, const char *ending)
{
    const wfa_mark marks[] = {{"{base}", base}, {"{ending}", ending}, {NULL, NULL}};

    return wfa_fill("{base}{ending}", marks);
}

/* ---- the session of the attempt before ---- */

/* Would it only fail again in this session? */
static int is_lost(const wfa_coding_output *output)
{
    wfa_coding_failure failure;

    if (!output->failure)
        return 0;
    failure = wfa_coding_failure_of(output->failure, output->status, 0);
    return strcmp(failure.word, "auth") == 0 || strcmp(failure.word, "context") == 0;
}

static char *read_session(const wfa_coding_kind *kind, const char *text, size_t length)
{
    wfa_coding_output output = {.answer = NULL};
    char *session = NULL;

    kind->read(&output, text, length);
    if (!is_lost(&output)) {
        session = output.session;
        output.session = NULL;
    }
    wfa_coding_output_clear(&output);
    return session;
}

/* What cannot be read is no session: the attempt begins a new one. */
static char *session_before(const wfa_coding_attempt *attempt)
{
    char *path = attempt->base_before ? with_ending(attempt->base_before, ".out") : NULL;
    char *text = NULL, *session = NULL;
    size_t length = 0;

    if (path && wfa_file_read_own(path, attempt->config->max_output, &text, &length, NULL) == 0)
        session = read_session(attempt->config->coding, text, length);
    free(text);
    free(path);
    return session;
}

/* ---- the schema ---- */

static int takes_schema(const wfa_coding_kind *kind, const char *text)
{
    json_t *schema = json_loads(text, 0, NULL);
    int takes = json_is_object(schema) && strlen(text) <= MOST_SCHEMA &&
                (!kind->strict_schema || wfa_schema_is_strict(schema));

    json_decref(schema);
    return takes;
}

static int names_schema_file(const wfa_flag *flags)
{
    const wfa_flag *flag;

    for (flag = flags; flag->words[0]; flag++)
        if (flag->when == WFA_FLAG_SCHEMA && strcmp(flag->words[1], "{schema_file}") == 0)
            return 1;
    return 0;
}

static int find_schema(parts *found, const wfa_coding_attempt *attempt, wfa_error *error)
{
    const wfa_coding_kind *kind = attempt->config->coding;

    if (!takes_schema(kind, attempt->schema))
        return 0;
    found->schema = attempt->schema;
    if (!names_schema_file(kind->flags))
        return 0;
    found->schema_file = with_ending(attempt->base, ".schema");
    if (!found->schema_file)
        return wfa_no_memory(error);
    return wfa_file_write(found->schema_file, found->schema, strlen(found->schema), error);
}

/* ---- the words ---- */

static void free_words(char **words)
{
    size_t index;

    for (index = 0; words && words[index]; index++)
        free(words[index]);
    free(words);
}

static int is_wanted(const wfa_flag *flag, const wfa_agent_config *config, const parts *found)
{
    switch (flag->when) {
    case WFA_FLAG_READ:
        return !config->may_write;
    case WFA_FLAG_WRITE:
        return config->may_write;
    case WFA_FLAG_MODEL:
        return config->model != NULL;
    case WFA_FLAG_SCHEMA:
        return found->schema != NULL;
    case WFA_FLAG_SESSION:
        return found->session != NULL;
    case WFA_FLAG_ALWAYS:
        break;
    }
    return 1;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Behind the words that are there, up to the last NULL of the list. */
static int add_words(char **words, const char *const *more, const wfa_mark *marks)
{
    while (*words)
        words++;
    for (; *more; more++) {
        *words = wfa_fill(*more, marks);
        if (!*words++)
            return -1;
    }
    return 0;
}

static int add_flags(char **words, const wfa_agent_config *config, const parts *found)
{
    const wfa_mark marks[] = {{"{model}", or_empty(config->model)},
                              {"{session}", or_empty(found->session)},
                              {"{schema}", or_empty(found->schema)},
                              {"{schema_file}", or_empty(found->schema_file)},
                              {NULL, NULL}};
    const wfa_flag *flag;

    for (flag = config->coding->flags; flag->words[0]; flag++)
        if (is_wanted(flag, config, found) && add_words(words, flag->words, marks) != 0)
            return -1;
    return 0;
}

static char **make_words(const wfa_agent_config *config, const parts *found)
{
    const wfa_mark none[] = {{NULL, NULL}};
    size_t count = 0;
    char **words;

    while (config->command[count])
        count++;
    words = calloc(count + MOST_FLAGS + 1, sizeof *words);
    if (words && add_words(words, (const char *const *)config->command, none) == 0 &&
        add_flags(words, config, found) == 0)
        return words;
    free_words(words);
    return NULL;
}

char **wfa_coding_command(const wfa_coding_attempt *attempt, wfa_error *error)
{
    parts found = {.session = session_before(attempt)};
    char **words = NULL;

    if (find_schema(&found, attempt, error) == 0) {
        words = make_words(attempt->config, &found);
        if (!words)
            (void)wfa_no_memory(error);
    }
    free(found.session);
    free(found.schema_file);
    return words;
}
