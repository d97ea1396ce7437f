/* A cache of the active states of instances: a page loads only instances that have changed. The key of an
 * entry is the document and the token, which names the commit. */
#include "wfsm/serve.h"

#include <stdlib.h>
#include <string.h>
#include "wfsm/owned.h"

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

static uint64_t key_of(const char *fingerprint, const char *token)
{
    uint64_t key = serve_sum(SERVE_SUM, fingerprint, strlen(fingerprint));
    key = serve_sum(key, token, strlen(token));
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

/* What the snapshot of an instance says, and the records after it. */
typedef struct reading {
    serve_states *to;
    uint64_t key; /* of its commit; 0: none is being read */
    json_t *paths;
    bool stopped, asks, bad;
} reading;

static serve_state *add_state(serve_states *self, const char *text, const reading *read)
{
    serve_state *made = cli_need(calloc(1, sizeof *made));
    *made = (serve_state){json_incref(read->paths), read->stopped, read->asks};
    self->list = cli_need(realloc(self->list, (self->list_count + 1) * sizeof(void *)));
    json_object_set_new(self->known, text, json_integer((json_int_t)self->list_count));
    self->list[self->list_count++] = made;
    return made;
}

/* Many instances are in the same states. */
static const serve_state *state_of(serve_states *self, const reading *read)
{
    char *active = cli_need(json_dumps(read->paths, JSON_COMPACT));
    cli_text text = {0};
    html_raw(&text, "%d%d%s", read->stopped, read->asks, active);
    if (!self->known)
        self->known = cli_need(json_object());
    const json_t *index = json_object_get(self->known, text.data);
    const serve_state *found =
        index ? self->list[json_integer_value(index)] : add_state(self, text.data, read);
    cli_text_free(&text);
    free(active);
    return found;
}

static void add_entry(serve_states *self, uint64_t key, const serve_state *state)
{
    entry *place = place_of(self, key);
    self->count += place->key == 0;
    *place = (entry){key, state};
}

static bool is_list_of_texts(const json_t *list)
{
    size_t index;
    const json_t *one;
    bool is = json_is_array(list);
    json_array_foreach(list, index, one) is = is && json_is_string(one);
    return is;
}

/* Of one that is damaged nothing is known. */
static void end_reading(reading *self)
{
    if (self->key != 0 && !self->bad && is_list_of_texts(self->paths))
        add_entry(self->to, self->key, state_of(self->to, self));
    json_decref(self->paths);
    *self = (reading){.to = self->to};
}

/* Only the instance knows whether they are at work still. */
static bool has_person(const json_t *invocations)
{
    size_t index;
    const json_t *one;
    bool has = false;
    json_array_foreach(invocations, index, one)
    {
        const char *agent = json_string_value(json_object_get(one, "agent"));
        has = has || (agent && strcmp(agent, "person") == 0);
    }
    return has;
}

static void read_text(reading *self, const wfsm_row *row)
{
    json_t *text = json_loadb(row->text, row->length, JSON_ALLOW_NUL, NULL);
    json_t *paths = json_object_get(text, "configuration");
    const char *status = json_string_value(json_object_get(text, "status"));
    if (paths) {
        json_decref(self->paths);
        self->paths = json_incref(paths);
    }
    if (status)
        self->stopped = strcmp(status, "stopped") == 0;
    self->asks = self->asks || has_person(json_object_get(text, "invocations"));
    self->bad = self->bad || !text;
    json_decref(text);
}

static int32_t read_row(void *user, const wfsm_row *row)
{
    reading *self = user;
    if (row->part != WFSM_ROW_HEAD) {
        read_text(self, row);
        return WFSM_OK;
    }
    end_reading(self);
    self->key = key_of(row->head->fingerprint, row->head->token);
    return WFSM_OK;
}

/* ---- many at once ---- */

enum { AT_ONCE = 100 };

static void make_room(serve_states *self)
{
    if (self->count + AT_ONCE > MOST_ENTRIES)
        forget(self);
    while (4 * (self->count + AT_ONCE) >= 3 * self->room)
        grow(self);
}

static void fetch_some(serve_states *self, wfsm_store *store, const stored_head *const *heads,
                       size_t count)
{
    wfsm_request requests[AT_ONCE];
    const wfsm_request *list[AT_ONCE];
    int32_t answers[AT_ONCE];
    reading read = {.to = self};
    for (size_t i = 0; i < count; i++) {
        requests[i] = (wfsm_request){
            .size = sizeof *requests, .instance = heads[i]->id, .kind = WFSM_REQUEST_LOAD};
        list[i] = &requests[i];
    }
    wfsm_exchange asked = {.size = sizeof asked,
                           .now = owned_clock(),
                           .requests = list,
                           .request_count = count,
                           .request_answers = answers,
                           .sink = read_row,
                           .user = &read};
    make_room(self);
    if (wfsm_store_exchange(store, &asked, NULL) != WFSM_OK)
        read.bad = true;
    end_reading(&read);
}

bool serve_states_fetch(serve_states *self, wfsm_store *store, const stored_head *heads,
                        size_t count, int64_t until)
{
    const stored_head *wanted[AT_ONCE];
    size_t wanted_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!serve_state_known(self, &heads[i]))
            wanted[wanted_count++] = &heads[i];
        if (wanted_count == 0 || (wanted_count < AT_ONCE && i + 1 < count))
            continue;
        if (owned_clock() > until)
            return false;
        fetch_some(self, store, wanted, wanted_count);
        wanted_count = 0;
    }
    return true;
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
    return self->room > 0 ? place_of(self, key_of(head->fingerprint, head->token))->state
                          : NULL;
}
