#include "wfsm/crash_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wfsm/sqlite.h>

/* The file, what SQLite keeps beside it, and copies of both as a power cut left them; and what was
 * seen of them, which is not synced and may be lost. */
static const char *const names[] = {"/store.db",   "/store.db-wal", "/store.db-shm", "/cut.db",
                                    "/cut.db-wal", "/cut.db-seen",  "/store.db-seen"};
enum { FILES = sizeof names / sizeof *names };

static const char *place(crash_store *store, const char *name)
{
    snprintf(store->path, sizeof store->path, "%s%s", store->folder, name);
    return store->path;
}

bool crash_store_begin(crash_store *store, bool sqlite, bool wrong)
{
    const char *asked = getenv("TMPDIR");
    *store = (crash_store){.sqlite = sqlite};
    store->wrong.size = sizeof store->wrong;
    store->wrong.early = wrong;
    if (!sqlite)
        return true;
    snprintf(store->folder, sizeof store->folder, "%s/wfsm-crash-XXXXXX",
             asked && *asked ? asked : "/tmp");
    if (mkdtemp(store->folder))
        return true;
    cli_say("%s: %s", store->folder, strerror(errno));
    return false;
}

static void close_file(crash_store *store)
{
    wfsm_store_free(store->file);
    store->file = NULL;
}

void crash_store_wipe(void *user)
{
    crash_store *store = user;
    close_file(store);
    wfsm_store_free(store->kept);
    store->kept = NULL;
    store->was_cut = false;
    for (int i = 0; i < FILES && store->sqlite; i++)
        unlink(place(store, names[i]));
}

void crash_store_end(crash_store *store)
{
    crash_store_wipe(store);
    if (store->sqlite)
        rmdir(store->folder);
}

/* An open database is left as it is, log and all, when its process dies: closing it would
 * tidy up. A missing file is an empty one. */
static void copy_file(crash_store *store, const char *from, const char *to)
{
    char block[1 << 16];
    size_t bytes;
    FILE *in = fopen(place(store, from), "rb");
    FILE *out = fopen(place(store, to), "wb");
    while (in && out && (bytes = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, bytes, out);
    if (in)
        fclose(in);
    if (out)
        fclose(out);
}

void crash_store_cut(void *user)
{
    crash_store *store = user;
    store->wrong.dead = 1; /* what it had only promised is gone */
    if (!store->sqlite)
        return;
    copy_file(store, "/store.db", "/cut.db");
    copy_file(store, "/store.db-wal", "/cut.db-wal");
    store->was_cut = true;
}

static void put_back(crash_store *store)
{
    char from[CRASH_PATH_BYTES];
    store->was_cut = false;
    unlink(place(store, "/store.db-shm"));
    unlink(place(store, "/store.db-seen"));
    for (int i = 0; i < 2; i++) {
        snprintf(from, sizeof from, "%s", place(store, names[3 + i]));
        rename(from, place(store, names[i]));
    }
}

/* Nothing here has to survive the machine: a commit need not wait for the disk. */
static int32_t open_sqlite(crash_store *store, wfsm_store **opened, wfsm_error *error)
{
    const wfsm_sqlite_options options = {.size = sizeof options,
                                         .synchronous = WFSM_SQLITE_NORMAL};
    close_file(store);
    if (store->was_cut)
        put_back(store);
    return wfsm_sqlite_open(opened, place(store, "/store.db"), &options, NULL, error);
}

static int32_t open_memory(crash_store *store, wfsm_store **opened, wfsm_error *error)
{
    int32_t status = store->kept ? WFSM_OK : wfsm_memory_open(&store->kept, NULL, error);
    return status ? status : wfsm_testkit_wrap(opened, store->kept, NULL, error);
}

int32_t crash_store_open(void *user, wfsm_store **opened, wfsm_error *error)
{
    crash_store *store = user;
    wfsm_store *inner = NULL;
    int32_t status =
        store->sqlite ? open_sqlite(store, &inner, error) : open_memory(store, &inner, error);
    if (status != WFSM_OK || !store->wrong.early) {
        *opened = inner;
        return status;
    }
    close_file(store);
    store->file = inner;
    store->wrong.dead = 0;
    return wfsm_testkit_wrap(opened, inner, &store->wrong, error);
}
