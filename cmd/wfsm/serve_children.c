/* The parent of an instance, and its children. The id of a child, of whatever generation, is that of
 * the root, a slash and a digest. So the parent is not read from the id, but from the instances. */
#include "wfsm/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/print.h"

enum { MOST_CHILDREN = 1000 };

typedef struct family {
    serve_answer *answer;
    wfsm_store *store;
    const char *id;
    stored_head heads[MOST_CHILDREN];
    size_t count;
    cli_text rows;
} family;

/* The instance of an invocation, INSTANCE/REVISION/ORDINAL-…; new. */
static char *instance_of(const char *invocation)
{
    char *id = cli_need(strdup(invocation));
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(id, '/');
        if (slash)
            *slash = '\0';
    }
    return id;
}

static int32_t keep(void *user, const wfsm_row *row)
{
    family *self = user;
    if (self->count == MOST_CHILDREN)
        return WFSM_CORRUPT;
    stored_head_copy(&self->heads[self->count++], row->head);
    return WFSM_OK;
}

/* All below the root; `prefix` is new. */
static char *prefix_of(const char *id, const char *parent)
{
    const char *slash = *parent ? strrchr(id, '/') : NULL;
    size_t length = slash ? (size_t)(slash - id) : strlen(id);
    char *prefix = cli_need(malloc(length + 2));
    snprintf(prefix, length + 2, "%.*s/", (int)length, id);
    return prefix;
}

static void add_child(family *self, const stored_head *head, wfsm_instance *instance)
{
    size_t length = 0;
    const char *states = wfsm_instance_configuration(instance, &length);
    char *joined = print_joined(states, length, " ");
    serve_sum_head(self->answer, head->id, head->token, head->owner);
    html_raw(&self->rows, "<li>");
    serve_link(&self->rows, "/instance", "id", head->id);
    html_raw(&self->rows, " %s, ",
             wfsm_instance_stopped(instance) ? "stopped" : stored_status(head));
    html_text(&self->rows, head->machine);
    html_raw(&self->rows, " at ");
    html_text(&self->rows, joined ? joined : "?");
    html_raw(&self->rows, "</li>\n");
    free(joined);
}

static void look_at(family *self, const stored_head *head, stored_machines *machines)
{
    stored_instance loaded = {0};
    if (!stored_load_known(&loaded, self->store, head, machines))
        return;
    char *parent = instance_of(wfsm_instance_parent(loaded.instance));
    if (strcmp(parent, self->id) == 0)
        add_child(self, head, loaded.instance);
    free(parent);
    stored_unload(&loaded);
}

static void add_parent(cli_text *out, const char *parent)
{
    if (!*parent)
        return;
    char *id = instance_of(parent);
    html_raw(out, "<h2>Parent</h2>\n<p>");
    serve_link(out, "/instance", "id", id);
    html_raw(out, "</p>\n");
    free(id);
}

static void add_children(family *self)
{
    if (self->rows.length == 0)
        return;
    html_raw(&self->answer->body, "<h2>Children</h2>\n<ul>\n");
    cli_text_add(&self->answer->body, self->rows.data, self->rows.length);
    html_raw(&self->answer->body, "</ul>\n%s",
             self->count == MOST_CHILDREN ? "<p class=\"dim\">Only the first are shown.</p>\n"
                                          : "");
}

void serve_family(serve_answer *answer, wfsm_store *store, const char *id, const char *parent)
{
    family *self = cli_need(calloc(1, sizeof *self));
    stored_machines machines = {0};
    char *prefix = prefix_of(id, parent);
    *self = (family){.answer = answer, .store = store, .id = id};
    const wfsm_query query = {.size = sizeof query, .prefix = prefix, .limit = MOST_CHILDREN};
    if (strlen(prefix) <= 255)
        wfsm_store_list(store, &query, keep, self, NULL);
    for (size_t i = 0; i < self->count; i++) {
        look_at(self, &self->heads[i], &machines);
        stored_head_free(&self->heads[i]);
    }
    add_parent(&answer->body, parent);
    add_children(self);
    cli_text_free(&self->rows);
    stored_machines_free(&machines);
    free(prefix);
    free(self);
}
