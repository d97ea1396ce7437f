/*
 * machine/fingerprint.c: the digest of the document without the keys that do not change its
 * meaning. These words are left out only where they are keys of the vocabulary: a context key
 * "meta" stays.
 */
#include <string.h>
#include "logic/json.h"
#include "machine/load.h"

static bool is(const wf_member *member, const char *key)
{
    return strcmp(member->key, key) == 0;
}

static bool is_comment(const wf_member *member)
{
    return is(member, "description") || is(member, "meta");
}

static bool is_root_comment(const wf_member *member)
{
    return is_comment(member) || is(member, "properties") || is(member, "assume") ||
           is(member, "$schema");
}

typedef void (*writer)(wf_buffer *buffer, const wf_value *value);

/* An object without some keys, its other values written by `choose`. */
static void write_object(wf_buffer *buffer, const wf_value *object,
                         bool (*leave_out)(const wf_member *),
                         writer (*choose)(const wf_member *))
{
    bool first = true;

    wf_buffer_byte(buffer, '{');
    for (uint32_t i = 0; i < object->length; i++) {
        const wf_member *member = &object->as.members[i];

        if (leave_out(member))
            continue;
        if (!first)
            wf_buffer_byte(buffer, ',');
        first = false;
        wf_json_write_text(buffer, member->key, member->length);
        wf_buffer_byte(buffer, ':');
        choose(member)(buffer, &member->value);
    }
    wf_buffer_byte(buffer, '}');
}

static bool nothing(const wf_member *member)
{
    (void)member;
    return false;
}

static void write_list(wf_buffer *buffer, const wf_value *list, writer write)
{
    wf_buffer_byte(buffer, '[');
    for (uint32_t i = 0; i < list->length; i++) {
        if (i)
            wf_buffer_byte(buffer, ',');
        write(buffer, &list->as.items[i]);
    }
    wf_buffer_byte(buffer, ']');
}

static writer plain(const wf_member *member)
{
    (void)member;
    return wf_json_write;
}

/* One transition or a list of them; also initial and history defaults. */
static void write_transitions(wf_buffer *buffer, const wf_value *value)
{
    if (value->type == WF_OBJECT)
        write_object(buffer, value, is_comment, plain);
    else if (value->type == WF_ARRAY)
        write_list(buffer, value, write_transitions);
    else
        wf_json_write(buffer, value);
}

static writer all_transitions(const wf_member *member)
{
    (void)member;
    return write_transitions;
}

/* `on` and `after`: transitions by event, or a list of them. */
static void write_events(wf_buffer *buffer, const wf_value *value)
{
    if (value->type == WF_OBJECT)
        write_object(buffer, value, nothing, all_transitions);
    else
        write_transitions(buffer, value);
}

static writer of_invoke(const wf_member *member)
{
    return is(member, "onDone") || is(member, "onError") ? write_transitions : wf_json_write;
}

static void write_invokes(wf_buffer *buffer, const wf_value *value)
{
    if (value->type == WF_ARRAY)
        write_list(buffer, value, write_invokes);
    else if (value->type == WF_OBJECT)
        write_object(buffer, value, nothing, of_invoke);
    else
        wf_json_write(buffer, value);
}

static writer of_state(const wf_member *member);

static void write_state(wf_buffer *buffer, const wf_value *value)
{
    write_object(buffer, value, is_comment, of_state);
}

static writer each_state(const wf_member *member)
{
    (void)member;
    return write_state;
}

static void write_states(wf_buffer *buffer, const wf_value *value)
{
    write_object(buffer, value, nothing, each_state);
}

static writer of_state(const wf_member *member)
{
    static const struct {
        const char *key;
        writer write;
    } writers[] = {
        {"states", write_states},      {"on", write_events},
        {"after", write_events},       {"always", write_transitions},
        {"onDone", write_transitions}, {"initial", write_transitions},
        {"target", write_transitions}, {"invoke", write_invokes},
    };

    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (is(member, writers[i].key))
            return writers[i].write;
    return wf_json_write;
}

bool wf_fingerprint(const wfsm_allocator *allocator, const wf_value *root,
                    char out[WF_DIGEST_HEX])
{
    uint8_t bytes[WF_DIGEST_BYTES];
    wf_digest digest;
    wf_buffer buffer;
    bool good;

    wf_buffer_init(&buffer, allocator);
    write_object(&buffer, root, is_root_comment, of_state);
    good = !buffer.failed;
    if (good) {
        wf_digest_init(&digest);
        wf_digest_add(&digest, buffer.data, buffer.length);
        wf_digest_end(&digest, bytes);
        wf_digest_hex(bytes, out);
    }
    wf_buffer_fini(&buffer);
    return good;
}
