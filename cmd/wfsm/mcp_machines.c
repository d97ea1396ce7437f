#include "wfsm/mcp.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "wfsm/document.h"

/* A tool has 1 to 128 letters, digits, _, - and dots. Two machines of one name have one tool, which starts the
 * document that was read first. */
static char *tool_name(const char *id)
{
    char *made = cli_need(malloc(strlen(id) + sizeof "start_"));
    size_t length = (size_t)sprintf(made, "start_%s", id);
    for (size_t i = 0; i < length; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.",
                    made[i]))
            made[i] = '_';
    if (length > 128)
        made[128] = '\0';
    return made;
}

static bool read_one(mcp *self, const char *path)
{
    cli_text text = {0};
    wfsm_machine *machine = document_load(path);
    if (!machine || !cli_read_file(path, &text)) {
        wfsm_machine_unref(machine);
        cli_text_free(&text);
        return false;
    }
    self->machines =
        cli_need(realloc(self->machines, (self->machine_count + 1) * sizeof *self->machines));
    self->machines[self->machine_count++] = (mcp_machine){
        .tool = tool_name(wfsm_machine_id(machine)),
        .source = cli_need(json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, NULL)),
        .path = cli_need(strdup(path)),
        .text = text.data};
    wfsm_machine_unref(machine);
    return true;
}

static int is_document(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static bool read_folder(mcp *self, const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, is_document, alphasort);
    bool fine = count >= 0;
    for (int i = 0; i < count; i++) {
        size_t room = strlen(path) + strlen(names[i]->d_name) + 2;
        char *file = cli_need(malloc(room));
        snprintf(file, room, "%s/%s", path, names[i]->d_name);
        fine = fine && read_one(self, file);
        free(file);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return fine;
}

bool mcp_read_machines(mcp *self, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return read_folder(self, path);
    return read_one(self, path);
}

void mcp_free_machines(mcp *self)
{
    for (size_t i = 0; i < self->machine_count; i++) {
        free(self->machines[i].tool);
        json_decref(self->machines[i].source);
        free(self->machines[i].path);
        free(self->machines[i].text);
    }
    free(self->machines);
}

const mcp_machine *mcp_machine_of(const mcp *self, const char *tool)
{
    for (size_t i = 0; i < self->machine_count; i++)
        if (strcmp(self->machines[i].tool, tool) == 0)
            return &self->machines[i];
    return NULL;
}

/* The document's schema of its context says what a start may be given. All of it has a default. */
static json_t *input_schema(const json_t *source)
{
    const json_t *given = json_object_get(json_object_get(source, "schemas"), "context");
    json_t *schema =
        json_is_object(given) ? json_deep_copy(given) : json_pack("{s:s}", "type", "object");
    json_object_del(schema, "required");
    return schema;
}

json_t *mcp_machine_tool(const mcp *self, const mcp_machine *machine)
{
    const char *told = json_string_value(json_object_get(machine->source, "description"));
    const char *id = json_string_value(json_object_get(machine->source, "id"));
    json_t *text = json_sprintf("Starts the workflow %s under a new id.%s%s", id,
                                told ? " " : "", told ? told : "");
    json_t *tool = cli_need(json_pack(
        "{s:s, s:o, s:{s:s, s:{s:{s:s, s:s}, s:o}, s:[s], s:b}}", "name", machine->tool,
        "description", cli_need(text), "inputSchema", "type", "object", "properties", "id",
        "type", "string", "description", "the new instance's id", "input",
        input_schema(machine->source), "required", "id", "additionalProperties", 0));
    if (self->has_tasks)
        json_object_set_new(tool, "execution", json_pack("{s:s}", "taskSupport", "optional"));
    return tool;
}
