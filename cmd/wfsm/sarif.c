#include "wfsm/sarif.h"

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

json_t *sarif_location(const char *file, int line, int column)
{
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
    return cli_need(json_pack("{s:s s:s s:[{s:{s:{s:s s:s s:o}} s:[o] s:o}]}", "$schema",
                              "https://json.schemastore.org/sarif-2.1.0.json", "version",
                              "2.1.0", "runs", "tool", "driver", "name", tool, "version",
                              wfsm_version(), "rules", rules_of(results), "invocations", run,
                              "results", results));
}
