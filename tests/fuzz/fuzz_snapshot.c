/* Stored snapshots. They are refused, or are a legal state from which an instance can
 * continue. */
#include "stepping.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "store/record.h"

/* The checksum would refuse nearly everything: it is made to fit. */
static void fit_checksum(char *text, size_t size)
{
    static const char member[] = ",\"checksum\":\"";
    char sum[WF_CHECKSUM_BYTES + 1];
    if (size <= WF_CHECKSUM_BYTES ||
        memcmp(text + size - WF_CHECKSUM_BYTES, member, sizeof member - 1) != 0)
        return;
    wf_checksum_text(text, size - WF_CHECKSUM_BYTES, sum);
    memcpy(text + size - WF_CHECKSUM_BYTES, sum, WF_CHECKSUM_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_snapshot snapshot;
    wfsm_allocator allocator;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    fit_checksum(text, size);
    wf_allocator_init(&allocator, NULL);
    if (fuzz_read(&snapshot, fuzz_the_run()->machine, &allocator, text, size, NULL)) {
        fuzz_check_snapshot(&snapshot);
        fuzz_continue(&snapshot);
        wf_snapshot_fini(&snapshot);
    }
    free(text);
    return 0;
}
