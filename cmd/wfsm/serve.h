/*
 * serve.h: `wfsm serve`, a page on the loopback that shows a store and acts on it. One thread; the store is
 * opened for each request, for reading only. Actions are commands of wfsm in processes of their own.
 *
 *   cmd_serve.c       the command line, and the loop
 *   serve_http.c      requests and answers, with libmicrohttpd; no_serve.c is there without it
 *   serve_guard.c     who may ask: the token, the cookie, the host, the origin
 *   serve_list.c      the list of instances, and its filters
 *   serve_machine.c   a machine, with how many instances are in each state
 *   serve_instance.c  one instance, and the forms of its actions
 *   serve_children.c  its parent and its children
 *   serve_states.c    remembers what is active in which instance
 *   serve_actions.c   what the forms do
 *   serve_events.c    tells a page that something has changed, and /metrics
 *   serve_parts.c     the frame of a page, links, the style and the script
 */
#ifndef WFSM_SERVE_H
#define WFSM_SERVE_H

#include <stdint.h>
#include "wfsm/html.h"
#include "wfsm/many.h"
#include "wfsm/selection.h"
#include "wfsm/trace.h"

enum { SERVE_SECRET = 64, SERVE_FIELDS = 64, SERVE_FORM = 1 << 20, SERVE_PAGE = 50 };
enum { SERVE_SAID = 64 };            /* what so many actions came to is kept */
enum { SERVE_MOST_SEEN = 100000 }; /* instances that a page looks at */
enum {
    SERVE_LOADS_MS = 500
};    /* how long a page reads instances that are not known yet: others wait behind it */

/* The active states of an instance. */
typedef struct serve_state {
    json_t *paths;
    bool stopped, asks; /* asks: it may ask people */
} serve_state;
typedef struct serve_states serve_states;

typedef struct serve {
    const char *store, *person;
    bool read_only;
    trace_exporter exporter;
    int64_t port;
    char token[SERVE_SECRET + 1];  /* in the address, at first */
    char cookie[SERVE_SECRET + 1]; /* then */
    char form[SERVE_SECRET + 1];   /* in every form */
    cli_text
        said[SERVE_SAID]; /* what an action came to: that of number N is at N % SERVE_SAID */
    uint64_t said_count;
    serve_states *states;
} serve;

typedef struct serve_field {
    char *name;
    cli_text value;
} serve_field;

typedef struct serve_request {
    serve *self;
    const char *path;
    bool posts;
    bool asks_sum; /* only the answer's sum is wanted */
    serve_field fields[SERVE_FIELDS]; /* of the address, or of the form */
    size_t count, bytes;
    bool too_large;
} serve_request;

typedef struct serve_answer {
    unsigned status;
    const char *type;
    cli_text body;
    char *location; /* of another page; owned */
    bool gives_cookie;
    uint64_t sum; /* differs if the page would show something else */
} serve_answer;

/* The field's value, "" if there is none. Of several, the first. */
const char *serve_get(const serve_request *asked, const char *name);

/* ---- serve_http.c ---- */
/* Serves until a signal; the exit code. */
int serve_run(serve *self);
/* Starts the server with these flags of libmicrohttpd; NULL: the port cannot be used. */
struct http_clients;
struct MHD_Daemon *serve_daemon(serve *self, struct http_clients *clients, unsigned flags);

/* ---- serve_guard.c ---- */
bool serve_make_secrets(serve *self);
/* Both texts are the same; takes as long for each. */
bool serve_same(const char *left, const char *right);
/* Whether the host of a request is this server's own name on the loopback. */
bool serve_is_own_host(const serve *self, const char *host);
/* Whether a form comes from a page of this server. */
bool serve_is_own_form(const serve_request *asked, const char *origin, const char *host);
bool serve_has_cookie(const serve *self, const char *cookies);

/* ---- the pages ---- */
/* The page of this path. */
void serve_page(const serve_request *asked, serve_answer *answer);
void serve_list(const serve_request *asked, serve_answer *answer);
void serve_machine(const serve_request *asked, serve_answer *answer);
void serve_instance(const serve_request *asked, serve_answer *answer);
void serve_diff(const serve_request *asked, serve_answer *answer);
void serve_act(const serve_request *asked, serve_answer *answer);
void serve_events(const serve_request *asked, serve_answer *answer);
void serve_metrics(const serve_request *asked, serve_answer *answer);

/* ---- serve_parts.c ---- */
void serve_begin(cli_text *out, const serve *self, const char *title);
void serve_end(serve_answer *answer);
/* FNV-1a, from SERVE_SUM on. */
#define SERVE_SUM UINT64_C(0xcbf29ce484222325)
uint64_t serve_sum(uint64_t sum, const void *bytes, size_t length);
/* What a head adds: its commit, and its owner. */
void serve_sum_head(serve_answer *answer, const char *id, const char *token, const char *owner);
/* An error page. */
void serve_fail(serve_answer *answer, unsigned status, const char *text);
/* The store, or NULL after an error page. */
wfsm_store *serve_open(const serve *self, serve_answer *answer);
/* For addresses. */
void serve_encode(cli_text *out, const char *text);
void serve_link(cli_text *out, const char *path, const char *key, const char *value);
/* "12 s ago" */
void serve_ago(cli_text *out, int64_t ms);
extern const char serve_style[], serve_script[];

/* ---- serve_children.c ---- */
/* `parent` is the invocation whose child it is, or "". */
void serve_family(serve_answer *answer, wfsm_store *store, const char *id, const char *parent);

/* ---- serve_states.c ---- */
serve_states *serve_states_new(void);
void serve_states_free(serve_states *self);
/* Borrowed until the next fetch. NULL: it is not known, or damaged. */
const serve_state *serve_state_known(const serve_states *self, const stored_head *head);
/* Reads what is not known yet of these. False: at this time there were some left. */
bool serve_states_fetch(serve_states *self, wfsm_store *store, const stored_head *heads,
                        size_t count, int64_t until);

/* ---- serve_actions.c ---- */
/* What the action of this number came to; NULL: it is forgotten, or there was none. */
const char *serve_said(const serve *self, const char *number);
/* Runs a command; what it printed is added to `said`. Its exit code. */
int serve_command(const char *const *words, cli_text *said);
#endif
