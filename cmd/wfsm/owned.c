#include "wfsm/owned.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/print.h"
#include "wfsm/shown.h"

/* Longer than any commit takes. After a kill, those wait so long who cannot see that the process has ended. */
enum { LAPSE_MS = 10000 };

const char *owned_user(void)
{
    const char *user = getenv("USER");
    return user && *user ? user : NULL;
}

int64_t owned_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static wfsm_store *open_store(const owned *self)
{
    return self->only_reads ? stored_open(self->path) : stored_open_to_write(self->path);
}

static void join_session(owned *self, owned_session *session)
{
    if (!session->store) {
        owned_name(session->name);
        session->store = open_store(self);
    }
    memcpy(self->name, session->name, sizeof self->name);
    self->store = session->store;
}

bool owned_open(owned *self, const char *path, const char *id)
{
    self->path = path;
    self->error = cli_need(wfsm_error_new(NULL));
    if (self->now < 0)
        self->now = owned_clock();
    if (self->session) {
        join_session(self, self->session);
    } else {
        owned_name(self->name);
        self->store = open_store(self);
    }
    return self->store && stored_find(self->store, path, id, &self->head);
}

bool owned_load(owned *self)
{
    return self->session ? stored_load_known(&self->loaded, self->store, &self->head,
                                             &self->session->machines)
                         : stored_load(&self->loaded, self->store, &self->head);
}

void owned_session_end(owned_session *self)
{
    if (self->alive > 0)
        wfsm_store_remove_owner(self->store, self->name, NULL);
    stored_machines_free(&self->machines);
    wfsm_store_free(self->store);
}

/* Until when the owner is alive: the last word of the store's message. "?" if it says no time. */
static void alive_until(const wfsm_error *error, char out[PRINT_TIME_BYTES])
{
    const char *word = strrchr(wfsm_error_message(error), ' ');
    char *end = NULL;
    long long until = word ? strtoll(word, &end, 10) : 0;
    if (word && end != word && !*end)
        print_time(until, out);
    else
        snprintf(out, PRINT_TIME_BYTES, "?");
}

/* Takes the instance. If another owner lives, `until` says until when. */
static int32_t be_alive(owned *self)
{
    owned_session *session = self->session;
    if (session && session->alive > self->now + LAPSE_MS / 2)
        return WFSM_OK;
    int32_t status =
        wfsm_store_owner_alive(self->store, self->name, self->now + LAPSE_MS, self->error);
    if (session && status == WFSM_OK)
        session->alive = self->now + LAPSE_MS;
    return status;
}

/* An owner whose process was killed on this machine need not lapse first. */
static int32_t take(owned *self)
{
    int32_t status =
        wfsm_store_own(self->store, self->head.id, self->name, self->now, self->error);
    if (status != WFSM_DENIED || !owned_is_gone(self->head.owner))
        return status;
    status = wfsm_store_remove_owner(self->store, self->head.owner, self->error);
    return status != WFSM_OK
               ? status
               : wfsm_store_own(self->store, self->head.id, self->name, self->now, self->error);
}

static int32_t ask(owned *self)
{
    int32_t status = be_alive(self);
    if (status == WFSM_OK)
        status = take(self);
    self->mine = status == WFSM_OK;
    if (status == WFSM_DENIED)
        alive_until(self->error, self->until);
    if (!self->mine && !self->session)
        wfsm_store_remove_owner(self->store, self->name, NULL);
    return status;
}

bool owned_elsewhere(owned *self)
{
    return ask(self) == WFSM_DENIED && strcmp(self->head.owner, "") != 0;
}

static bool own(owned *self)
{
    int32_t status = self->mine ? WFSM_OK : ask(self);
    if (status == WFSM_DENIED && strcmp(self->head.owner, "") != 0)
        cli_say(
            "%s: %s belongs to %s, which is alive until %s: only its own program may do this",
            self->path, self->head.id, self->head.owner, self->until);
    else if (status != WFSM_OK)
        cli_say_error(self->path, self->error);
    return self->mine;
}

bool owned_take(owned *self)
{
    return own(self) && owned_load(self);
}

void owned_tell_posted(const char *id, const char *owner, const char *until)
{
    shown_printf("posted: %s belongs to %s, which is alive until %s and takes it in its next "
                 "run\n",
                 id, owner, until);
}

bool owned_submit(owned *self, wfsm_post *post)
{
    post->size = sizeof *post;
    post->instance = self->head.id;
    post->now = self->now;
    post->interface = WFSM_INTERFACE_COMMAND;
    int32_t status = wfsm_store_submit(self->store, post, self->error);
    if (status == WFSM_EXISTS && self->may_exist) {
        shown_printf("has it already\n");
        return true;
    }
    if (!owned_done(self, status))
        return false;
    if (self->mine)
        shown_printf("posted for %s: only its own program has the guards and actions of its "
                     "document\n",
                     self->head.id);
    else
        owned_tell_posted(self->head.id, self->head.owner, self->until);
    return true;
}

bool owned_post(owned *self, int32_t kind, const char *by, json_t *data)
{
    char *text = data ? cli_need(json_dumps(data, JSON_COMPACT)) : NULL;
    bool fine = owned_submit(self, &(wfsm_post){.kind = kind,
                                                .data = text,
                                                .length = text ? strlen(text) : 0,
                                                .sender = by ? by : owned_user()});
    free(text);
    json_decref(data);
    return fine;
}

static void give_back(owned *self)
{
    int32_t status = WFSM_OK;
    if (self->mine)
        status = wfsm_store_disown(self->store, self->head.id, self->name, self->error);
    if (status == WFSM_DENIED) /* another's by now: nothing to give */
        status = WFSM_OK;
    if (status == WFSM_OK && !self->session)
        status = wfsm_store_remove_owner(self->store, self->name, self->error);
    if (status != WFSM_OK)
        cli_say_error(self->path, self->error);
}

void owned_close(owned *self)
{
    stored_unload(&self->loaded);
    if (self->mine)
        give_back(self);
    stored_head_free(&self->head);
    if (!self->session)
        wfsm_store_free(self->store);
    wfsm_error_free(self->error);
}

bool owned_done(const owned *self, int32_t status)
{
    if (status != WFSM_OK)
        cli_say_error(self->head.id, self->error);
    return status == WFSM_OK;
}

void owned_tell(wfsm_instance *instance, const char *format, ...)
{
    size_t length = 0;
    va_list arguments;
    const char *states = wfsm_instance_configuration(instance, &length);
    char *joined = print_joined(states ? states : "[]", states ? length : 2, " ");
    shown_printf("revision %" PRIu64 ": ", wfsm_instance_revision(instance));
    va_start(arguments, format);
    shown_vfprintf(stdout, format, arguments);
    va_end(arguments);
    shown_printf(" at %s\n", joined);
    free(joined);
}

bool owned_time(const char *text, int64_t *now)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && value >= 0) {
        *now = value;
        return true;
    }
    cli_misused("--now takes milliseconds, not %s", text);
    return false;
}
