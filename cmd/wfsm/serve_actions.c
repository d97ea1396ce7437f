#include "wfsm/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/forked.h"
#include "wfsm/owned.h"
#include "wfsm/shown.h"

enum { MOST_MS = 30000, MOST_SAID = 1 << 20 };

/* ---- commands ---- */

static bool read_some(int *file, cli_text *said)
{
    char bytes[4096];
    ssize_t got = read(*file, bytes, sizeof bytes);
    if (got > 0 && said->length + (size_t)got < MOST_SAID)
        cli_text_add(said, bytes, (size_t)got);
    if (got > 0 || (got < 0 && errno == EINTR))
        return true;
    close(*file);
    *file = -1;
    return false;
}

static int collect(pid_t process, int file, cli_text *said)
{
    while (file >= 0) {
        struct pollfd ready = {.fd = file, .events = POLLIN};
        int found = poll(&ready, 1, MOST_MS);
        if (found == 0)
            kill(process, SIGKILL); /* its end of the pipe is closed then */
        else
            read_some(&file, said);
    }
    return forked_code(process);
}

int serve_command(const char *const *words, cli_text *said)
{
    int ends[2];
    if (pipe(ends) != 0)
        return CLI_FAILED;
    pid_t process = forked_start(words, NULL, ends, ends);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return CLI_FAILED;
    }
    return collect(process, ends[0], said);
}

/* ---- the actions ---- */

typedef struct acting {
    const serve_request *asked;
    const char *words[16];
    size_t count;
} acting;

static void add(acting *self, const char *word)
{
    self->words[self->count++] = word;
}

static void add_option(acting *self, const char *option, const char *value)
{
    if (*value) {
        add(self, option);
        add(self, value);
    }
}

static const char *field(const acting *self, const char *name)
{
    return serve_get(self->asked, name);
}

static void add_store_and(acting *self, const char *id)
{
    add(self, "--");
    add(self, self->asked->self->store);
    add(self, id);
}

static void post(acting *self)
{
    add(self, "post");
    add_option(self, "--by", self->asked->self->person);
    add_store_and(self, field(self, "id"));
    add(self, field(self, "event"));
    if (*field(self, "data"))
        add(self, field(self, "data"));
}

static void stop(acting *self)
{
    add(self, "stop");
    add_option(self, "--by", self->asked->self->person);
    add_store_and(self, field(self, "id"));
}

static void retry(acting *self)
{
    add(self, "retry");
    add_option(self, "--by", self->asked->self->person);
    add_store_and(self, field(self, "id"));
    add(self, field(self, "invocation"));
}

static void vote(acting *self)
{
    add(self, strcmp(field(self, "decision"), "approve") == 0 ? "approve" : "reject");
    add_option(self, "--by", self->asked->self->person);
    add_option(self, "--reason", field(self, "reason"));
    add_store_and(self, field(self, "invocation"));
    add(self, field(self, "digest"));
}

/* "@7" is the revision 7. */
static void add_revision(acting *self)
{
    const char *origin = field(self, "checkpoint");
    if (*origin == '@')
        add_option(self, "--at", origin + 1);
}

static void restore(acting *self)
{
    const char *origin = field(self, "checkpoint");
    add(self, "restore");
    add_option(self, "--by", self->asked->self->person);
    add_revision(self);
    add_store_and(self, field(self, "id"));
    if (*origin != '@')
        add(self, origin);
}

static void fork_it(acting *self)
{
    const char *origin = field(self, "checkpoint");
    add(self, "fork");
    add_option(self, "--by", self->asked->self->person);
    add_revision(self);
    if (*origin != '@')
        add_option(self, "--checkpoint", origin);
    add_store_and(self, field(self, "id"));
    add(self, field(self, "to"));
}

static const struct {
    const char *name;
    void (*make)(acting *self);
} actions[] = {{"post", post}, {"stop", stop},       {"retry", retry},
               {"vote", vote}, {"restore", restore}, {"fork", fork_it}};

static bool make_words(acting *self)
{
    const char *name = field(self, "action");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0) {
            actions[i].make(self);
            return true;
        }
    return false;
}

/* What was refused is in no journal. */
static void note(const acting *self, int code)
{
    const char *decision = field(self, "decision"), *what = field(self, "invocation");
    char time[PRINT_TIME_BYTES];
    shown_printf("%s  %s: %s %s%s%s: %s\n", print_time(owned_clock(), time),
                 self->asked->self->person, field(self, "action"),
                 *what ? what : field(self, "id"), *decision ? " " : "", decision,
                 code == CLI_OK ? "done" : "not done");
    fflush(stdout);
}

const char *serve_said(const serve *self, const char *number)
{
    char *end;
    uint64_t wanted = strtoull(number, &end, 10);
    bool is_kept = *number && *end == '\0' && wanted < self->said_count &&
                   self->said_count - wanted <= SERVE_SAID;
    return is_kept ? self->said[wanted % SERVE_SAID].data : NULL;
}

/* The address says which message is shown, so another window neither takes nor shows it. */
static void lead_back(const serve_request *asked, serve_answer *answer)
{
    cli_text to = {0};
    html_raw(&to, "/instance?id=");
    serve_encode(&to, serve_get(asked, "id"));
    html_raw(&to, "&said=%" PRIu64, asked->self->said_count - 1);
    answer->status = 303;
    answer->location = to.data;
}

void serve_act(const serve_request *asked, serve_answer *answer)
{
    acting self = {.asked = asked};
    cli_text *said = &asked->self->said[asked->self->said_count % SERVE_SAID];
    if (asked->self->read_only) {
        serve_fail(answer, 403, "this page only reads");
        return;
    }
    if (!make_words(&self)) {
        serve_fail(answer, 400, "there is no such action");
        return;
    }
    said->length = 0;
    int code = serve_command(self.words, said);
    note(&self, code);
    if (said->length == 0)
        html_raw(said, code == CLI_OK ? "done" : "it was not done");
    asked->self->said_count++;
    lead_back(asked, answer);
}
