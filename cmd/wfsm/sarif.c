#include "wfsm/sarif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/cli.h"

/* What a URI cannot hold as it is becomes %XX. */
static json_t *uri_json(const char *file)
{
    static const char digits[] = "0123456789ABCDEF";
    cli_text uri = {0};
    cli_text_add(&uri, "", 0);
    for (; *file; file++) {
        unsigned char byte = (unsigned char)*file;
        const char coded[] = {'%', digits[byte >> 4], digits[byte & 15]};
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                     (byte >= '0' && byte <= '9') || strchr("/._-~", byte);
        cli_text_add(&uri, plain ? file : coded, plain ? 1 : sizeof coded);
    }
    json_t *text = cli_need(json_string(uri.data));
    free(uri.data);
    return text;
}

/* The characters before a column that counts bytes, and 1. A byte that continues one of UTF-8 is none. */
static int characters(const char *line, size_t length, int column)
{
    int count = 1;
    for (size_t i = 0; i < length && i + 1 < (size_t)column; i++)
        count += ((unsigned char)line[i] & 0xC0) != 0x80;
    return count;
}

/* The column that counts bytes, if the file cannot be read again. */
static int character_column(const char *file, int line, int column)
{
    FILE *in = column > 0 && line > 0 ? fopen(file, "rb") : NULL;
    char *text = NULL;
    size_t size = 0;
    ssize_t length = 0;
    for (int i = 0; in && i < line && length >= 0; i++)
        length = getline(&text, &size, in);
    if (in && length >= column - 1)
        column = characters(text, (size_t)length, column);
    free(text);
    if (in)
        fclose(in);
    return column;
}

json_t *sarif_location(const char *file, int line, int column)
{
    column = character_column(file, line, column);
    return cli_need(json_pack("{s:{s:{s:o} s:{s:i s:i}}}", "physicalLocation",
                              "artifactLocation", "uri", uri_json(file), "region", "startLine",
                              line > 0 ? line : 1, "startColumn", column > 0 ? column : 1));
}

static bool is_known(const json_t *rules, const char *word)
{
    for (size_t i = 0; i < json_array_size(rules); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(rules, i), "id")), word) ==
            0)
            return true;
    return false;
}

static json_t *rules_of(const json_t *results)
{
    json_t *rules = cli_need(json_array());
    for (size_t i = 0; i < json_array_size(results); i++) {
        const char *rule =
            json_string_value(json_object_get(json_array_get(results, i), "ruleId"));
        if (!is_known(rules, rule))
            json_array_append_new(rules, cli_need(json_pack("{s:s}", "id", rule)));
    }
    return rules;
}

json_t *sarif_whole(const char *tool, json_t *run, json_t *results)
{
    return cli_need(json_pack("{s:s s:s s:[{s:{s:{s:s s:s s:o}} s:s s:[o] s:o}]}", "$schema",
                              "https://json.schemastore.org/sarif-2.1.0.json", "version",
                              "2.1.0", "runs", "tool", "driver", "name", tool, "version",
                              wfsm_version(), "rules", rules_of(results), "columnKind",
                              "unicodeCodePoints", "invocations", run, "results", results));
}
