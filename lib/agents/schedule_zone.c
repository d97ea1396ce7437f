#include "schedule_zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "schedule_calendar.h"

enum { MOST_BYTES = 1024 * 1024, MOST_NAME = 100, HEADER = 44, MOST_OFFSET = 26 * 3600 };

/* ---- the form of a file ---- */

/* What a header says. */
typedef struct wfa_zone_counts {
    size_t universal, standard, leaps, times, types, letters;
    size_t wide; /* bytes of a time */
} wfa_zone_counts;

static uint64_t number(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;

    while (size-- > 0)
        value = value << 8 | *bytes++;
    return value;
}

static int64_t signed_number(const unsigned char *bytes, size_t size)
{
    uint64_t value = number(bytes, size);

    return size == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static int is_header(const unsigned char *bytes, size_t length)
{
    return length >= HEADER && memcmp(bytes, "TZif", 4) == 0;
}

static wfa_zone_counts counts_of(const unsigned char *header, size_t wide)
{
    const unsigned char *at = header + 20;

    return (wfa_zone_counts){.universal = number(at, 4),
                             .standard = number(at + 4, 4),
                             .leaps = number(at + 8, 4),
                             .times = number(at + 12, 4),
                             .types = number(at + 16, 4),
                             .letters = number(at + 20, 4),
                             .wide = wide};
}

/* No count is more than 32 bits, so this does not overflow. */
static uint64_t block_size(const wfa_zone_counts *counts)
{
    return (uint64_t)counts->times * (counts->wide + 1) + (uint64_t)counts->types * 6 +
           counts->letters + (uint64_t)counts->leaps * (counts->wide + 4) + counts->standard +
           counts->universal;
}

/* ---- reading ---- */

static int read_offset(const wfa_zone_counts *counts, const unsigned char *types, size_t type,
                       int32_t *offset)
{
    if (type >= counts->types)
        return -1;
    *offset = (int32_t)signed_number(types + type * 6, 4);
    return *offset < -MOST_OFFSET || *offset > MOST_OFFSET ? -1 : 0;
}

static int read_changes(wfa_zone *zone, const wfa_zone_counts *counts,
                        const unsigned char *block)
{
    const unsigned char *indexes = block + counts->times * counts->wide;
    const unsigned char *types = indexes + counts->times;
    size_t index;

    if (read_offset(counts, types, 0, &zone->offsets[0]) != 0)
        return -1;
    for (index = 0; index < counts->times; index++) {
        zone->times[index] = signed_number(block + index * counts->wide, counts->wide);
        if (index > 0 && zone->times[index] <= zone->times[index - 1])
            return -1;
        if (read_offset(counts, types, indexes[index], &zone->offsets[index + 1]) != 0)
            return -1;
    }
    zone->count = counts->times;
    return 0;
}

/* "\nTZ\n" behind the second block. */
static int read_footer(wfa_zone *zone, const char *bytes, size_t length)
{
    char text[256];
    const char *end =
        length > 1 && bytes[0] == '\n' ? memchr(bytes + 1, '\n', length - 1) : NULL;
    size_t size = end ? (size_t)(end - bytes) - 1 : sizeof text;

    if (size >= sizeof text || memchr(bytes, '\0', size + 1))
        return -1;
    memcpy(text, bytes + 1, size);
    text[size] = '\0';
    return wfa_zone_rule_parse(&zone->rule, text);
}

static int broken(wfa_zone *zone, wfa_error *error)
{
    wfa_zone_free(zone);
    return wfa_fail(error, "expected a TZif file (RFC 9636)");
}

static int read_block(wfa_zone *zone, const char *bytes, size_t length, size_t wide,
                      wfa_error *error)
{
    const unsigned char *from = (const unsigned char *)bytes;
    wfa_zone_counts counts = counts_of(from, wide);
    uint64_t size = block_size(&counts);

    if (size > length - HEADER)
        return broken(zone, error);
    zone->times = calloc(counts.times + 1, sizeof *zone->times);
    zone->offsets = calloc(counts.times + 1, sizeof *zone->offsets);
    if (!zone->times || !zone->offsets) {
        wfa_zone_free(zone);
        return wfa_no_memory(error);
    }
    if (read_changes(zone, &counts, from + HEADER) != 0)
        return broken(zone, error);
    if (wide == 8 && read_footer(zone, bytes + HEADER + size, length - HEADER - size) != 0)
        return broken(zone, error);
    return 0;
}

int wfa_zone_parse(wfa_zone *zone, const char *bytes, size_t length, wfa_error *error)
{
    const unsigned char *from = (const unsigned char *)bytes;
    wfa_zone_counts first;
    uint64_t skip;

    *zone = (wfa_zone){0};
    if (!is_header(from, length))
        return broken(zone, error);
    if (bytes[4] == '\0') /* the first version, without a second block */
        return read_block(zone, bytes, length, 4, error);
    first = counts_of(from, 4);
    skip = HEADER + block_size(&first);
    if (skip > length || !is_header(from + skip, length - skip))
        return broken(zone, error);
    return read_block(zone, bytes + skip, length - skip, 8, error);
}

/* Nothing that leads out of the folder. */
static int is_name(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";

    return *name && *name != '/' && strlen(name) <= MOST_NAME && !strstr(name, "//") &&
           strspn(name, allowed) == strlen(name);
}

int wfa_zone_read(wfa_zone *zone, const char *name, wfa_error *error)
{
    const char *folder = getenv("TZDIR");
    char *path, *bytes = NULL;
    size_t length = 0;
    wfa_error why;
    int answer;

    *zone = (wfa_zone){0};
    if (!is_name(name))
        return wfa_fail(error, "expected the name of a time zone, such as Europe/Berlin");
    path = wfa_path_join(folder && *folder ? folder : "/usr/share/zoneinfo", name);
    if (!path)
        return wfa_no_memory(error);
    answer = wfa_file_read(path, MOST_BYTES, &bytes, &length, &why);
    if (answer == 0)
        answer = wfa_zone_parse(zone, bytes, length, &why);
    if (answer != 0)
        wfa_fail(error, "there is no time zone %s: %s", name, why.message);
    free(bytes);
    free(path);
    return answer;
}

void wfa_zone_free(wfa_zone *zone)
{
    free(zone->times);
    free(zone->offsets);
    *zone = (wfa_zone){0};
}

/* ---- asking ---- */

int32_t wfa_zone_offset(const wfa_zone *zone, int64_t seconds)
{
    size_t low = 0, high = zone->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (zone->times[middle] <= seconds)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == zone->count && zone->rule.is_there)
        return wfa_zone_rule_offset(&zone->rule, seconds);
    return zone->offsets ? zone->offsets[low] : 0;
}

/* An offset is a day at most, so it is that before the change a day earlier, and that behind it a day
 * later. */
int wfa_zone_instants(const wfa_zone *zone, int64_t local, int64_t instants[2])
{
    int32_t before = wfa_zone_offset(zone, local - WFA_DAY_SECONDS);
    int32_t after = wfa_zone_offset(zone, local + WFA_DAY_SECONDS);
    int first_is = wfa_zone_offset(zone, local - before) == before;
    int second_is = before != after && wfa_zone_offset(zone, local - after) == after;

    instants[0] = local - (first_is || !second_is ? before : after);
    instants[1] = local - after;
    return first_is + second_is;
}
