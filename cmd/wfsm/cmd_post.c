/* The commands post, answer, stop, cancel and retry: they leave an input for the owner of an
 * instance, whether or not a program owns it now. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

#define OPTIONS                                                                                \
    "  --by NAME   who sends it; the default is the user's name. The record says so\n"         \
    "  --id ID     the id of the post; a post with a known id is not posted again\n"           \
    "  --now MS    the time of the post in milliseconds; the default is the clock\n"           \
    "\n"                                                                                       \
    "Exit codes: 0 posted; 1 not posted; 64 the command line is wrong.\n"

#define WHEN                                                                                   \
    "The program that owns the instance takes the post, now or when it runs again, and the\n"  \
    "journal shows the result.\n"                                                              \
    "\n"

static const char post_help[] =
    "usage: wfsm post [OPTION]… STORE ID EVENT [DATA]\n"
    "\n"
    "Posts an event to an instance of an SQLite store. DATA is JSON; "
    "the default is null.\n" WHEN OPTIONS;
static const char answer_help[] =
    "usage: wfsm answer [OPTION]… STORE ID INVOCATION [OUTPUT]\n"
    "       wfsm answer [OPTION]… --failed CLASS STORE ID INVOCATION [MESSAGE]\n"
    "\n"
    "Posts what an invocation has come to. OUTPUT is JSON; the default is null. People answer\n"
    "with approve and reject.\n" WHEN
    "  --failed CLASS   it has failed: network, timeout, auth, schema, exit, canceled, other\n" OPTIONS;
static const char stop_help[] =
    "usage: wfsm stop [OPTION]… STORE ID\n"
    "\n"
    "Ends an instance of an SQLite store wherever it is.\n" WHEN OPTIONS;
static const char cancel_help[] =
    "usage: wfsm cancel [OPTION]… STORE ID INVOCATION [MESSAGE]\n"
    "\n"
    "Ends an invocation as a failure of class \"canceled\", without retries.\n" WHEN OPTIONS;
static const char retry_help[] =
    "usage: wfsm retry [OPTION]… STORE ID INVOCATION\n"
    "\n"
    "Starts the next attempt of an invocation that waits for it, or that is running.\n" WHEN
        OPTIONS;

typedef struct request {
    const char *by, *id, *failed;
    const char *operands[4]; /* store, instance, event or invocation, data or message */
    int count;
    int64_t now;
} request;

enum { BY, ID, NOW, FAILED };

static int parse(request *self, const char *command, int least, int most, int count,
                 char **list)
{
    static const cli_option options[] = {
        {"--by", true}, {"--id", true}, {"--now", true}, {"--failed", true}, {NULL, false}};
    const char **values[] = {[BY] = &self->by, [ID] = &self->id, [FAILED] = &self->failed};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == NOW && !owned_time(args.value, &self->now)))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->count == most)
            return cli_misused("%s does not take %s", command, args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
        else if (found != NOW)
            *values[found] = args.value;
    }
    if (self->failed && strcmp(command, "answer") != 0)
        return cli_misused("%s does not take --failed", command);
    if (self->count < least)
        return cli_misused("%s needs a store and an id%s", command,
                           least > 2 ? ", and what it is about" : "");
    return CLI_OK;
}

static bool post(const request *self, wfsm_post *post)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_store *store = stored_open_to_write(self->operands[0]);
    post->size = sizeof *post;
    post->instance = self->operands[1];
    post->id = self->id;
    post->now = self->now < 0 ? owned_clock() : self->now;
    post->interface = WFSM_INTERFACE_COMMAND;
    post->sender = self->by ? self->by : owned_user();
    bool fine = store && wfsm_store_submit(store, post, error) == WFSM_OK;
    if (store && !fine)
        cli_say_error(self->operands[1], error);
    if (fine)
        shown_printf("posted for %s\n", self->operands[1]);
    wfsm_store_free(store);
    wfsm_error_free(error);
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

static int run_post(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, "post", 3, 4, count, list);
    if (code != CLI_OK)
        return code;
    const char *data = self.operands[3];
    wfsm_post made = {
        .name = self.operands[2], .data = data, .length = data ? strlen(data) : 0};
    return cli_finish(post(&self, &made) ? CLI_OK : CLI_FAILED);
}

static int run_answer(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, "answer", 3, 4, count, list);
    if (code != CLI_OK)
        return code;
    return about_invocation(&self, WFSM_POST_ANSWER, self.failed ? "message" : "output");
}

static int run_stop(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, "stop", 2, 2, count, list);
    if (code != CLI_OK)
        return code;
    return cli_finish(post(&self, &(wfsm_post){.kind = WFSM_POST_STOP}) ? CLI_OK : CLI_FAILED);
}

static int run_cancel(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, "cancel", 3, 4, count, list);
    return code == CLI_OK ? about_invocation(&self, WFSM_POST_CANCEL, "message") : code;
}

static int run_retry(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, "retry", 3, 3, count, list);
    return code == CLI_OK ? about_invocation(&self, WFSM_POST_RETRY, "message") : code;
}

const cli_command cmd_post = {"post", "leaves an event for an instance", post_help, run_post};
const cli_command cmd_answer = {"answer", "leaves what an invocation has come to", answer_help,
                                run_answer};
const cli_command cmd_stop = {"stop", "has an instance ended by its owner", stop_help,
                              run_stop};
const cli_command cmd_cancel = {"cancel", "has an invocation canceled by its owner",
                                cancel_help, run_cancel};
const cli_command cmd_retry = {"retry", "has an invocation tried again by its owner",
                               retry_help, run_retry};
