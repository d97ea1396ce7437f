/* Stored records, applied to the snapshot that their revision fits. They are refused, or the
 * result is a legal state from which the instance can continue. */
#include "stepping.h"

#include <string.h>
#include "base/memory.h"
#include "store/decode.h"
#include "store/decode_parts.h"

static const wf_value *member(const fuzz_json *json, const char *key)
{
    return json->value.type == WF_OBJECT ? wf_value_get_z(&json->value, key) : NULL;
}

/* The chain of digests would refuse nearly everything: what the record expects is granted. */
static void grant_digest(const fuzz_json *json, char digest[WF_DIGEST_HEX])
{
    const wf_value *previous = member(json, "prev");
    if (previous && previous->type == WF_STRING && previous->length == WF_DIGEST_HEX - 1)
        memcpy(digest, previous->as.text, WF_DIGEST_HEX);
}

static size_t base_of(const fuzz_json *json, const fuzz_run *run)
{
    int64_t revision;
    if (!wf_is_number(member(json, "revision"), &revision) || revision < 2 ||
        (size_t)revision > run->count)
        return 0;
    return (size_t)revision - 2;
}

static void apply(const fuzz_json *json, const char *data, size_t size)
{
    const fuzz_run *run = fuzz_the_run();
    const char *base = run->snapshots[base_of(json, run)];
    wf_snapshot snapshot;
    char digest[WF_DIGEST_HEX];
    const wf_stored stored = {FUZZ_ID, NULL, data, size, NULL};
    fuzz_expect(fuzz_read(&snapshot, run->machine, &json->allocator, base, strlen(base), NULL),
                "the known run can be read");
    memcpy(digest, fuzz_digest, sizeof digest);
    grant_digest(json, digest);
    if (wf_record_apply(&snapshot, &stored, digest, NULL) == WFSM_OK) {
        fuzz_check_snapshot(&snapshot);
        fuzz_continue(&snapshot);
    }
    wf_snapshot_fini(&snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_json json;
    if (!fuzz_parse(&json, data, size))
        return 0;
    apply(&json, (const char *)data, size);
    fuzz_drop(&json);
    return 0;
}
