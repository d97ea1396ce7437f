/* The list of diagnostics. */
#include "wfsm/gate.h"

#include <stdlib.h>
#include <string.h>

static gate_diagnostic *known(const gate *self, const gate_diagnostic *found,
                              const char *message)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->diagnostics[i].rule, found->rule) == 0 &&
            strcmp(self->diagnostics[i].message, message) == 0)
            return &self->diagnostics[i];
    return NULL;
}

static gate_diagnostic *add_new(gate *self, const gate_diagnostic *found, const char *message)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity > 0 ? 2 * self->capacity : 16;
        self->diagnostics =
            cli_need(realloc(self->diagnostics, self->capacity * sizeof *self->diagnostics));
    }
    self->diagnostics[self->count] = *found;
    if (found->line == 0)
        self->diagnostics[self->count].line = self->diagnostics[self->count].column = 1;
    self->diagnostics[self->count].message = cli_need(strdup(message));
    return &self->diagnostics[self->count++];
}

void gate_add(gate *self, const gate_diagnostic *found, const char *message,
              const char *example)
{
    gate_diagnostic *one = known(self, found, message);
    if (!one && self->count == GATE_MOST) {
        self->more++;
        return;
    }
    if (!one)
        one = add_new(self, found, message);
    if (example && one->count < GATE_EXAMPLES)
        one->examples[one->count] = cli_need(strdup(example));
    one->count += example != NULL;
}

bool gate_refuses(const gate *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->diagnostics[i].severity == GATE_ERROR)
            return true;
    return false;
}

void gate_free(gate *self)
{
    for (size_t i = 0; i < self->count; i++) {
        for (size_t j = 0; j < GATE_EXAMPLES; j++)
            free(self->diagnostics[i].examples[j]);
        free(self->diagnostics[i].message);
    }
    for (size_t i = 0; i < self->recent_count; i++)
        free(self->recent[i].id);
    for (size_t i = 0; i < self->document_count; i++)
        free(self->documents[i]);
    free(self->diagnostics);
    free(self->recent);
    free(self->documents);
}
