/* The commands approve and reject: they post a vote, also if it is going to be refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sign.h>
#include "wfsm/asked.h"
#include "wfsm/commands.h"
#include "wfsm/shown.h"
#include "wfsm/owned.h"

#define HELP(command, verb)                                                                    \
    "usage: wfsm " command " [OPTION]… STORE INVOCATION DIGEST\n"                              \
    "\n"                                                                                       \
    "Posts a vote to a store that " verb " what an invocation asks. DIGEST says\n"             \
    "what you have looked at. `wfsm approvals` shows it; give at least its first eight\n"      \
    "digits. The program that owns the instance takes the vote, now or when it runs again,\n"  \
    "and the journal shows the result. If the vote is going to be refused, the command says\n" \
    "so and posts it anyway.\n"                                                                \
    "\n"                                                                                       \
    "  --by NAME       the name of the voter; the default is the user's name\n"                \
    "  --reason TEXT   the reason\n"                                                           \
    "  --folder DIR    compares the files below DIR with the input's `files`, an object of\n"  \
    "                  digests by path; if one has changed, the vote is refused\n"             \
    "  --key FILE      signs the vote with the secret key in FILE (`wfsm key`)\n"              \
    "  --id ID         the id of the post; a post with a known id is not posted again\n"       \
    "\n"                                                                                       \
    "Exit codes: 0 posted; 1 posted but going to be refused, or not posted; 64 the command\n"  \
    "line is wrong.\n"

static const char approve_help[] = HELP("approve", "approves");
static const char reject_help[] = HELP("reject", "rejects");

typedef struct request {
    const char *command;
    int32_t decision; /* enum wfsm_decision */
    const char *by, *reason, *folder, *id, *key;
    const char *operands[3]; /* store, invocation, digest */
    int count;
} request;

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {{"--by", true}, {"--reason", true}, {"--folder", true},
                                         {"--id", true}, {"--key", true},    {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    const char **values[] = {&self->by, &self->reason, &self->folder, &self->id, &self->key};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found >= 0)
            *values[found] = args.value;
        else if (self->count == 3)
            return cli_misused("%s does not take %s", self->command, args.value);
        else
            self->operands[self->count++] = args.value;
    }
    if (self->count < 3)
        return cli_misused("%s needs a store, an invocation and a digest", self->command);
    if (!self->by)
        self->by = getenv("USER");
    if (!self->by || !*self->by)
        return cli_misused("%s: the user has no name; give one with --by", self->command);
    return CLI_OK;
}

/* INSTANCE of INSTANCE/REVISION/ORDINAL-INCARNATION; "" if it is no such id. New. */
static char *instance_of(const char *invocation)
{
    char *id = cli_need(strdup(invocation));
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(id, '/');
        if (slash)
            *slash = '\0';
        else
            *id = '\0';
    }
    return id;
}

/* ---- files ---- */

static bool is_as_it_was(const char *folder, const char *path, const char *expected)
{
    char digest[WFSM_DIGEST_SIZE];
    cli_text file = {0}, name = {0};
    cli_text_add(&name, folder, strlen(folder));
    cli_text_add(&name, "/", 1);
    cli_text_add(&name, path, strlen(path));
    bool same = cli_read_file(name.data, &file) &&
                wfsm_digest(file.data ? file.data : "", file.length, digest) == WFSM_OK &&
                strcmp(digest, expected) == 0;
    if (!same)
        cli_say("%s: this is not what the invocation asks", name.data);
    cli_text_free(&name);
    cli_text_free(&file);
    return same;
}

static bool files_are_as_they_were(const request *self, const json_t *asked)
{
    const json_t *files = json_object_get(json_object_get(asked, "input"), "files"), *digest;
    const char *path;
    bool same = true;
    if (!self->folder)
        return true;
    json_object_foreach((json_t *)files, path, digest) same =
        is_as_it_was(self->folder, path,
                     json_is_string(digest) ? json_string_value(digest) : "") &&
        same;
    return same;
}

/* ---- the vote ---- */

enum { LEAST_DIGITS = 8 };

/* The whole digest for its beginning; what does not fit is posted as it is given. */
static const char *digest_of(const request *self, const json_t *asked)
{
    const char *given = self->operands[2], *whole = asked_text(asked, "digest");
    size_t length = strlen(given);
    if (!files_are_as_they_were(self, asked))
        return "";
    return length >= LEAST_DIGITS && strncmp(whole, given, length) == 0 ? whole : given;
}

static bool is_named(const json_t *asked, const char *by)
{
    const json_t *people = json_object_get(json_object_get(asked, "input"), "people"), *name;
    size_t index;
    json_array_foreach(people, index,
                       name) if (strcmp(json_string_value(name), by) == 0) return true;
    return !json_is_array(people);
}

static bool has_voted(const json_t *asked, const char *by)
{
    const json_t *vote;
    size_t index;
    json_array_foreach(json_object_get(asked, "votes"), index,
                       vote) if (strcmp(asked_text(vote, "by"), by) == 0) return true;
    return false;
}

/* Why it is going to be refused as things are; NULL: it is not. */
static const char *objection(const request *self, const json_t *asked, const char *digest)
{
    if (!asked)
        return "no such invocation is outstanding";
    if (!is_named(asked, self->by))
        return "this person is not asked";
    if (has_voted(asked, self->by))
        return "this person has voted already";
    if (strcmp(digest, asked_text(asked, "digest")) != 0)
        return "the digest is not that of what is asked";
    return NULL;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool post(const request *self, wfsm_store *store, const char *instance,
                 const char *digest)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_approval approval = {.size = sizeof approval,
                              .instance = instance,
                              .invocation = self->operands[1],
                              .by = self->by,
                              .digest = digest,
                              .decision = self->decision,
                              .reason = self->reason,
                              .id = self->id,
                              .interface = WFSM_INTERFACE_COMMAND,
                              .sender = owned_user()};
    char public_key[WFSM_KEY_SIZE], signature[WFSM_SIGNATURE_SIZE];
    int64_t now = now_ms();
    int32_t status = WFSM_OK;
    if (self->key) {
        approval.signed_at = now;
        status = wfsm_vote_sign(&approval, self->key, public_key, signature, error);
        approval.key = public_key;
        approval.signature = signature;
    }
    if (status == WFSM_OK)
        status = wfsm_approve(store, &approval, now, error);
    if (status != WFSM_OK)
        cli_say_error(instance, error);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

/* Nobody would take a vote for what has ended. */
static bool find(const request *self, wfsm_store *store, const char *instance,
                 stored_head *head)
{
    if (!*instance) {
        cli_say("%s: expected the id of an invocation, INSTANCE/REVISION/ORDINAL-…",
                self->operands[1]);
        return false;
    }
    if (!stored_find(store, self->operands[0], instance, head))
        return false;
    if (head->status == WFSM_DONE)
        cli_say("%s: it has ended, and asks nobody", instance);
    return head->status != WFSM_DONE;
}

static bool vote(const request *self, wfsm_store *store)
{
    char *instance = instance_of(self->operands[1]);
    stored_head head = {0};
    bool fine = find(self, store, instance, &head);
    json_t *asked = fine ? asked_of(store, &head) : NULL;
    const json_t *one = asked_find(asked, self->operands[1]);
    const char *digest = fine ? digest_of(self, one) : "";
    const char *why = fine ? objection(self, one, digest) : NULL;
    fine = fine && post(self, store, instance, digest);
    if (fine)
        shown_printf("posted: %s %ss %s\n", self->by, self->command, self->operands[1]);
    if (fine && why)
        cli_say("it is going to be refused: %s", why);
    json_decref(asked);
    stored_head_free(&head);
    free(instance);
    return fine && !why;
}

static int run(const char *command, int32_t decision, int count, char **list)
{
    request self = {.command = command, .decision = decision};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    wfsm_store *store = stored_open_to_write(self.operands[0]);
    bool fine = store && vote(&self, store);
    wfsm_store_free(store);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

static int run_approve(int count, char **list)
{
    return run("approve", WFSM_APPROVE, count, list);
}

static int run_reject(int count, char **list)
{
    return run("reject", WFSM_REJECT, count, list);
}

const cli_command cmd_approve = {"approve", "votes for what an invocation asks", approve_help,
                                 run_approve};
const cli_command cmd_reject = {"reject", "votes against what an invocation asks", reject_help,
                                run_reject};
