/* store/record_parts.c: parts that records and snapshots share. */
#include "store/record_parts.h"

#include <inttypes.h>
#include <string.h>
#include "base/invariant.h"
#include "base/plain.h"
#include "logic/json.h"

void wf_digest_text(const char *text, size_t length, char out[WF_DIGEST_HEX])
{
    uint8_t bytes[WF_DIGEST_BYTES];
    wf_digest digest;
    wf_digest_init(&digest);
    wf_digest_add(&digest, text, length);
    wf_digest_end(&digest, bytes);
    wf_digest_hex(bytes, out);
}

void wf_checksum_text(const char *text, size_t length, char out[WF_CHECKSUM_BYTES + 1])
{
    static const char before[] = ",\"checksum\":\"", behind[] = "\"}";
    size_t at = sizeof before - 1;
    WF_INVARIANT(at + WF_DIGEST_HEX - 1 + sizeof behind == WF_CHECKSUM_BYTES + 1);
    memcpy(out, before, at);
    wf_digest_text(text, length, out + at);
    memcpy(out + at + WF_DIGEST_HEX - 1, behind, sizeof behind);
}

/* Both begin with a comma unless the key is the first of its object. */
static bool is_first(const wf_buffer *out)
{
    return out->length == 0 || out->data[out->length - 1] == '{';
}

void wf_write_key(wf_buffer *out, const char *key)
{
    size_t length = strlen(key);
    char *at = wf_buffer_room(out, length + 4);
    if (!at)
        return;
    WF_INVARIANT(wf_skip_plain(key, 0, length) == length);
    if (!is_first(out))
        *at++ = ',';
    *at++ = '"';
    memcpy(at, key, length);
    memcpy(at + length, "\":", 3);
    out->length = (size_t)(at + length + 2 - out->data);
}

void wf_write_name(wf_buffer *out, const char *name)
{
    if (!is_first(out))
        wf_buffer_byte(out, ',');
    wf_write_text(out, name);
    wf_buffer_byte(out, ':');
}

void wf_write_comma(wf_buffer *out)
{
    if (out->length > 0 && out->data[out->length - 1] != '[')
        wf_buffer_byte(out, ',');
}

void wf_write_text(wf_buffer *out, const char *text)
{
    wf_json_write_text(out, text, strlen(text));
}

void wf_write_string(wf_buffer *out, const char *key, const char *text)
{
    wf_write_key(out, key);
    wf_write_text(out, text);
}

static void write_int(wf_buffer *out, const char *key, int64_t number)
{
    wf_write_key(out, key);
    wf_json_write_int(out, number);
}

static void write_limits(wf_buffer *out, const wf_snapshot *snapshot)
{
    wf_limits limits = wf_snapshot_limits(snapshot);
    wf_write_key(out, "limits");
    wf_buffer_byte(out, '{');
    for (uint32_t i = 0; i < WF_LIMITS; i++)
        write_int(out, wf_limit_at(i)->name, *wf_limit_in(&limits, wf_limit_at(i)));
    wf_buffer_byte(out, '}');
}

void wf_write_head(wf_buffer *out, const wf_snapshot *snapshot, uint64_t revision,
                   bool document, bool limits)
{
    wf_buffer_byte(out, '{');
    write_int(out, "format", WF_FORMAT);
    if (document) {
        wf_write_string(out, "machine", snapshot->machine->id.text);
        wf_write_string(out, "fingerprint", snapshot->machine->fingerprint);
    }
    write_int(out, "revision", (int64_t)revision);
    write_int(out, "now", snapshot->now);
    if (document || limits)
        write_limits(out, snapshot);
}

void wf_write_state_path(wf_buffer *out, const wf_state *state)
{
    wf_json_write_text(out, state->path.text, state->path.length);
}

static void write_states(wf_buffer *out, const wfsm_machine *machine, const uint64_t *set,
                         bool leaves)
{
    const char *comma = "";
    wf_buffer_byte(out, '[');
    for (uint32_t s = wf_set_next(set, machine->words, 0); s != WF_NONE;
         s = wf_set_next(set, machine->words, s + 1)) {
        const wf_state *state = &machine->states[s];
        if (leaves && state->type != WF_ATOMIC && state->type != WF_FINAL)
            continue;
        wf_buffer_text(out, comma);
        wf_write_state_path(out, state);
        comma = ",";
    }
    wf_buffer_byte(out, ']');
}

void wf_write_configuration(wf_buffer *out, const wfsm_machine *machine, const uint64_t *active)
{
    write_states(out, machine, active, true);
}

void wf_write_histories(wf_buffer *out, const wfsm_machine *machine, const uint64_t *histories,
                        const uint64_t *before)
{
    size_t words = machine->words;
    size_t bytes = words * sizeof *histories;
    bool any = false;
    if (machine->history_count == 0 ||
        (before && memcmp(histories, before, machine->history_count * bytes) == 0))
        return;
    for (uint32_t s = 0; s < machine->state_count; s++) {
        const wf_state *state = &machine->states[s];
        if (state->type != WF_SHALLOW && state->type != WF_DEEP)
            continue;
        const uint64_t *set = histories + state->history * words;
        bool same = before ? memcmp(set, before + state->history * words, bytes) == 0
                           : wf_set_next(set, machine->words, 0) == WF_NONE;
        if (same)
            continue;
        if (!any)
            wf_buffer_text(out, ",\"histories\":{");
        any = true;
        wf_write_name(out, state->path.text);
        write_states(out, machine, set, false);
    }
    if (any)
        wf_buffer_byte(out, '}');
}
