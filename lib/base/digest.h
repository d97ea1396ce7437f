/* base/digest.h: BLAKE2b with 32 bytes of output (RFC 7693), for fingerprints and chains. */
#ifndef WF_BASE_DIGEST_H
#define WF_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { WF_DIGEST_BYTES = 32, WF_DIGEST_HEX = 65 };

typedef struct wf_digest {
    uint64_t state[8];
    uint64_t count;
    uint8_t block[128];
    size_t filled;
} wf_digest;

void wf_digest_init(wf_digest *digest);
void wf_digest_add(wf_digest *digest, const void *bytes, size_t length);
void wf_digest_end(wf_digest *digest, uint8_t out[WF_DIGEST_BYTES]);
/* The digest of bytes that are all there, as hexadecimal digits. */
void wf_digest_of(const void *bytes, size_t length, char out[WF_DIGEST_HEX]);
/* Lower-case hexadecimal, NUL-terminated. */
void wf_digest_hex(const uint8_t in[WF_DIGEST_BYTES], char out[WF_DIGEST_HEX]);
#endif
