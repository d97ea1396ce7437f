/* What is active in instances, so that a page need not load those that have not changed. An entry is found
 * by document and token: the token names the commit. */
#include "wfsm/serve.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024, MOST_ENTRIES = 1 << 20 };

typedef struct entry {
    uint64_t key; /* 0: none */
    const serve_state *state;
} entry;

struct serve_states {
    entry *entries;
    size_t count, room; /* a power of two */
    json_t *known; /* what can be active, by its text: the index in `list` */
    serve_state **list;
    size_t list_count;
};

static uint64_t key_of(const stored_head *head)
{
    uint64_t key = serve_sum(SERVE_SUM, head->fingerprint, strlen(head->fingerprint));
    key = serve_sum(key, head->token, strlen(head->token));
    return key > 0 ? key : 1;
}

static entry *place_of(const serve_states *self, uint64_t key)
{
    size_t i = key & (self->room - 1);
    while (self->entries[i].key != 0 && self->entries[i].key != key)
        i = (i + 1) & (self->room - 1);
    return &self->entries[i];
}

static void grow(serve_states *self)
{
    serve_states before = *self;
    self->room = self->room > 0 ? 2 * self->room : FIRST_ROOM;
    self->entries = cli_need(calloc(self->room, sizeof *self->entries));
    for (size_t i = 0; i < before.room; i++)
        if (before.entries[i].key != 0)
            *place_of(self, before.entries[i].key) = before.entries[i];
    free(before.entries);
}

static void forget(serve_states *self)
{
    for (size_t i = 0; i < self->list_count; i++) {
        json_decref(self->list[i]->paths);
        free(self->list[i]);
    }
    free(self->list);
    json_decref(self->known);
    free(self->entries);
    *self = (serve_states){0};
}

/* ---- what is active ---- */

static bool asks_people(wfsm_instance *instance)
{
    size_t length = 0, index;
    const char *text = wfsm_instance_invocations(instance, &length);
    json_t *all = text ? json_loadb(text, length, 0, NULL) : NULL, *one;
    bool asks = false;
    json_array_foreach(all, index, one) asks = asks || json_object_get(one, "digest");
    json_decref(all);
    return asks;
}

static serve_state *add_state(serve_states *self, const char *text, json_t *paths,
                              const bool facts[2])
{
    serve_state *made = cli_need(calloc(1, sizeof *made));
    *made = (serve_state){.paths = paths, .stopped = facts[0], .asks = facts[1]};
    self->list = cli_need(realloc(self->list, (self->list_count + 1) * sizeof(void *)));
    json_object_set_new(self->known, text, json_integer((json_int_t)self->list_count));
    self->list[self->list_count++] = made;
    return made;
}

/* Many instances are in the same states. */
static const serve_state *state_of(serve_states *self, wfsm_instance *instance)
{
    const bool facts[2] = {wfsm_instance_stopped(instance), asks_people(instance)};
    size_t length = 0;
    const char *active = wfsm_instance_configuration(instance, &length);
    cli_text text = {0};
    html_raw(&text, "%d%d", facts[0], facts[1]);
    cli_text_add(&text, active, length);
    if (!self->known)
        self->known = cli_need(json_object());
    const json_t *index = json_object_get(self->known, text.data);
    const serve_state *found =
        index
            ? self->list[json_integer_value(index)]
            : add_state(self, text.data, cli_need(json_loadb(active, length, 0, NULL)), facts);
    cli_text_free(&text);
    return found;
}

/* ---- the entries ---- */

serve_states *serve_states_new(void)
{
    return cli_need(calloc(1, sizeof(serve_states)));
}

void serve_states_free(serve_states *self)
{
    forget(self);
    free(self);
}

const serve_state *serve_state_known(const serve_states *self, const stored_head *head)
{
    return self->room > 0 ? place_of(self, key_of(head))->state : NULL;
}

const serve_state *serve_state_load(serve_states *self, wfsm_store *store,
                                    const stored_head *head, stored_machines *machines)
{
    stored_instance loaded = {0};
    const serve_state *state = NULL;
    if (self->count == MOST_ENTRIES)
        forget(self);
    if (4 * self->count >= 3 * self->room)
        grow(self);
    if (stored_load_known(&loaded, store, head, machines)) {
        entry *place = place_of(self, key_of(head));
        self->count += place->key == 0;
        state = state_of(self, loaded.instance);
        *place = (entry){key_of(head), state};
    }
    stored_unload(&loaded);
    return state;
}
