#include "http_agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http_request.h"
#include "json_answer.h"
#include "key.h"
#include "sse.h"

enum { MOST_ERROR_BYTES = 64 * 1024, TELL_EVERY_MS = 2000 };
/* More is nonsense, whatever a server says. */
enum { MOST_TOKENS = 1000 * 1000 * 1000 };

/* What is made of the bytes that come. */
typedef enum wfa_form { FORM_UNKNOWN, FORM_STREAM, FORM_WHOLE, FORM_ERROR } wfa_form;

typedef struct wfa_talk {
    struct wfa_talk *next;
    wfa_http_agent *agent;
    wfa_http_call *call;
    wfa_form form;
    wfa_sse sse;
    wfa_text bytes;     /* of a reply that is no stream */
    wfa_reply reply;
    wfa_error why;      /* why the bytes were refused */
    int64_t told;      /* when progress was told, in ms of the call's duration */
    int64_t heard;     /* the last byte that a sign of life was given for, likewise */
    char *instance;
    char id[];         /* of the invocation */
} wfa_talk;

struct wfa_http_agent {
    const wfa_agent_config *config;
    const wfa_http_host *host;
    wfa_key key;
    wfa_talk *talks;
};

int wfa_http_agent_new(wfa_http_agent **agent, const wfa_agent_config *config,
                       const wfa_http_host *host, wfa_error *error)
{
    wfa_http_agent *made = calloc(1, sizeof *made);
    wfa_error why;

    *agent = NULL;
    if (made && config->type != WFA_AGENT_HTTP) {
        free(made);
        return wfa_fail(error, "agents.%s: expected type = \"http\"", config->name);
    }
    if (!made)
        return wfa_no_memory(error);
    made->config = config;
    made->host = host;
    if (wfa_key_read(&made->key, config->http->key_env, config->http->key_file, &why) != 0) {
        free(made);
        return wfa_fail(error, "agents.%s: %s", config->name, why.message);
    }
    *agent = made;
    return 0;
}

static void drop_talk(wfa_talk *talk)
{
    wfa_talk **at = &talk->agent->talks;

    while (*at != talk)
        at = &(*at)->next;
    *at = talk->next;
    wfa_http_forget(talk->call);
    wfa_sse_free(&talk->sse);
    wfa_text_free(&talk->bytes);
    wfa_reply_free(&talk->reply);
    free(talk->instance);
    free(talk);
}

void wfa_http_agent_free(wfa_http_agent *agent)
{
    if (!agent)
        return;
    while (agent->talks)
        drop_talk(agent->talks);
    wfa_key_clear(&agent->key);
    free(agent);
}

static wfa_talk *find_talk(const wfa_http_agent *agent, const wfsm_call *call)
{
    const char *id = wfsm_call_id(call);
    wfa_talk *talk = agent->talks;

    while (talk && id && strcmp(talk->id, id) != 0)
        talk = talk->next;
    return talk;
}

/* ---- progress ---- */

static void tell(wfa_talk *talk, const char *what)
{
    const wfa_http_agent *agent = talk->agent;
    char line[160];

    if (!agent->host->tell)
        return;
    (void)snprintf(line, sizeof line, "%.64s: %s", agent->config->name, what);
    agent->host->tell(agent->host->user, talk->instance, line);
}

static void tell_progress(wfa_talk *talk)
{
    int64_t passed = wfa_http_duration(talk->call);
    char what[80], duration[WFSM_DURATION_SIZE];

    if (talk->told > 0 && passed - talk->told < TELL_EVERY_MS)
        return;
    talk->told = passed > 0 ? passed : 1;
    if (talk->reply.text.length > 0)
        (void)snprintf(what, sizeof what, "%zu bytes of an answer after %s",
                       talk->reply.text.length, wfsm_progress_duration(passed, duration));
    else
        (void)snprintf(what, sizeof what, "at work for %s",
                       wfsm_progress_duration(passed, duration));
    tell(talk, what);
}

/* ---- what comes in ---- */

static int take_event(void *user, const char *name, const char *data, size_t length)
{
    wfa_talk *talk = user;

    (void)name; /* the data says what it is, in both dialects */
    if (wfa_reply_event(&talk->reply, data, length, &talk->why) != 0)
        return -1;
    return talk->reply.over;
}

static int keep_bytes(wfa_talk *talk, const char *bytes, size_t length)
{
    if (wfa_text_add(&talk->bytes, bytes, length) != 0)
        return wfa_no_memory(&talk->why);
    return talk->form == FORM_ERROR && talk->bytes.length > MOST_ERROR_BYTES;
}

static wfa_form form_of(const wfa_talk *talk)
{
    const char *type = wfa_http_type(talk->call);

    if (wfa_http_status(talk->call) != 200)
        return FORM_ERROR;
    if (strcmp(type, "text/event-stream") == 0)
        return FORM_STREAM;
    if (strcmp(type, "application/json") == 0)
        return FORM_WHOLE;
    if (*type)
        return FORM_UNKNOWN;
    return talk->agent->config->http->stream ? FORM_STREAM : FORM_WHOLE;
}

static int take_bytes(void *user, const char *bytes, size_t length)
{
    wfa_talk *talk = user;
    int answer;

    if (talk->form == FORM_UNKNOWN)
        talk->form = form_of(talk);
    if (talk->form == FORM_UNKNOWN)
        return wfa_fail(&talk->why, "expected text/event-stream or application/json, found %s",
                        wfa_http_type(talk->call));
    if (talk->form != FORM_STREAM)
        return keep_bytes(talk, bytes, length);
    answer = wfa_sse_feed(&talk->sse, bytes, length, &talk->why);
    if (answer == 0)
        tell_progress(talk);
    return answer;
}

/* ---- what it comes to ---- */

/* Messages are for the journal: whatever a server made up must be text, and hold no key. */
static int32_t failed(const wfa_talk *talk, wfsm_call *call, const char *class,
                      const char *message)
{
    char plain[sizeof((wfa_error *)0)->message];

    (void)snprintf(plain, sizeof plain, "%s", message);
    wfa_text_make_plain(plain, strlen(plain));
    wfa_key_hide(&talk->agent->key, plain);
    return wfsm_call_failed(call, class, plain);
}

static const char *class_of_status(long status)
{
    if (status == 401 || status == 403 || status == 407)
        return "auth";
    if (status == 408 || status == 425 || status == 429 || status >= 500)
        return "network";
    return "other";
}

/* With 401 a server likes to quote the key, or what it takes for it. */
static int32_t tell_status(wfa_talk *talk, wfsm_call *call)
{
    long status = wfa_http_status(talk->call);
    int64_t wait = wfa_http_retry_after(talk->call);
    char words[256] = "", message[400], later[64] = "";

    if (talk->bytes.length > 0 && status != 401)
        wfa_reply_error_text(talk->bytes.data, talk->bytes.length, words, sizeof words);
    if (wait >= 0) {
        (void)wfsm_call_retry_after(call, wait);
        (void)snprintf(later, sizeof later, "; not again before %lld s",
                       (long long)(wait / 1000));
    }
    (void)snprintf(message, sizeof message, "HTTP status %ld%s%s%s", status,
                   words[0] ? ", " : "", words, later);
    return failed(talk, call, class_of_status(status), message);
}

/* A key inside an answer would go into the store; escapes are undone by reading it. */
static int holds_key(const wfa_talk *talk, const char *answer, size_t length)
{
    json_t *read = json_loadb(answer, length, 0, NULL);
    char *text = json_dumps(read, JSON_COMPACT);
    int holds = wfa_key_is_in(&talk->agent->key, answer, length) ||
                (text && wfa_key_is_in(&talk->agent->key, text, strlen(text)));

    free(text);
    json_decref(read);
    return holds;
}

static int32_t tell_answer(wfa_talk *talk, wfsm_call *call)
{
    const char *text = talk->reply.text.data ? talk->reply.text.data : "", *answer;
    size_t length;
    wfa_error why;

    if (wfa_answer_find_in("the answer", text, talk->reply.text.length,
                           talk->agent->config->answer, &answer, &length, &why) != 0)
        return failed(talk, call, "schema", why.message);
    if (holds_key(talk, answer, length))
        return failed(talk, call, "other", "the answer holds the key of the service");
    return wfsm_call_done(call, answer, length);
}

static int is_refusal(const char *reason)
{
    return strcmp(reason, "refusal") == 0 || strcmp(reason, "content_filter") == 0;
}

static int32_t tell_reply(wfa_talk *talk, wfsm_call *call)
{
    const wfa_reply *reply = &talk->reply;
    char message[400];

    switch (reply->state) {
    case WFA_REPLY_WHOLE:
        return tell_answer(talk, call);
    case WFA_REPLY_FAILED:
        return failed(talk, call, reply->failure_class, reply->why);
    case WFA_REPLY_CUT:
        (void)snprintf(message, sizeof message, "the answer was cut off by the service: %s",
                       reply->why);
        return failed(talk, call, is_refusal(reply->why) ? "other" : "schema", message);
    case WFA_REPLY_OPEN:
        break;
    }
    return failed(talk, call, "network", "the reply ended before the answer did");
}

static int32_t tell_whole(wfa_talk *talk, wfsm_call *call)
{
    wfa_error why;

    if (talk->form == FORM_WHOLE &&
        wfa_reply_whole(&talk->reply, talk->bytes.data, talk->bytes.length, &why) != 0)
        return failed(talk, call, "schema", why.message);
    return tell_reply(talk, call);
}

static int32_t tell_refused(wfa_talk *talk, wfsm_call *call)
{
    return failed(talk, call, talk->form == FORM_UNKNOWN ? "other" : "schema",
                  talk->why.message);
}

static int32_t tell_end(wfa_talk *talk, wfsm_call *call)
{
    const char *why = wfa_http_message(talk->call);
    char message[400];

    switch (wfa_http_end_of(talk->call)) {
    case WFA_HTTP_DONE:
        return wfa_http_status(talk->call) == 200 ? tell_whole(talk, call)
                                                  : tell_status(talk, call);
    case WFA_HTTP_REFUSED:
        return tell_refused(talk, call);
    case WFA_HTTP_TOO_LONG:
        return failed(talk, call, "schema", why);
    case WFA_HTTP_TIMEOUT:
        return failed(talk, call, "timeout", why);
    case WFA_HTTP_NETWORK:
        return failed(talk, call, "network", why);
    case WFA_HTTP_UNTRUSTED:
        (void)snprintf(message, sizeof message, "the server cannot be trusted: %s", why);
        return failed(talk, call, "auth", message);
    case WFA_HTTP_RUNNING:
    case WFA_HTTP_FAILED:
        break;
    }
    return failed(talk, call, "other", why);
}

static void add_usage(wfsm_call *call, const char *name, int64_t amount)
{
    if (amount > 0)
        (void)wfsm_call_usage(call, name, amount);
}

/* What was asked and said is to be paid for, also when nothing came of it. */
static void tell_usage(const wfa_talk *talk, wfsm_call *call)
{
    const wfa_http_config *http = talk->agent->config->http;
    int64_t input = talk->reply.input_tokens, output = talk->reply.output_tokens;

    input = input > 0 && input < MOST_TOKENS ? input : 0;
    output = output > 0 && output < MOST_TOKENS ? output : 0;
    add_usage(call, "input_tokens", input);
    add_usage(call, "output_tokens", output);
    add_usage(call, "tokens", input + output);
    add_usage(call, "micros",
              wfa_http_price(input, http->price_input) +
                  wfa_http_price(output, http->price_output));
}

/* ---- the four callbacks ---- */

static wfa_talk *new_talk(wfa_http_agent *agent, wfsm_call *call)
{
    const char *id = wfsm_call_id(call), *instance = wfsm_call_instance(call);
    wfa_talk *talk = calloc(1, sizeof *talk + strlen(id) + 1);

    if (!talk)
        return NULL;
    memcpy(talk->id, id, strlen(id) + 1);
    talk->agent = agent;
    talk->instance = strdup(instance ? instance : "");
    wfa_reply_begin(&talk->reply, agent->config->http->dialect, agent->config->max_output);
    wfa_sse_begin(&talk->sse, agent->config->max_output + MOST_ERROR_BYTES, take_event, talk);
    talk->next = agent->talks;
    agent->talks = talk;
    return talk;
}

static int begin_talk(wfa_http_agent *agent, wfa_talk *talk, wfsm_call *call, wfa_error *error)
{
    wfa_http_request request;
    int answer = wfa_http_request_make(&request, agent->config, &agent->key, call,
                                       agent->host->store, error);

    request.spec.sink = take_bytes;
    request.spec.user = talk;
    if (answer == 0)
        answer = wfa_http_start(agent->host->http, &request.spec, &talk->call, error);
    wfa_http_request_clear(&request);
    return answer;
}

static int32_t start(void *user, wfsm_call *call)
{
    wfa_http_agent *agent = user;
    wfa_talk *talk = find_talk(agent, call);
    wfa_error why = {"out of memory", WFSM_NO_MEMORY};
    int32_t status;

    if (talk) /* an earlier attempt that the engine gave up */
        drop_talk(talk);
    talk = new_talk(agent, call);
    if (!talk)
        return wfsm_call_failed(call, "other", why.message);
    if (talk->instance && begin_talk(agent, talk, call, &why) == 0) {
        tell(talk, "asked");
        return WFSM_OK;
    }
    status = failed(talk, call, "other", why.message);
    drop_talk(talk);
    return status;
}

/* Every byte counts, also those that are not part of the answer. */
static void give_sign_of_life(wfa_talk *talk, wfsm_call *call)
{
    int64_t heard = wfa_http_heard(talk->call);

    if (heard != talk->heard)
        (void)wfsm_call_heartbeat(call);
    talk->heard = heard;
}

static int32_t poll(void *user, wfsm_call *call)
{
    wfa_http_agent *agent = user;
    wfa_talk *talk = find_talk(agent, call);
    int32_t status;

    if (!talk)
        return wfsm_call_failed(call, "other", "this agent does not know the call");
    if (wfa_http_end_of(talk->call) == WFA_HTTP_RUNNING) {
        give_sign_of_life(talk, call);
        return WFSM_OK;
    }
    status = tell_end(talk, call);
    tell_usage(talk, call);
    drop_talk(talk);
    return status;
}

static int32_t cancel(void *user, wfsm_call *call)
{
    wfa_talk *talk = find_talk(user, call);

    if (talk)
        drop_talk(talk);
    return WFSM_OK;
}

static int32_t probe(void *user, wfsm_call *call)
{
    return find_talk(user, call) ? poll(user, call) : wfsm_call_gone(call);
}

void wfa_http_agent_callbacks(wfa_http_agent *agent, wfsm_agent *callbacks)
{
    *callbacks = (wfsm_agent){.size = sizeof *callbacks,
                              .user = agent,
                              .start = start,
                              .poll = poll,
                              .cancel = cancel,
                              .probe = probe};
}
