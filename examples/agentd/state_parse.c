#include "state_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "time_text.h"

typedef struct reader {
    const char *name;
    host_error *error;
    yaml_parser_t parser;
    yaml_event_t event;
    unsigned seen; /* a bit for each field */
    state *read;
} reader;

static int fail_here(reader *at, const char *text)
{
    return host_fail(at->error, "%s:%zu: %s", at->name, at->event.start_mark.line + 1, text);
}

static int fail_to_parse(reader *at)
{
    const yaml_parser_t *parser = &at->parser;
    size_t line = parser->error == YAML_READER_ERROR ? 0 : parser->problem_mark.line + 1;

    if (parser->error == YAML_MEMORY_ERROR)
        return host_fail(at->error, "%s: out of memory", at->name);
    return host_fail(at->error, "%s:%zu: not YAML: %s", at->name, line,
                     parser->problem ? parser->problem : "broken");
}

static int next_any(reader *at)
{
    yaml_event_delete(&at->event);
    return yaml_parser_parse(&at->parser, &at->event) ? 0 : fail_to_parse(at);
}

/* The next event, which must be of this type. */
static int next(reader *at, yaml_event_type_t type, const char *expected)
{
    if (next_any(at) != 0)
        return -1;
    return at->event.type == type ? 0 : fail_here(at, expected);
}

/* NULL if it has a NUL. */
static const char *scalar(const reader *at)
{
    const char *text = (const char *)at->event.data.scalar.value;

    return strlen(text) == at->event.data.scalar.length ? text : NULL;
}

static int read_number(const char *text, int64_t *value)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(text, &end, 10);
    if (errno != 0 || *end || text[0] < '0' || text[0] > '9')
        return -1;
    *value = number;
    return 0;
}

static int read_id(const char *text, state *read)
{
    if (change_id_check(text, NULL) != 0)
        return -1;
    strcpy(read->change_id, text);
    return 0;
}

static int read_phase(const char *text, state *read)
{
    return phase_named(text, &read->phase);
}

static int read_verdict(const char *text, state *read)
{
    return verdict_named(strcmp(text, "~") == 0 ? "" : text, &read->verdict);
}

static int read_iteration(const char *text, state *read)
{
    return read_number(text, &read->iteration);
}

static int read_revision(const char *text, state *read)
{
    return read_number(text, &read->revision);
}

static int read_created(const char *text, state *read)
{
    return time_of_text(text, &read->created);
}

static int read_updated(const char *text, state *read)
{
    return time_of_text(text, &read->updated);
}

static int read_tree(const char *text, state *read)
{
    if (strlen(text) != sizeof read->tree - 1 ||
        strspn(text, "0123456789abcdef") != sizeof read->tree - 1)
        return -1;
    strcpy(read->tree, text);
    return 0;
}

static int read_digest(const char *text, state *read)
{
    (void)read;
    return text[0] ? 0 : -1;
}

static const struct {
    const char *key;
    int (*read)(const char *text, state *read);
    const char *expected;
} fields[] = {
    {"change_id", read_id, "change_id: expected the id of a change"},
    {"phase", read_phase,
     "phase: expected Proposed, Challenged, Rejected, Implementing, "
     "Complete or Archived"},
    {"verdict", read_verdict,
     "verdict: expected ~, APPROVED, NEEDS_REVISION, REJECTED, "
     "NEEDS_CHANGES or MAJOR_ISSUES"},
    {"iteration", read_iteration, "iteration: expected a number"},
    {"revision", read_revision, "revision: expected a number"},
    {"created_at", read_created,
     "created_at: expected a time such as "
     "2026-01-21T09:30:00.000Z"},
    {"updated_at", read_updated,
     "updated_at: expected a time such as "
     "2026-01-21T09:30:00.000Z"},
    {"digest", read_digest, "digest: expected a digest"},
    {"tree", read_tree, "tree: expected a digest"},
};

/* The last one may be missing. */
enum { FIELDS = sizeof fields / sizeof *fields, NEEDED = (1 << (FIELDS - 1)) - 1 };

static int find_field(reader *at, size_t *index)
{
    const char *key = scalar(at);

    for (*index = 0; key && *index < FIELDS; (*index)++)
        if (strcmp(fields[*index].key, key) == 0)
            break;
    if (!key || *index == FIELDS)
        return fail_here(at, "an unknown key");
    if (at->seen & 1U << *index)
        return fail_here(at, "a key occurs twice");
    at->seen |= 1U << *index;
    return 0;
}

/* The key was read; now its value. */
static int read_field(reader *at)
{
    const char *text;
    size_t index;

    if (find_field(at, &index) != 0 || next(at, YAML_SCALAR_EVENT, fields[index].expected) != 0)
        return -1;
    text = scalar(at);
    if (!text || fields[index].read(text, at->read) != 0)
        return fail_here(at, fields[index].expected);
    return 0;
}

static int read_fields(reader *at)
{
    for (;;) {
        if (next_any(at) != 0)
            return -1;
        if (at->event.type == YAML_MAPPING_END_EVENT)
            break;
        if (at->event.type != YAML_SCALAR_EVENT)
            return fail_here(at, "expected a key");
        if (read_field(at) != 0)
            return -1;
    }
    return (at->seen & NEEDED) == NEEDED ? 0 : fail_here(at, "expected a key: one is missing");
}

static int read_mapping(reader *at)
{
    static const char expected[] = "expected the keys of STATE.yaml, and their values";

    if (next(at, YAML_STREAM_START_EVENT, expected) != 0 ||
        next(at, YAML_DOCUMENT_START_EVENT, expected) != 0 ||
        next(at, YAML_MAPPING_START_EVENT, expected) != 0)
        return -1;
    if (read_fields(at) != 0 || next(at, YAML_DOCUMENT_END_EVENT, expected) != 0)
        return -1;
    return next(at, YAML_STREAM_END_EVENT, "expected one document");
}

int state_parse(const char *name, const char *text, size_t length, state *read,
                host_error *error)
{
    reader at = {.name = name, .error = error, .read = read};
    int status;

    memset(read, 0, sizeof *read);
    if (!yaml_parser_initialize(&at.parser))
        return host_fail(error, "%s: out of memory", name);
    yaml_parser_set_input_string(&at.parser, (const unsigned char *)text, length);
    yaml_parser_set_encoding(&at.parser, YAML_UTF8_ENCODING);
    status = read_mapping(&at);
    yaml_event_delete(&at.event);
    yaml_parser_delete(&at.parser);
    return status;
}
