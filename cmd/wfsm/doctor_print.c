#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "wfsm/cli.h"
#include "wfsm/doctor.h"
#include "wfsm/shown.h"

const char *doctor_kind(wfsm_agents *agents, const char *name)
{
    json_t *about = cli_need(
        json_loads(cli_need((char *)wfsm_agents_describe(agents, name, NULL)), 0, NULL));
    const char *kind = json_string_value(json_object_get(about, "kind"));
    const char *type = json_string_value(json_object_get(about, "type"));
    static const char *const known[] = {"claude", "codex", "gemini", "http", NULL};
    const char *found = "command";
    for (size_t i = 0; known[i]; i++)
        if ((kind && strcmp(kind, known[i]) == 0) || (type && strcmp(type, known[i]) == 0))
            found = known[i];
    json_decref(about);
    return found;
}

void doctor_print(const char *name, const char *kind, const doctor_diagnosis *diagnosis)
{
    shown_printf("%s: %s (%s%s%s)", name, diagnosis->state, kind, diagnosis->version ? " " : "",
                 diagnosis->version ? diagnosis->version : "");
    if (diagnosis->message)
        shown_printf(": %s", diagnosis->message);
    if (diagnosis->advice)
        shown_printf("; %s", diagnosis->advice);
    shown_printf("\n");
    fflush(stdout);
}

bool doctor_is_ill(const doctor_diagnosis *diagnosis)
{
    return strcmp(diagnosis->state, "ok") != 0 && strcmp(diagnosis->state, "not tried") != 0;
}
