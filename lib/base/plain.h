/*
 * base/plain.h: most text is plain: printable ASCII that JSON writes as it is. It is passed over
 * eight bytes at a time.
 */
#ifndef WF_BASE_PLAIN_H
#define WF_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool wf_is_plain(char byte)
{
    return byte >= 0x20 && (unsigned char)byte < 0x80 && byte != '"' && byte != '\\';
}

/* The highest bits of those of the eight that are not plain. A byte that underflows sets its
 * own, which no plain byte has; what it borrows from the next one can only spoil those behind
 * the first. */
static inline uint64_t wf_not_plain(const char *eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t word, quote, slash;
    memcpy(&word, eight, sizeof word);
    quote = word ^ each * '"';
    slash = word ^ each * '\\';
    return ((word - each * 0x20) | (quote - each) | (slash - each) | word) & each * 0x80;
}

/* The first place from `at` on that is not plain, or length. */
static inline size_t wf_skip_plain(const char *text, size_t at, size_t length)
{
    uint64_t found = 0;
    while (at + 8 <= length && (found = wf_not_plain(text + at)) == 0)
        at += 8;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (found != 0)
        return at + (size_t)__builtin_ctzll(found) / 8;
#endif
    /* The last eight, some of which were seen before. */
    if (found == 0 && at < length && length >= 8 && wf_not_plain(text + length - 8) == 0)
        return length;
    while (at < length && wf_is_plain(text[at]))
        at++;
    return at;
}
#endif
