#include "wfsm/selection.h"

#include <string.h>

enum { MACHINE, TAG, STATUS, OWNER, PROJECT };

static bool take_status(selection *self, const char *word)
{
    if (strcmp(word, "running") == 0)
        self->status = WFSM_RUNNING;
    else if (strcmp(word, "done") == 0)
        self->status = WFSM_DONE;
    else
        cli_misused("--status: expected running or done, not %s", word);
    return self->status != 0;
}

static bool take_project(selection *self, const char *name)
{
    if (!*name) {
        cli_misused("--project: expected a name");
        return false;
    }
    self->project.length = 0;
    cli_text_add(&self->project, name, strlen(name));
    cli_text_add(&self->project, "/", 1);
    return true;
}

bool selection_take(selection *self, int option, const char *value)
{
    self->given = true;
    switch (option) {
    case MACHINE:
        self->machine = value;
        return true;
    case TAG:
        self->tag = value;
        return true;
    case STATUS:
        return take_status(self, value);
    case OWNER:
        self->owner = value;
        return true;
    default:
        return take_project(self, value);
    }
}

wfsm_query selection_query(const selection *self)
{
    return (wfsm_query){.size = sizeof(wfsm_query),
                        .machine = self->machine,
                        .tag = self->tag,
                        .owner = self->owner,
                        .status = self->status,
                        .prefix = self->project.data};
}

void selection_free(selection *self)
{
    cli_text_free(&self->project);
}
