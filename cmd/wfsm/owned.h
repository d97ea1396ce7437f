/* owned.h: an instance of a store that a command changes. The command takes the instance for the
 * moment, and gives it back. While another owner lives, it leaves a post for that one. */
#ifndef WFSM_OWNED_H
#define WFSM_OWNED_H

#include <jansson.h>
#include "wfsm/print.h"
#include "wfsm/stored.h"

/* Room for the name of a session. */
enum { OWNED_NAME_BYTES = 320 };

/* What a command that changes many instances keeps from one to the next. */
typedef struct owned_session {
    wfsm_store *store;
    stored_machines machines;
    char name[OWNED_NAME_BYTES];
    int64_t alive; /* until when it counts as alive; 0: it is not known to the store */
} owned_session;

typedef struct owned {
    owned_session
        *session; /* set by the caller before; NULL: the command is about one instance */
    bool
        only_reads; /* set by the caller before: nothing is taken, and the store need not be writable */
    wfsm_store *store;
    stored_head head;
    stored_instance loaded;
    wfsm_error *error;
    const char *path;
    int64_t now; /* of the input; < 0: the clock's */
    char name[OWNED_NAME_BYTES]; /* of this process as an owner */
    bool mine;
    bool may_exist; /* set by the caller before: a post with a known id is fine */
    char until[PRINT_TIME_BYTES]; /* if another owner lives: until when */
} owned;

/* Opens the store for writing and finds the instance; `now` is set by the caller before. All
 * three: false with the reason said. */
bool owned_open(owned *self, const char *path, const char *id);
/* Loads it without owning it, for questions. */
bool owned_load(owned *self);
/* True if another owner lives, so that the command has to leave a post. Otherwise it is taken, if
 * nothing fails. */
bool owned_elsewhere(owned *self);
/* Takes it and loads it. */
bool owned_take(owned *self);
/* Leaves a post for the program that owns the instance, and says so. The kind, name, id, data and
 * sender are set. */
bool owned_submit(owned *self, wfsm_post *post);
/* Prints that an input was posted, and which living program owns the instance and will take it. */
void owned_tell_posted(const char *id, const char *owner, const char *until);
/* Posts an input of this kind (enum wfsm_post_kind) for the owner, and says so. `by` is the sender; NULL:
 * the user. Takes `data` away, which may be NULL: null. */
bool owned_post(owned *self, int32_t kind, const char *by, json_t *data);
/* Whatever was opened or taken is given back. */
void owned_close(owned *self);

/* After the last instance. */
void owned_session_end(owned_session *self);

/* True for WFSM_OK; false after printing the error. */
bool owned_done(const owned *self, int32_t status);
/* "revision 7: WHAT at STATES" */
void owned_tell(wfsm_instance *instance, const char *format, ...) CLI_PRINTF(2, 3);
/* The name of the user, who is the sender of posts; NULL: there is none. Anybody can set it. */
const char *owned_user(void);
/* owned_name.c: a name of this process as an owner of instances. */
void owned_name(char name[OWNED_NAME_BYTES]);
/* True if the process of this name has ended; false, too, if it runs elsewhere, or its name does not tell. */
bool owned_is_gone(const char *owner);
/* The clock, in milliseconds. */
int64_t owned_clock(void);
/* The milliseconds of --now; false after printing an error. */
bool owned_time(const char *text, int64_t *now);
#endif
