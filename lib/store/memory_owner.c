/* store/memory_owner.c: the memory store's acknowledgements and owners, and the removal of an
 * instance. */
#include "store/memory.h"

#include <string.h>
#include "base/invariant.h"

int32_t wf_memory_acknowledge(void *self, const char *instance, uint64_t effect,
                              wfsm_error *error)
{
    wf_stored_instance *found;
    int32_t status = wf_memory_need(self, instance, &found, error);
    if (status)
        return status;
    if (effect > found->effects)
        return wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no effect %llu", instance,
                       (unsigned long long)effect);
    if (effect > found->acknowledged)
        found->acknowledged = effect;
    WF_INVARIANT(found->acknowledged <= found->effects);
    return WFSM_OK;
}

static wf_owner *find_owner(const wf_memory *memory, const char *name)
{
    for (size_t i = 0; i < memory->owner_count; i++)
        if (!strcmp(memory->owners[i].name, name))
            return &memory->owners[i];
    return NULL;
}

bool wf_memory_is_alive(const wf_memory *memory, const char *session, int64_t now)
{
    const wf_owner *row = find_owner(memory, session);
    return row && row->until > now;
}

static int32_t add_owner(wf_memory *memory, const char *name, int64_t until, wfsm_error *error)
{
    WF_INVARIANT(!find_owner(memory, name));
    wf_owner *owners = wf_grow(&memory->allocator, memory->owners, &memory->owner_capacity,
                               memory->owner_count + 1, sizeof *owners);
    if (!owners)
        return wf_no_memory(error);
    memory->owners = owners;
    char *copy = wf_copy_text(&memory->allocator, name, strlen(name));
    if (!copy)
        return wf_no_memory(error);
    owners[memory->owner_count++] = (wf_owner){.name = copy, .until = until};
    return WFSM_OK;
}

int32_t wf_memory_owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    wf_memory *memory = self;
    wf_owner *row = find_owner(memory, owner);
    if (!row)
        return until ? add_owner(memory, owner, until, error) : WFSM_OK;
    row->until = until;
    if (!until) {
        wf_free(&memory->allocator, row->name);
        *row = memory->owners[--memory->owner_count];
    }
    return WFSM_OK;
}

int32_t wf_memory_claim(void *self, const char *session, int64_t mine, int64_t now,
                        int64_t until, wfsm_error *error)
{
    const wf_owner *row = find_owner(self, session);
    if (row && row->until > now && row->until != mine)
        return wf_fail(error, WFSM_DENIED,
                       "another process has the session '%s'; it is alive until %lld", session,
                       (long long)row->until);
    return wf_memory_owner_alive(self, session, until, error);
}

/* The row of the instance's owner, if that is another one and alive. */
static const wf_owner *other_owner(const wf_memory *memory, const wf_stored_instance *instance,
                                   const char *owner, int64_t now)
{
    const char *present = instance->owner.data;
    if (!*present || !strcmp(present, owner))
        return NULL;
    const wf_owner *row = find_owner(memory, present);
    return row && row->until > now ? row : NULL;
}

void wf_memory_tell_owner(const wf_memory *memory, const wf_stored_instance *instance)
{
    wf_owner *row = find_owner(memory, instance->owner.data);
    if (row)
        row->changes++;
}

int32_t wf_memory_own(void *self, const char *instance, const char *owner, int64_t now,
                      wfsm_error *error)
{
    wf_memory *memory = self;
    wf_stored_instance *found;
    int32_t status = wf_memory_need(memory, instance, &found, error);
    if (status)
        return status;
    const wf_owner *other = other_owner(memory, found, owner, now);
    if (other)
        return wf_fail(error, WFSM_DENIED,
                       "instance '%s' is owned by '%s', which is alive until %lld", instance,
                       other->name, (long long)other->until);
    if (!wf_slot_reserve(&memory->allocator, &found->owner, owner))
        return wf_no_memory(error);
    if (strcmp(found->owner.data, owner) != 0)
        wf_memory_tell_owner(memory, found);
    wf_slot_set(&found->owner, owner);
    return WFSM_OK;
}

int32_t wf_memory_disown(void *self, const char *instance, const char *owner, wfsm_error *error)
{
    wf_stored_instance *found;
    int32_t status = wf_memory_need(self, instance, &found, error);
    if (status)
        return status;
    const char *present = found->owner.data;
    if (*present && strcmp(present, owner) != 0)
        return wf_fail(error, WFSM_DENIED, "instance '%s' is owned by '%s'", instance, present);
    wf_slot_set(&found->owner, "");
    return WFSM_OK;
}

int32_t wf_memory_remove(void *self, const char *instance, wfsm_error *error)
{
    wf_memory *memory = self;
    wf_stored_instance *found = wf_memory_find(memory, instance);
    (void)error;
    if (!found)
        return WFSM_OK;
    wf_memory_tell_owner(memory, found);
    while (found->first_post)
        wf_memory_post_free(memory, found->first_post);
    wf_memory_unlink(memory, found);
    wf_stored_instance_free(&memory->allocator, found);
    return WFSM_OK;
}

static bool concerns(const wf_stored_post *post, const wfsm_changes *asked)
{
    const char *owner = post->instance->owner.data;
    return *owner ? !strcmp(owner, asked->session) : post->number > asked->after;
}

int32_t wf_memory_changes(void *self, wfsm_changes *asked, wfsm_row_sink sink, void *user,
                          wfsm_error *error)
{
    const wf_memory *memory = self;
    const wf_owner *row = find_owner(memory, asked->session);
    int32_t status = WFSM_OK;
    (void)error;
    asked->changes = row ? row->changes : 0;
    for (const wf_stored_post *post = memory->first_post; !status && post; post = post->next)
        if (concerns(post, asked))
            status = wf_memory_pass_post(post, sink, user);
    return status;
}

static bool is_left(const wf_memory *memory, const wf_stored_instance *instance, int64_t now)
{
    const wf_owner *owner = find_owner(memory, instance->owner.data);
    if (*instance->owner.data)
        return !owner || owner->until <= now;
    return instance->status == WFSM_RUNNING || wf_stored_owes_effects(instance);
}

/* All of them are in memory, so they are searched. Returns false when out of memory. */
static bool collect_left(const wf_memory *memory, int64_t now, wf_names *names)
{
    for (size_t i = 0; i < memory->bucket_count; i++)
        for (wf_stored_instance *at = memory->buckets[i]; at; at = at->next)
            if (is_left(memory, at, now) &&
                wf_names_add(names, at->owner.data, strlen(at->owner.data)) == WF_NONE)
                return false;
    return true;
}

int32_t wf_memory_lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                         wfsm_error *error)
{
    const wf_memory *memory = self;
    wf_names names;
    wf_names_init(&names, &memory->allocator);
    int32_t status = collect_left(memory, now, &names) ? WFSM_OK : wf_no_memory(error);
    for (uint32_t i = 0; !status && i < names.count; i++)
        status = sink(user, &(wfsm_row){.size = sizeof(wfsm_row), .id = names.list[i].text});
    wf_names_fini(&names);
    return status;
}
