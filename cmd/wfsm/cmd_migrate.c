#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/many.h"
#include "wfsm/owned.h"
#include "wfsm/selection.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm migrate [--dry-run] [--now MS] STORE FILE [ID...]\n"
    "       wfsm migrate [--dry-run] [--now MS] SELECTION… STORE FILE\n"
    "\n"
    "Migrates unfinished instances of a store to the machine document FILE, as its\n"
    "`migrate` says: those of its machine, the named ones, or those that these options find:\n" SELECTION_HELP
    "Prints the result for each instance. For an\n"
    "instance that a running program owns, the command posts the document, and that program\n"
    "migrates it in its next run. If this is interrupted, the same command continues.\n"
    "\n"
    "  --dry-run  shows which instances can be migrated, and why the others cannot; changes\n"
    "             nothing\n"
    "  --now MS   the time of the input in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 all of these instances have the new document; 1 some cannot be\n"
    "migrated, or the document or the store cannot be read or written; 64 the command line\n"
    "is wrong.\n";

/* So many posts are one transaction. */
enum { BATCH = 64 };

/* An instance that another program owns. */
typedef struct waiting {
    char *id, *owner, *until;
    int64_t now;
} waiting;

typedef struct moving {
    const char *path;
    bool dry_run;
    int64_t now;
    wfsm_machine *machine;
    wfsm_functions *functions;
    wfsm_error *error;
    many ids;
    selection which;
    owned_session session;
    waiting posts[BATCH];
    size_t post_count;
    size_t moved, posted, there, stay;
} moving;

static bool list_ids(moving *self)
{
    wfsm_query query = selection_query(&self->which);
    wfsm_store *store = stored_open(self->path);
    query.status = WFSM_RUNNING;
    if (!self->which.given)
        query.machine = wfsm_machine_id(self->machine);
    bool fine = store && many_list(&self->ids, store, self->path, &query);
    wfsm_store_free(store);
    return fine;
}

static bool stays(moving *self, const char *id)
{
    self->stay++;
    shown_printf("%s stays: %s\n", id, wfsm_error_message(self->error));
    return true;
}

static bool try_one(moving *self, owned *on)
{
    int32_t status = wfsm_instance_can_migrate(on->loaded.instance, self->machine,
                                               self->functions, on->now, self->error);
    if (status != WFSM_OK)
        return stays(self, on->head.id);
    self->moved++;
    shown_printf("%s would move\n", on->head.id);
    return true;
}

static bool move_one(moving *self, owned *on)
{
    int32_t status = wfsm_instance_migrate(&on->loaded.instance, self->machine, self->functions,
                                           on->now, NULL, self->error);
    if (status != WFSM_OK)
        return stays(self, on->head.id);
    self->moved++;
    shown_printf("%s: ", on->head.id);
    owned_tell(on->loaded.instance, "moved, and is");
    return true;
}

/* ---- posts for their owners ---- */

/* The library checks an input that is submitted, but not the posts of an exchange. All have the same data, so the first
 * one stands for the others. */
static void post_all(moving *self, wfsm_store *store, const wfsm_post *const *posts,
                     int32_t *answers)
{
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .now = posts[0]->now,
                              .posts = posts + 1,
                              .post_count = self->post_count - 1,
                              .post_answers = answers + 1};
    answers[0] = wfsm_store_submit(store, posts[0], self->error);
    if (exchange.post_count > 0)
        wfsm_store_exchange(store, &exchange, self->error);
}

static void submit(moving *self, wfsm_store *store, int32_t *answers)
{
    wfsm_post posts[BATCH];
    const wfsm_post *list[BATCH];
    json_t *data =
        cli_need(json_pack("{s:s}", "document", wfsm_machine_document(self->machine, NULL)));
    char *text = cli_need(json_dumps(data, JSON_COMPACT));
    for (size_t i = 0; i < self->post_count; i++) {
        posts[i] = (wfsm_post){.size = sizeof posts[i],
                               .instance = self->posts[i].id,
                               .name = "migrate",
                               .data = text,
                               .length = strlen(text),
                               .now = self->posts[i].now,
                               .kind = WFSM_POST_MIGRATE,
                               .interface = WFSM_INTERFACE_COMMAND,
                               .sender = owned_user()};
        list[i] = &posts[i];
    }
    post_all(self, store, list, answers);
    free(text);
    json_decref(data);
}

static void forget(waiting *one)
{
    free(one->id);
    free(one->owner);
    free(one->until);
}

static bool tell(moving *self, const waiting *one, int32_t answer)
{
    if (answer == WFSM_OK)
        owned_tell_posted(one->id, one->owner, one->until);
    else
        cli_say("%s: %s was not posted: %s", self->path, one->id, wfsm_status_name(answer));
    self->posted += answer == WFSM_OK;
    return answer == WFSM_OK;
}

static bool flush_posts(moving *self)
{
    int32_t answers[BATCH] = {0};
    wfsm_store *store = self->post_count > 0 ? stored_open_to_write(self->path) : NULL;
    bool fine = self->post_count == 0 || store;
    if (store)
        submit(self, store, answers);
    for (size_t i = 0; i < self->post_count; i++) {
        fine = store && tell(self, &self->posts[i], answers[i]) && fine;
        forget(&self->posts[i]);
    }
    self->post_count = 0;
    wfsm_store_free(store);
    return fine;
}

/* The owner may have host functions that this command does not know, and decides. */
static bool post_one(moving *self, owned *on)
{
    if (!owned_load(on))
        return false;
    int32_t status = wfsm_instance_can_migrate(on->loaded.instance, self->machine,
                                               self->functions, on->now, self->error);
    if (status != WFSM_OK)
        return stays(self, on->head.id);
    self->posts[self->post_count++] =
        (waiting){cli_need(strdup(on->head.id)), cli_need(strdup(on->head.owner)),
                  cli_need(strdup(on->until)), on->now};
    return self->post_count < BATCH || flush_posts(self);
}

/* ---- all of them ---- */

static bool one(moving *self, const char *id)
{
    owned on = {.now = self->now, .session = &self->session, .only_reads = self->dry_run};
    bool fine = owned_open(&on, self->path, id);
    if (fine && strcmp(on.head.fingerprint, wfsm_machine_fingerprint(self->machine)) == 0) {
        self->there++;
        shown_printf("%s is there already\n", id);
    } else if (fine) {
        fine = self->dry_run          ? owned_load(&on) && try_one(self, &on)
               : owned_elsewhere(&on) ? post_one(self, &on)
                                      : owned_take(&on) && move_one(self, &on);
    }
    owned_close(&on);
    return fine;
}

static int all(moving *self)
{
    bool fine = self->ids.count > 0 || list_ids(self);
    for (size_t i = 0; i < self->ids.count; i++) {
        fine &= one(self, self->ids.ids[i]);
        fflush(stdout); /* it is the progress of the command */
    }
    fine &= flush_posts(self);
    owned_session_end(&self->session);
    shown_printf("%zu %s, ", self->moved, self->dry_run ? "would move" : "moved");
    if (self->posted > 0)
        shown_printf("%zu posted, ", self->posted);
    shown_printf("%zu there already, %zu stay\n", self->there, self->stay);
    return fine && self->stay == 0 ? CLI_OK : CLI_FAILED;
}

enum { DRY_RUN = SELECTION_OPTIONS, NOW };

static bool take(moving *self, int option, const char *value)
{
    if (option < SELECTION_OPTIONS)
        return selection_take(&self->which, option, value);
    if (option == NOW)
        return owned_time(value, &self->now);
    self->dry_run = true;
    return true;
}

static int parse(moving *self, int count, char **list, const char **file)
{
    static const cli_option options[] = {
        SELECTION_LIST, {"--dry-run", false}, {"--now", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found >= 0 && !take(self, found, args.value)))
            return CLI_USAGE;
        if (found == CLI_OPERAND && !self->path)
            self->path = args.value;
        else if (found == CLI_OPERAND && !*file)
            *file = args.value;
        else if (found == CLI_OPERAND)
            many_add(&self->ids, args.value);
    }
    if (self->which.given && self->ids.count > 0)
        return cli_misused("migrate takes ids or a selection, not both");
    return *file ? CLI_OK : cli_misused("migrate needs a store and a machine document");
}

static int run(int count, char **list)
{
    moving self = {.now = -1};
    const char *file = NULL;
    int code = parse(&self, count, list, &file);
    self.error = cli_need(wfsm_error_new(NULL));
    if (code == CLI_OK) {
        self.machine = document_load(file);
        code = CLI_FAILED;
        if (self.machine &&
            stored_functions(&self.functions, self.machine, self.error) == WFSM_OK)
            code = cli_finish(all(&self));
    }
    many_free(&self.ids);
    selection_free(&self.which);
    wfsm_functions_free(self.functions);
    wfsm_machine_unref(self.machine);
    wfsm_error_free(self.error);
    return code;
}

const cli_command cmd_migrate = {"migrate", "migrates instances to another document", help,
                                 run};
