/* base/digest.c: BLAKE2b (RFC 7693), 32 bytes, without a key. */
#include "base/digest.h"
#include "base/invariant.h"

#include <wfsm/base.h>

#include <string.h>

static const uint64_t iv[8] = {0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu,
                               0xA54FF53A5F1D36F1u, 0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu,
                               0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u};

static const uint8_t sigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                      {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                      {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                      {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                      {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                      {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                      {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                      {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                      {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                      {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

/* In this form compilers see one load, and one store. */
static uint64_t load64(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

static void store64(uint8_t *p, uint64_t word)
{
    p[0] = (uint8_t)word;
    p[1] = (uint8_t)(word >> 8);
    p[2] = (uint8_t)(word >> 16);
    p[3] = (uint8_t)(word >> 24);
    p[4] = (uint8_t)(word >> 32);
    p[5] = (uint8_t)(word >> 40);
    p[6] = (uint8_t)(word >> 48);
    p[7] = (uint8_t)(word >> 56);
}

static uint64_t rotate(uint64_t word, unsigned bits)
{
    return word >> bits | word << (64 - bits);
}

static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x,
                       uint64_t y)
{
    *a += *b + x;
    *d = rotate(*d ^ *a, 32);
    *c += *d;
    *b = rotate(*b ^ *c, 24);
    *a += *b + y;
    *d = rotate(*d ^ *a, 16);
    *c += *d;
    *b = rotate(*b ^ *c, 63);
}

/* Written out, as the rounds are below: in its place, not called, every index is known. */
#if defined(__GNUC__)
__attribute__((always_inline))
#endif
static inline void
mix_all(uint64_t v[16], const uint64_t m[16], const uint8_t s[16])
{
    mix(&v[0], &v[4], &v[8], &v[12], m[s[0]], m[s[1]]);
    mix(&v[1], &v[5], &v[9], &v[13], m[s[2]], m[s[3]]);
    mix(&v[2], &v[6], &v[10], &v[14], m[s[4]], m[s[5]]);
    mix(&v[3], &v[7], &v[11], &v[15], m[s[6]], m[s[7]]);
    mix(&v[0], &v[5], &v[10], &v[15], m[s[8]], m[s[9]]);
    mix(&v[1], &v[6], &v[11], &v[12], m[s[10]], m[s[11]]);
    mix(&v[2], &v[7], &v[8], &v[13], m[s[12]], m[s[13]]);
    mix(&v[3], &v[4], &v[9], &v[14], m[s[14]], m[s[15]]);
}

static void compress(wf_digest *digest, const uint8_t *block, uint64_t last)
{
    uint64_t v[16], m[16];

    for (int i = 0; i < 16; i++)
        m[i] = load64(block + 8 * i);
    memcpy(v, digest->state, sizeof digest->state);
    memcpy(v + 8, iv, sizeof iv);
    v[12] ^= digest->count;
    v[14] ^= last;
    mix_all(v, m, sigma[0]);
    mix_all(v, m, sigma[1]);
    mix_all(v, m, sigma[2]);
    mix_all(v, m, sigma[3]);
    mix_all(v, m, sigma[4]);
    mix_all(v, m, sigma[5]);
    mix_all(v, m, sigma[6]);
    mix_all(v, m, sigma[7]);
    mix_all(v, m, sigma[8]);
    mix_all(v, m, sigma[9]);
    mix_all(v, m, sigma[0]);
    mix_all(v, m, sigma[1]);
    for (int i = 0; i < 8; i++)
        digest->state[i] ^= v[i] ^ v[i + 8];
}

void wf_digest_init(wf_digest *digest)
{
    memset(digest, 0, sizeof *digest);
    memcpy(digest->state, iv, sizeof iv);
    digest->state[0] ^= 0x01010000u ^ WF_DIGEST_BYTES;
}

void wf_digest_add(wf_digest *digest, const void *bytes, size_t length)
{
    const uint8_t *p = bytes;

    while (length) {
        size_t room = sizeof digest->block - digest->filled;
        size_t part = length < room ? length : room;

        /* A full block waits: the last one is compressed differently. */
        if (!room || (!digest->filled && length > sizeof digest->block)) {
            digest->count += sizeof digest->block;
            compress(digest, room ? p : digest->block, 0);
            p += room;
            length -= room;
            digest->filled = 0;
            continue;
        }
        memcpy(digest->block + digest->filled, p, part);
        digest->filled += part;
        WF_INVARIANT(digest->filled <= sizeof digest->block);
        p += part;
        length -= part;
    }
}

void wf_digest_end(wf_digest *digest, uint8_t out[WF_DIGEST_BYTES])
{
    digest->count += digest->filled;
    memset(digest->block + digest->filled, 0, sizeof digest->block - digest->filled);
    compress(digest, digest->block, UINT64_MAX);
    for (size_t i = 0; i < WF_DIGEST_BYTES / 8; i++)
        store64(out + 8 * i, digest->state[i]);
}

/* Of four bytes at once: half of each gets a byte of its own, and from 10 on a letter, which
 * stands 39 behind where a digit would. */
static uint64_t eight_digits(const uint8_t in[4])
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t x =
        (uint64_t)in[0] | (uint64_t)in[1] << 16 | (uint64_t)in[2] << 32 | (uint64_t)in[3] << 48;

    x = (x >> 4 | x << 8) & each * 15;
    return x + each * '0' + ((x + each * 6) >> 4 & each) * 39;
}

void wf_digest_hex(const uint8_t in[WF_DIGEST_BYTES], char out[WF_DIGEST_HEX])
{
    for (size_t i = 0; i < WF_DIGEST_BYTES; i += 4)
        store64((uint8_t *)out + 2 * i, eight_digits(in + i));
    out[WF_DIGEST_HEX - 1] = '\0';
}

void wf_digest_of(const void *bytes, size_t length, char out[WF_DIGEST_HEX])
{
    wf_digest digest;
    uint8_t raw[WF_DIGEST_BYTES];

    wf_digest_init(&digest);
    wf_digest_add(&digest, bytes, length);
    wf_digest_end(&digest, raw);
    wf_digest_hex(raw, out);
}

int32_t wfsm_digest(const char *bytes, size_t length, char *digest)
{
    if ((!bytes && length > 0) || !digest)
        return WFSM_INVALID;
    wf_digest_of(bytes ? bytes : "", length, digest);
    return WFSM_OK;
}
