/* The commands post, answer, stop, cancel and retry: they leave an input for the owner of an
 * instance, whether or not a program owns it now. post, stop and retry do so for all that a selection
 * finds, too. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/bulk.h"
#include "wfsm/commands.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

#define OPTIONS                                                                                   \
    "  --by NAME   who sends it; the default is the user's name. The record says so\n"            \
    "  --id ID     the id of the post; a post with a known id is not posted again\n"              \
    "  --now MS    the time of the post in milliseconds; the default is the clock\n"              \
    "\n"                                                                                          \
    "Exit codes: 0 posted; 1 not posted: no such instance, it has ended, the data or the id is\n" \
    "wrong, or the store cannot be written; 64 the command line is wrong.\n"

/* In place of an id. */
#define MANY                                                                                   \
    "Without ID, it is posted for every instance that has not ended and that these options\n"  \
    "find:\n" SELECTION_HELP "  --all            all of the store\n"                           \
    "  --dry-run        only shows which; posts nothing\n"                                     \
    "If this is interrupted, the same command with the same --id continues.\n"                 \
    "\n"

#define WHEN                                                                                   \
    "The program that owns the instance takes the post, now or when it runs again, and the\n"  \
    "journal shows the result.\n"                                                              \
    "\n"

static const char post_help[] =
    "usage: wfsm post [OPTION]… STORE ID EVENT [DATA]\n"
    "       wfsm post [OPTION]… SELECTION… STORE EVENT [DATA]\n"
    "\n"
    "Posts an event to an instance. DATA is JSON; the default is null.\n" WHEN MANY OPTIONS;
static const char answer_help[] =
    "usage: wfsm answer [OPTION]… STORE ID INVOCATION [OUTPUT]\n"
    "       wfsm answer [OPTION]… --failed CLASS STORE ID INVOCATION [MESSAGE]\n"
    "\n"
    "Posts what an invocation has come to. OUTPUT is JSON; the default is null. People answer\n"
    "with approve and reject.\n" WHEN
    "  --failed CLASS   it has failed: network, timeout, auth, schema, exit, canceled, other\n" OPTIONS;
static const char stop_help[] = "usage: wfsm stop [OPTION]… STORE ID\n"
                                "       wfsm stop [OPTION]… SELECTION… STORE\n"
                                "\n"
                                "Ends an instance wherever it is.\n" WHEN MANY OPTIONS;
static const char cancel_help[] =
    "usage: wfsm cancel [OPTION]… STORE ID INVOCATION [MESSAGE]\n"
    "\n"
    "Ends an invocation as a failure of class \"canceled\", without retries.\n" WHEN OPTIONS;
static const char retry_help[] =
    "usage: wfsm retry [OPTION]… STORE ID INVOCATION\n"
    "       wfsm retry [OPTION]… SELECTION… STORE [AGENT]\n"
    "\n"
    "Starts the next attempt of an invocation that waits for it, or that is running. With a\n"
    "selection, of all invocations that wait for one, or of those of AGENT.\n" WHEN MANY
        OPTIONS;

enum { OPERANDS = 4 };

typedef struct request {
    const char *by, *id, *failed;
    const char *operands[OPERANDS]; /* store, instance, event or invocation, data or message */
    int count;
    int64_t now;
    selection which;
    bool dry_run;
} request;

enum { BY = SELECTION_OPTIONS, ID, NOW, FAILED, ALL, DRY_RUN };

static bool is_class(const char *text)
{
    static const char *const classes[] = {"network", "timeout",  "auth", "schema",
                                          "exit",    "canceled", "other"};
    bool is = false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        is = is || strcmp(classes[i], text) == 0;
    return is;
}

static int take(request *self, int option, const char *value)
{
    if (option < SELECTION_OPTIONS)
        return selection_take(&self->which, option, value) ? CLI_OK : CLI_USAGE;
    if (option == NOW)
        return owned_time(value, &self->now) ? CLI_OK : CLI_USAGE;
    if (option == BY)
        self->by = value;
    else if (option == ID)
        self->id = value;
    else if (option == FAILED)
        self->failed = value;
    else if (option == ALL)
        self->which.given = true;
    else
        self->dry_run = true;
    return CLI_OK;
}

/* How many operands a command has: about one instance, and with a selection. */
typedef struct usage {
    const char *command;
    int least, most;
    int least_many, most_many; /* 0: it takes no selection */
} usage;

static int count_operands(const request *self, const usage *wants)
{
    bool many = self->which.given;
    int least = many ? wants->least_many : wants->least;
    int most = many ? wants->most_many : wants->most;
    if (self->count > most)
        return cli_misused("%s does not take %s", wants->command, self->operands[most]);
    if (self->count < least && many)
        return cli_misused("%s needs a store%s", wants->command,
                           least > 1 ? " and an event" : "");
    if (self->count < least)
        return cli_misused("%s needs a store and an id%s", wants->command,
                           least > 2 ? ", and what it is about" : "");
    return CLI_OK;
}

static int check(const request *self, const usage *wants)
{
    if (self->failed && strcmp(wants->command, "answer") != 0)
        return cli_misused("%s does not take --failed", wants->command);
    if (self->failed && !is_class(self->failed))
        return cli_misused("--failed: expected network, timeout, auth, schema, exit, canceled "
                           "or other, not %s",
                           self->failed);
    if (self->which.given && wants->least_many == 0)
        return cli_misused("%s is about one instance, and takes no selection", wants->command);
    if (self->dry_run && !self->which.given)
        return cli_misused("--dry-run needs a selection, such as --machine or --all");
    return count_operands(self, wants);
}

static int parse(request *self, const usage *wants, int count, char **list)
{
    static const cli_option options[] = {
        SELECTION_LIST,     {"--by", true},   {"--id", true},       {"--now", true},
        {"--failed", true}, {"--all", false}, {"--dry-run", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found >= 0 && take(self, found, args.value) != CLI_OK))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->count == OPERANDS)
            return cli_misused("%s does not take %s", wants->command, args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
    }
    return check(self, wants);
}

static void sign(const request *self, wfsm_post *post)
{
    post->size = sizeof *post;
    post->id = self->id;
    post->now = self->now < 0 ? owned_clock() : self->now;
    post->interface = WFSM_INTERFACE_COMMAND;
    post->sender = self->by ? self->by : owned_user();
}

static int post_many(const request *self, wfsm_post *post, const char *agent)
{
    sign(self, post);
    return bulk_post(&(bulk){.path = self->operands[0],
                             .which = &self->which,
                             .post = post,
                             .agent = agent,
                             .dry_run = self->dry_run});
}

static bool has_ended(wfsm_store *store, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(store, id, &head, NULL) == WFSM_OK && head.status == WFSM_DONE;
}

/* Nobody drives what has ended, so a post would stay where it is. */
static bool submit(wfsm_store *store, const wfsm_post *post)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    bool ended = has_ended(store, post->instance);
    bool fine = !ended && wfsm_store_submit(store, post, error) == WFSM_OK;
    if (ended)
        cli_say("%s: it has ended, and nobody takes what is posted for it", post->instance);
    else if (!fine)
        cli_say_error(post->instance, error);
    wfsm_error_free(error);
    return fine;
}

static bool post(const request *self, wfsm_post *post)
{
    wfsm_store *store = stored_open_to_write(self->operands[0]);
    sign(self, post);
    post->instance = self->operands[1];
    bool fine = store && submit(store, post);
    if (fine)
        shown_printf("posted for %s\n", self->operands[1]);
    wfsm_store_free(store);
    return fine;
}

/* {"invocation": …, KEY: …}. NULL with the reason said: the text is not UTF-8, or not JSON. */
static char *data_of(const request *self, const char *key)
{
    json_t *data = json_pack("{s:s}", "invocation", self->operands[2]);
    const char *text = self->operands[3];
    bool is_json = strcmp(key, "output") == 0;
    json_t *value = NULL;
    if (is_json)
        value =
            json_loads(text ? text : "null", JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    else if (text)
        value = json_string(text);
    bool fine =
        data && (value || (!is_json && !text)) &&
        (!value || json_object_set_new(data, key, value) == 0) &&
        (!self->failed || json_object_set_new(data, "class", json_string(self->failed)) == 0);
    char *made = fine ? cli_need(json_dumps(data, JSON_COMPACT)) : NULL;
    if (!fine)
        cli_say("%s is not %s", text ? text : self->operands[2], is_json ? "JSON" : "UTF-8");
    json_decref(data);
    return made;
}

static int about_invocation(const request *self, int32_t kind, const char *key)
{
    char *data = data_of(self, key);
    wfsm_post made = {.kind = kind, .data = data, .length = data ? strlen(data) : 0};
    bool fine = data && post(self, &made);
    free(data);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

static int post_event(request *self)
{
    bool many = self->which.given;
    const char *data = self->operands[many ? 2 : 3];
    wfsm_post made = {.name = self->operands[many ? 1 : 2],
                      .data = data ? data : "null",
                      .length = strlen(data ? data : "null")};
    if (many)
        return post_many(self, &made, NULL);
    return cli_finish(post(self, &made) ? CLI_OK : CLI_FAILED);
}

static int stop(request *self)
{
    wfsm_post made = {
        .kind = WFSM_POST_STOP, .name = "stop", .data = "null", .length = strlen("null")};
    if (self->which.given)
        return post_many(self, &made, NULL);
    return cli_finish(post(self, &made) ? CLI_OK : CLI_FAILED);
}

static int answer(request *self)
{
    return about_invocation(self, WFSM_POST_ANSWER, self->failed ? "message" : "output");
}

static int cancel(request *self)
{
    return about_invocation(self, WFSM_POST_CANCEL, "message");
}

static int retry(request *self)
{
    if (self->which.given)
        return post_many(self, &(wfsm_post){.kind = WFSM_POST_RETRY, .name = "retry"},
                         self->operands[1]);
    return about_invocation(self, WFSM_POST_RETRY, "message");
}

static int run(const usage *wants, int (*act)(request *), int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, wants, count, list);
    if (code == CLI_OK)
        code = act(&self);
    selection_free(&self.which);
    return code;
}

static int run_post(int count, char **list)
{
    return run(&(usage){"post", 3, 4, 2, 3}, post_event, count, list);
}

static int run_answer(int count, char **list)
{
    return run(&(usage){"answer", 3, 4, 0, 0}, answer, count, list);
}

static int run_stop(int count, char **list)
{
    return run(&(usage){"stop", 2, 2, 1, 1}, stop, count, list);
}

static int run_cancel(int count, char **list)
{
    return run(&(usage){"cancel", 3, 4, 0, 0}, cancel, count, list);
}

static int run_retry(int count, char **list)
{
    return run(&(usage){"retry", 3, 3, 1, 2}, retry, count, list);
}

const cli_command cmd_post = {"post", "leaves an event for instances", post_help, run_post};
const cli_command cmd_answer = {"answer", "leaves what an invocation has come to", answer_help,
                                run_answer};
const cli_command cmd_stop = {"stop", "has instances ended by their owners", stop_help,
                              run_stop};
const cli_command cmd_cancel = {"cancel", "has an invocation canceled by its owner",
                                cancel_help, run_cancel};
const cli_command cmd_retry = {"retry", "has invocations tried again by their owners",
                               retry_help, run_retry};
