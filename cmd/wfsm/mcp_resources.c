/* Documents, and the states and journals of instances, as resources. */
#include "wfsm/mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char document_scheme[] = "wfsm://document/", state_scheme[] = "wfsm://state/",
                  journal_scheme[] = "wfsm://journal/";

/* ---- addresses ---- */

static char *encode(const char *scheme, const char *id)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
    char *made = cli_need(malloc(strlen(scheme) + 3 * strlen(id) + 1));
    size_t length = strlen(scheme);
    memcpy(made, scheme, length + 1);
    for (; *id; id++)
        if (strchr(plain, *id))
            made[length++] = *id;
        else
            length += (size_t)sprintf(made + length, "%%%02X", (unsigned char)*id);
    made[length] = '\0';
    return made;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF", *at = strchr(digits, c);
    return c && at ? (int)((at - digits) % 16) : -1;
}

/* NULL: it does not begin so, or is no text. */
static char *decode(const char *uri, const char *scheme)
{
    size_t skipped = strlen(scheme), length = 0;
    char *made;
    if (strncmp(uri, scheme, skipped) != 0 || !uri[skipped])
        return NULL;
    made = cli_need(strdup(uri + skipped));
    for (const char *at = uri + skipped; *at; at++) {
        int high = *at == '%' ? digit(at[1]) : -1, low = high >= 0 ? digit(at[2]) : -1;
        if (*at == '%' && (low < 0 || high + low == 0)) {
            free(made);
            return NULL;
        }
        made[length++] = low >= 0 ? (char)(high * 16 + low) : *at;
        at += low >= 0 ? 2 : 0;
    }
    made[length] = '\0';
    return made;
}

/* ---- the list ---- */

static void add(json_t *all, const char *scheme, const char *id, const char *what)
{
    char *uri = encode(scheme, id);
    json_array_append_new(all, json_pack("{s:s, s:o, s:s}", "uri", uri, "name",
                                         json_sprintf("%s of %s", what, id), "mimeType",
                                         "application/json"));
    free(uri);
}

static void add_documents(const mcp *self, json_t *all)
{
    for (size_t i = 0; i < self->machine_count; i++)
        add(all, document_scheme,
            json_string_value(json_object_get(self->machines[i].source, "id")), "document");
}

static void tell_list(mcp *self, mcp_run *run, int code)
{
    json_t *found = code == 0 ? json_loadb(run->said.data, run->said.length, 0, NULL) : NULL;
    json_t *all = cli_need(json_array()), *one, *result;
    size_t index;
    if (!run->about)
        add_documents(self, all);
    json_array_foreach(found, index, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));
        if (index < MCP_PAGE) {
            add(all, state_scheme, id, "state");
            add(all, journal_scheme, id, "journal");
        }
    }
    result = cli_need(json_pack("{s:o}", "resources", all));
    mcp_add_cursor(result, found);
    if (found)
        mcp_answer(self, run->request, result);
    else
        mcp_fail(self, run->request, MCP_INTERNAL, "the store cannot be read");
    if (!found)
        json_decref(result);
    json_decref(found);
}

static void list(mcp *self, const json_t *request, const json_t *params)
{
    mcp_run *run = mcp_list(self, request, params);
    if (run) {
        run->about = json_is_string(json_object_get(params, "cursor")) ? json_true() : NULL;
        run->done = tell_list;
    }
}

static void templates(mcp *self, const json_t *request)
{
    mcp_answer(self, request,
               json_pack("{s:[{s:s, s:s, s:s}, {s:s, s:s, s:s}]}", "resourceTemplates",
                         "uriTemplate", "wfsm://state/{id}", "name", "state of an instance",
                         "mimeType", "application/json", "uriTemplate", "wfsm://journal/{id}",
                         "name", "journal of an instance", "mimeType", "application/json"));
}

/* ---- one ---- */

static json_t *contents(const char *uri, const char *text)
{
    json_t *string = json_string(text);
    return json_pack("{s:[{s:s, s:s, s:o}]}", "contents", "uri", uri, "mimeType",
                     "application/json", "text", string ? string : json_string("?"));
}

static void tell_contents(mcp *self, mcp_run *run, int code)
{
    const char *uri = json_string_value(run->about);
    if (code == 0)
        mcp_answer(self, run->request, contents(uri, run->said.data));
    else
        mcp_fail(self, run->request, MCP_NOT_FOUND, "there is no %s", uri);
}

static bool read_document(mcp *self, const json_t *request, const char *uri)
{
    char *id = decode(uri, document_scheme);
    const mcp_machine *found = NULL;
    for (size_t i = 0; id && i < self->machine_count && !found; i++)
        if (strcmp(json_string_value(json_object_get(self->machines[i].source, "id")), id) == 0)
            found = &self->machines[i];
    if (found)
        mcp_answer(self, request, contents(uri, found->text));
    free(id);
    return found != NULL;
}

static bool read_with(mcp *self, const json_t *request, const char *uri, const char *scheme,
                      const char *command)
{
    char *id = decode(uri, scheme);
    mcp_run *run = NULL;
    if (!id)
        return false;
    run =
        mcp_start(self, request,
                  (const char *const[]){command, "--json", "--", self->store, id, NULL}, NULL);
    if (run) {
        run->about = json_string(uri);
        run->done = tell_contents;
    }
    free(id);
    return true;
}

void mcp_resources(mcp *self, const json_t *request, const char *method, const json_t *params)
{
    const char *uri;
    if (strcmp(method, "resources/list") == 0) {
        list(self, request, params);
    } else if (strcmp(method, "resources/templates/list") == 0) {
        templates(self, request);
    } else if (strcmp(method, "resources/read") != 0) {
        mcp_fail(self, request, MCP_METHOD, "there is no method %s", method);
    } else if ((uri = mcp_text(self, request, params, "uri"))) {
        if (!read_document(self, request, uri) &&
            !read_with(self, request, uri, state_scheme, "show") &&
            !read_with(self, request, uri, journal_scheme, "journal"))
            mcp_fail(self, request, MCP_NOT_FOUND, "there is no %s", uri);
    }
}
