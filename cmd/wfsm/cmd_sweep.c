#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <wfsm/compact.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm sweep [--archive FILE] [--dry-run] [--now MS] STORE\n"
    "\n"
    "Does what the documents of a store say about ended instances and old records, under the\n"
    "key \"retention\": instances that ended long enough ago go to an archive or are removed, and\n"
    "long journals are compacted. An instance stays if effects of it are not acknowledged, if its\n"
    "parent has not ended, or if its owner is alive. The command can be repeated at any time.\n"
    "\n"
    "  --archive FILE   the archive, which is made if it does not exist; without it, what goes to\n"
    "                   an archive stays\n"
    "  --dry-run        shows what would be done; changes nothing\n"
    "  --now MS         the time in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 an instance is damaged, or a store cannot be read or written; 64\n"
    "the command line is wrong.\n";

typedef struct sweeping {
    const char *path, *archive_path;
    int64_t now;
    bool dry_run;
    wfsm_store *store, *archive;
    size_t counts[WFSM_SWEPT_FAILED + 1]; /* by enum wfsm_swept_kind */
    uint64_t records;
} sweeping;

static void tell_reason(const wfsm_swept *swept)
{
    shown_printf("%s: %s: %s\n", swept->instance,
                 swept->kind == WFSM_SWEPT_STAYS ? "stays" : "failed", swept->why);
}

static void tell(void *user, const wfsm_swept *swept)
{
    static const char *const words[][2] = {
        [WFSM_SWEPT_ARCHIVED] = {"archived", "would be archived"},
        [WFSM_SWEPT_REMOVED] = {"removed", "would be removed"},
        [WFSM_SWEPT_COMPACTED] = {"compacted", "would be compacted"}};
    sweeping *self = user;
    self->counts[swept->kind]++;
    self->records += swept->records;
    if (swept->kind == WFSM_SWEPT_STAYS || swept->kind == WFSM_SWEPT_FAILED)
        tell_reason(swept);
    else
        shown_printf("%s: %s, %" PRIu64 " records\n", swept->instance,
                     words[swept->kind][self->dry_run], swept->records);
}

static bool sweep(sweeping *self)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    const wfsm_sweep wanted = {.size = sizeof wanted,
                               .now = self->now < 0 ? owned_clock() : self->now,
                               .archive = self->archive,
                               .dry_run = self->dry_run,
                               .tell = tell,
                               .user = self};
    bool fine = wfsm_store_sweep(self->store, &wanted, NULL, error) == WFSM_OK;
    if (!fine)
        cli_say_error(self->path, error);
    else
        shown_printf(
            "%zu archived, %zu removed, %zu compacted, %" PRIu64 " records%s; %zu stay\n",
            self->counts[WFSM_SWEPT_ARCHIVED], self->counts[WFSM_SWEPT_REMOVED],
            self->counts[WFSM_SWEPT_COMPACTED], self->records,
            self->dry_run ? " if this were no dry run" : "", self->counts[WFSM_SWEPT_STAYS]);
    wfsm_error_free(error);
    return fine && self->counts[WFSM_SWEPT_FAILED] == 0;
}

/* A dry run makes no archive: one that is not there yet is like an empty one. */
static bool open_archive(sweeping *self)
{
    if (!many_open_archive(&self->archive, self->archive_path, self->dry_run))
        return false;
    if (!self->archive)
        cli_need(wfsm_memory_open(&self->archive, NULL, NULL) == WFSM_OK ? self : NULL);
    return true;
}

static bool open_and_sweep(sweeping *self)
{
    self->store = self->dry_run ? stored_open(self->path) : stored_open_to_write(self->path);
    return self->store && (!self->archive_path || open_archive(self)) && sweep(self);
}

static int parse(sweeping *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--archive", true}, {"--dry-run", false}, {"--now", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == 2 && !owned_time(args.value, &self->now)))
            return CLI_USAGE;
        if (found == 0)
            self->archive_path = args.value;
        else if (found == 1)
            self->dry_run = true;
        else if (found == CLI_OPERAND && self->path)
            return cli_misused("sweep takes one store");
        else if (found == CLI_OPERAND)
            self->path = args.value;
    }
    return self->path ? CLI_OK : cli_misused("sweep needs a store");
}

static int run(int count, char **list)
{
    sweeping self = {.now = -1};
    int code = parse(&self, count, list);
    if (code == CLI_OK)
        code = cli_finish(open_and_sweep(&self) ? CLI_OK : CLI_FAILED);
    wfsm_store_free(self.archive);
    wfsm_store_free(self.store);
    return code;
}

const cli_command cmd_sweep = {"sweep", "archives and removes what is kept no longer", help,
                               run};
