#include "crash/power_disk.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 };

static disk_file files[DISK_FILES];
static uint32_t state;

static bool coin(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 16) & 1;
}

static void *need(void *block)
{
    if (!block)
        abort();
    return block;
}

static void resize(disk_bytes *text, size_t length)
{
    if (length > text->room) {
        text->room = length * 2;
        text->bytes = need(realloc(text->bytes, text->room));
    }
    if (length > text->length)
        memset(text->bytes + text->length, 0, length - text->length);
    text->length = length;
}

static void put(disk_bytes *text, const unsigned char *bytes, size_t length, size_t offset)
{
    if (offset + length > text->length)
        resize(text, offset + length);
    memcpy(text->bytes + offset, bytes, length);
}

static void copy(disk_bytes *to, const disk_bytes *from)
{
    resize(to, from->length);
    if (from->length)
        memcpy(to->bytes, from->bytes, from->length);
}

static void apply(disk_bytes *text, const disk_change *change)
{
    if (change->bytes)
        put(text, change->bytes, change->length, change->offset);
    else
        resize(text, change->offset);
}

/* Whole pieces, counted from the beginning of the file, as the disk counts them. */
static void apply_torn(disk_bytes *text, const disk_change *change)
{
    size_t end = change->offset + change->length;
    if (!change->bytes && coin())
        resize(text, change->offset);
    for (size_t at = change->offset; change->bytes && at < end;) {
        size_t next = (at / PIECE + 1) * PIECE;
        if (next > end)
            next = end;
        if (coin())
            put(text, change->bytes + (at - change->offset), next - at, at);
        at = next;
    }
}

static void forget_changes(disk_file *file)
{
    while (file->first) {
        disk_change *change = file->first;
        file->first = change->next;
        free(change->bytes);
        free(change);
    }
    file->last = &file->first;
}

static void note(disk_file *file, const void *bytes, size_t length, size_t offset)
{
    disk_change *change = need(calloc(1, sizeof *change));
    change->offset = offset;
    change->length = length;
    if (bytes) {
        change->bytes = need(malloc(length ? length : 1));
        memcpy(change->bytes, bytes, length);
    }
    *file->last = change;
    file->last = &change->next;
    apply(&file->seen, change);
}

disk_file *disk_find(const char *name, bool make)
{
    disk_file *file = files;
    while (file->name[0] && strcmp(file->name, name) != 0)
        if (++file == files + DISK_FILES)
            abort();
    if (!make)
        return file->name[0] && file->there ? file : NULL;
    if (!file->name[0]) {
        if (strlen(name) >= DISK_NAME)
            abort();
        strcpy(file->name, name);
        file->last = &file->first;
    }
    file->there = true;
    return file;
}

void disk_write(disk_file *file, const void *bytes, size_t length, size_t offset)
{
    note(file, bytes, length, offset);
}

void disk_truncate(disk_file *file, size_t length)
{
    note(file, NULL, 0, length);
}

static void make_durable(disk_file *file)
{
    for (const disk_change *change = file->first; change; change = change->next)
        apply(&file->synced, change);
    forget_changes(file);
}

static void sync_folder(void)
{
    for (disk_file *file = files; file < files + DISK_FILES && file->name[0]; file++) {
        if (file->named && !file->there)
            make_durable(file);
        file->named = file->there;
    }
}

void disk_sync(disk_file *file)
{
    make_durable(file);
    if (!file->named)
        sync_folder();
}

void disk_lose(disk_file *file)
{
    forget_changes(file);
}

void disk_delete(disk_file *file, bool sync)
{
    file->there = false;
    note(file, NULL, 0, 0);
    if (sync)
        sync_folder();
}

void *disk_region(disk_file *file, int number, size_t bytes)
{
    if (number >= DISK_REGIONS)
        abort();
    if (!file->regions[number])
        file->regions[number] = need(calloc(1, bytes));
    return file->regions[number];
}

void disk_drop_regions(disk_file *file)
{
    for (int i = 0; i < DISK_REGIONS; i++) {
        free(file->regions[i]);
        file->regions[i] = NULL;
    }
}

static void cut(disk_file *file)
{
    for (const disk_change *change = file->first; change && state; change = change->next)
        apply_torn(&file->synced, change);
    /* A name that was made or deleted, and not synced, is there or not. */
    if (state && file->there != file->named)
        file->named = coin();
    forget_changes(file);
    disk_drop_regions(file);
    if (!file->named)
        file->synced.length = 0;
    file->there = file->named;
    copy(&file->seen, &file->synced);
}

void disk_cut(uint32_t seed)
{
    state = seed;
    for (disk_file *file = files; file < files + DISK_FILES && file->name[0]; file++)
        cut(file);
}

void disk_format(void)
{
    for (disk_file *file = files; file < files + DISK_FILES; file++) {
        forget_changes(file);
        disk_drop_regions(file);
        free(file->seen.bytes);
        free(file->synced.bytes);
        memset(file, 0, sizeof *file);
    }
}
