#include "wfsm/selection.h"

#include <stdlib.h>
#include <string.h>

enum { MACHINE, TAG, STATUS, OWNER, PROJECT, WHERE };

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

/* The longer words come first. */
static const struct {
    const char *word;
    int32_t comparison;
} comparisons[] = {
    {"!=", WFSM_NOT_EQUAL}, {"<=", WFSM_LESS_OR_EQUAL}, {">=", WFSM_GREATER_OR_EQUAL},
    {"=", WFSM_EQUAL},      {"<", WFSM_LESS},           {">", WFSM_GREATER}};

static bool take_condition(selection *self, const char *text)
{
    wfsm_condition *condition = &self->conditions[self->where_count];
    size_t length = strcspn(text, "=<>!"), i = 0;
    enum { COUNT = sizeof comparisons / sizeof *comparisons };

    while (i < COUNT &&
           strncmp(text + length, comparisons[i].word, strlen(comparisons[i].word)) != 0)
        i++;
    if (length == 0 || i == COUNT) {
        cli_misused("--where: expected NAME=VALUE, or !=, <, <=, > or >= in place of =, not %s",
                    text);
        return false;
    }
    *condition = (wfsm_condition){.size = sizeof *condition,
                                  .name = cli_need(strndup(text, length)),
                                  .comparison = comparisons[i].comparison,
                                  .value = text + length + strlen(comparisons[i].word)};
    self->where[self->where_count++] = condition;
    return true;
}

static bool take_where(selection *self, const char *text)
{
    if (self->where_count < WFSM_ATTRIBUTES)
        return take_condition(self, text);
    cli_misused("--where: at most %d times", WFSM_ATTRIBUTES);
    return false;
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
    case WHERE:
        return take_where(self, value);
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
                        .prefix = self->project.data,
                        .where = self->where,
                        .where_count = self->where_count};
}

void selection_free(selection *self)
{
    for (size_t i = 0; i < self->where_count; i++)
        free((char *)self->conditions[i].name);
    cli_text_free(&self->project);
}
