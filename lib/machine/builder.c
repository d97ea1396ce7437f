/* machine/builder.c */
#include "machine/builder.h"

#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "logic/json.h"

static wf_piece *new_piece(const wfsm_builder *builder, const char *key, const char *json,
                           size_t length)
{
    size_t key_length = strlen(key);
    wf_piece *made = wf_new(&builder->allocator, sizeof *made + key_length + length + 1);

    if (!made)
        return NULL;
    made->key_length = key_length;
    made->length = length;
    memcpy(made->text, key, key_length);
    memcpy(made->text + key_length, json, length);
    return made;
}

static void append(wf_pieces *list, wf_piece *made)
{
    if (list->last)
        list->last->next = made;
    else
        list->first = made;
    list->last = made;
}

static void free_pieces(const wfsm_builder *builder, wf_pieces *list)
{
    for (wf_piece *at = list->first, *next; at; at = next) {
        next = at->next;
        wf_free(&builder->allocator, at);
    }
}

static void free_state(const wfsm_builder *builder, wf_built *state)
{
    free_pieces(builder, &state->settings);
    for (wf_group *at = state->groups, *next; at; at = next) {
        next = at->next;
        free_pieces(builder, &at->transitions);
        wf_free(&builder->allocator, at);
    }
}

void wfsm_builder_free(wfsm_builder *builder)
{
    wfsm_allocator own;

    if (!builder)
        return;
    own = builder->allocator;
    for (uint32_t i = 0; i < builder->paths.count; i++)
        free_state(builder, &builder->states[i]);
    wf_free(&own, builder->states);
    wf_names_fini(&builder->paths);
    wf_free(&own, builder);
}

/* The name goes last: it is what makes the state exist. */
static wf_built *add_state(wfsm_builder *builder, const char *path)
{
    uint32_t number = builder->paths.count;
    wf_built *states = wf_grow(&builder->allocator, builder->states, &builder->capacity,
                               (size_t)number + 1, sizeof *states);

    if (!states)
        return NULL;
    builder->states = states;
    states[number] = (wf_built){.first = WF_NONE, .last = WF_NONE, .next = WF_NONE};
    if (wf_names_add(&builder->paths, path, strlen(path)) == WF_NONE)
        return NULL;
    return &states[number];
}

static bool set_text(wfsm_builder *builder, uint32_t state, const char *key, const char *text)
{
    wf_buffer buffer;
    wf_piece *made = NULL;

    wf_buffer_init(&buffer, &builder->allocator);
    wf_json_write_text(&buffer, text, strlen(text));
    if (!buffer.failed)
        made = new_piece(builder, key, buffer.data, buffer.length);
    wf_buffer_fini(&buffer);
    if (made)
        append(&builder->states[state].settings, made);
    return made != NULL;
}

int32_t wfsm_builder_new(wfsm_builder **builder, const char *machine_id,
                         const wfsm_allocator *allocator, wfsm_error *error)
{
    wfsm_allocator own;
    wfsm_builder *made;

    if (!builder || !wf_allocator_init(&own, allocator) || !wf_id_valid(machine_id))
        return wf_fail(error, WFSM_INVALID,
                       "a builder needs the machine's id, 1 to 255 "
                       "bytes of UTF-8");
    made = wf_new(&own, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    made->allocator = own;
    wf_names_init(&made->paths, &made->allocator);
    if (!add_state(made, "") || !set_text(made, 0, "id", machine_id)) {
        wfsm_builder_free(made);
        return wf_no_memory(error);
    }
    *builder = made;
    return WFSM_OK;
}

static void link_child(wfsm_builder *builder, uint32_t parent, uint32_t child)
{
    wf_built *above = &builder->states[parent];

    WF_INVARIANT((above->first == WF_NONE) == (above->last == WF_NONE) && parent < child);
    if (above->last == WF_NONE)
        above->first = child;
    else
        builder->states[above->last].next = child;
    above->last = child;
}

static const char *last_key(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot ? dot + 1 : path;
}

static uint32_t find_parent(const wfsm_builder *builder, const char *path)
{
    const char *key = last_key(path);
    size_t length = key > path ? (size_t)(key - path) - 1 : 0;

    if (key > path && !length)
        return WF_NONE;
    return wf_names_find(&builder->paths, path, length);
}

/* A name cannot be taken back, so that the type is made before. */
static int32_t add_typed(wfsm_builder *builder, uint32_t parent, const char *path,
                         const char *type, wfsm_error *error)
{
    uint32_t number = builder->paths.count;
    char json[16];
    wf_piece *made = NULL;
    wf_built *state;

    if (type) {
        size_t length = strlen(type);

        json[0] = '"';
        memcpy(json + 1, type, length);
        json[length + 1] = '"';
        made = new_piece(builder, "type", json, length + 2);
        if (!made)
            return wf_no_memory(error);
    }
    state = add_state(builder, path);
    if (!state) {
        wf_free(&builder->allocator, made);
        return wf_no_memory(error);
    }
    state->key = last_key(builder->paths.list[number].text);
    state->key_length = strlen(state->key);
    if (made)
        append(&state->settings, made);
    link_child(builder, parent, number);
    return WFSM_OK;
}

static bool known_type(const char *type)
{
    return !type || !strcmp(type, "parallel") || !strcmp(type, "final") ||
           !strcmp(type, "history");
}

int32_t wfsm_builder_state(wfsm_builder *builder, const char *path, const char *type,
                           wfsm_error *error)
{
    uint32_t parent;

    if (!builder || !path || !*last_key(path) || !wf_utf8_valid(path, strlen(path)))
        return wf_fail(error, WFSM_INVALID, "a state needs a path that ends in its key");
    if (!known_type(type))
        return wf_fail(error, WFSM_INVALID,
                       "a state's type is NULL, \"parallel\", "
                       "\"final\" or \"history\"");
    if (wf_names_find(&builder->paths, path, strlen(path)) != WF_NONE)
        return wf_fail(error, WFSM_EXISTS, "there is a state \"%.80s\" already", path);
    parent = find_parent(builder, path);
    if (parent == WF_NONE)
        return wf_fail(error, WFSM_NOT_FOUND, "there is no parent of \"%.80s\" yet", path);
    return add_typed(builder, parent, path, type, error);
}

/* The state of a path, after a look at the other arguments. */
static int32_t take(const wfsm_builder *builder, const char *path, const char *key,
                    const char *json, size_t length, uint32_t *state, wfsm_error *error)
{
    wf_value value;
    wf_arena arena;
    int32_t status;

    if (!builder || !path || !key || !json || !wf_utf8_valid(key, strlen(key)))
        return wf_fail(error, WFSM_INVALID, "expected a path, a key and JSON text");
    *state = wf_names_find(&builder->paths, path, strlen(path));
    if (*state == WF_NONE)
        return wf_fail(error, WFSM_NOT_FOUND, "there is no state \"%.80s\"", path);
    wf_arena_init(&arena, &builder->allocator, 0);
    status = wf_json_parse(&arena, json, length, &value, error);
    wf_arena_fini(&arena);
    return status;
}

static bool named(const wf_piece *at, const char *key)
{
    return at->key_length == strlen(key) && !memcmp(at->text, key, at->key_length);
}

static bool has_setting(const wf_built *state, const char *key)
{
    for (const wf_piece *at = state->settings.first; at; at = at->next)
        if (named(at, key))
            return true;
    return false;
}

/* In place of one of the same key, or at the end. */
static void put(const wfsm_builder *builder, wf_pieces *list, wf_piece *made)
{
    wf_piece *before = NULL, *at = list->first;

    while (at && (at->key_length != made->key_length ||
                  memcmp(at->text, made->text, made->key_length) != 0)) {
        before = at;
        at = at->next;
    }
    if (!at) {
        append(list, made);
        return;
    }
    made->next = at->next;
    *(before ? &before->next : &list->first) = made;
    if (list->last == at)
        list->last = made;
    wf_free(&builder->allocator, at);
}

int32_t wfsm_builder_set(wfsm_builder *builder, const char *path, const char *key,
                         const char *json, size_t length, wfsm_error *error)
{
    uint32_t state;
    int32_t status = take(builder, path, key, json, length, &state, error);
    wf_piece *made;

    if (status)
        return status;
    if (!strcmp(key, "states"))
        return wf_fail(error, WFSM_INVALID, "states are added with wfsm_builder_state()");
    if (!strcmp(key, "on") && builder->states[state].groups)
        return wf_fail(error, WFSM_EXISTS, "the state has transitions already");
    made = new_piece(builder, key, json, length);
    if (!made)
        return wf_no_memory(error);
    put(builder, &builder->states[state].settings, made);
    return WFSM_OK;
}

static wf_group *find_group(const wf_built *state, const char *event, uint32_t hash)
{
    for (wf_group *at = state->groups; at; at = at->next)
        if (at->hash == hash && named(at->transitions.first, event))
            return at;
    return NULL;
}

static wf_group *new_group(const wfsm_builder *builder, wf_built *state, uint32_t hash)
{
    wf_group *made = wf_new(&builder->allocator, sizeof *made);

    if (!made)
        return NULL;
    made->hash = hash;
    if (state->last_group)
        state->last_group->next = made;
    else
        state->groups = made;
    state->last_group = made;
    return made;
}

int32_t wfsm_builder_on(wfsm_builder *builder, const char *path, const char *event,
                        const char *json, size_t length, wfsm_error *error)
{
    uint32_t number;
    int32_t status = take(builder, path, event, json, length, &number, error);
    uint32_t hash;
    wf_built *state;
    wf_piece *made;
    wf_group *at;

    if (status)
        return status;
    state = &builder->states[number];
    if (has_setting(state, "on"))
        return wf_fail(error, WFSM_EXISTS, "the state's \"on\" is set already");
    hash = wf_hash(event, strlen(event));
    at = find_group(state, event, hash);
    made = new_piece(builder, event, json, length);
    if (made && !at)
        at = new_group(builder, state, hash);
    if (!made || !at) {
        wf_free(&builder->allocator, made);
        return wf_no_memory(error);
    }
    append(&at->transitions, made);
    return WFSM_OK;
}

int32_t wfsm_builder_machine(wfsm_builder *builder, wfsm_machine **machine, wfsm_error *error)
{
    wf_buffer text;
    int32_t status;

    if (!builder || !machine)
        return wf_fail(error, WFSM_INVALID, "expected a builder and a pointer");
    wf_buffer_init(&text, &builder->allocator);
    wf_builder_write(&text, builder);
    if (text.failed)
        status = wf_no_memory(error);
    else
        status = wfsm_machine_load(machine, text.data, text.length, NULL, &builder->allocator,
                                   error);
    /* The caller never saw that text. */
    if (status)
        wf_error_set_position(error, 0, 0);
    wf_buffer_fini(&text);
    return status;
}
