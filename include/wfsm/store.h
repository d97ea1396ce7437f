/*
 * wfsm/store.h: where commits go. A store is a vtable over the author's own data; wfsm ships
 * a memory store (here) and SQLite (wfsm/sqlite.h). The core hands it finished text and
 * numbers and never asks it to understand them.
 *
 * What a store promises (doc/store.md has the conformance list):
 * - a commit is all or nothing; it is accepted only if the head still has the commit's base
 *   revision and owner; after WFSM_OK it survives whatever the store says it survives;
 * - answers: WFSM_OK; WFSM_CONFLICT (another revision, owner or token, nothing written);
 *   WFSM_EXISTS (the event id, or with base 0 the instance, is already there, nothing
 *   written); WFSM_STORE_FAILED or any other failure (nothing written);
 *   WFSM_STORE_UNKNOWN (cannot tell);
 * - what it hands out is what it was given, byte for byte.
 */
#ifndef WFSM_STORE_H
#define WFSM_STORE_H

#include <wfsm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place where instances live: in memory, in a file, or wherever an author puts them. */
typedef struct wfsm_store wfsm_store;

/* One commit: one input of one instance. Strings are borrowed for the call. */
typedef struct wfsm_commit {
    size_t size;
    const char *instance;  /* its id */
    uint64_t base;         /* revision it was made from; the new one is base + 1.
                              0: the instance must not exist yet */
    const char *owner;     /* must be the head's owner; "" is nobody */
    const char *token;     /* of this attempt, to recognise it if the answer is lost;
                              the digest of the record */
    const char *event_id;  /* NULL, or an id that no record of the instance may have yet */
    uint64_t inbox;        /* number of the post that this commit consumes, 0: none */
    const char *record;    /* JSON, for the journal */
    size_t record_length;  /* bytes of it, as all lengths */
    const char *snapshot;  /* NULL, or the full snapshot after this commit, JSON */
    size_t snapshot_length; /* bytes */
    const char *checkpoint; /* NULL, or the id under which `checkpoint_snapshot` is kept */
    const char *checkpoint_snapshot; /* JSON */
    size_t checkpoint_length;        /* bytes */
    const char *artifacts; /* JSON list of names that go with the checkpoint; NULL: [] */
    size_t artifacts_length; /* bytes */
    const char *checkpoint_deleted; /* NULL, or the id of one that is to go; not together
                                       with `checkpoint` */
    const char *machine;     /* id of the machine */
    const char *fingerprint; /* of its document */
    const char *document;    /* NULL when the store has it under this fingerprint already */
    size_t document_length; /* bytes */
    const char *tags;     /* tags of the active states, space-separated and sorted */
    int32_t status;       /* enum wfsm_instance_status, after this commit */
    int64_t deadline;     /* when the instance must be called again, or WFSM_NEVER */
    int64_t now;          /* time of the step */
    uint64_t effects;     /* number of the last effect made so far */
    /* What the head's token must be, so that nothing is added to another history. NULL: it is not
     * compared. */
    const char *previous;
    /* Effects up to this one, all made before this commit, are acknowledged; 0: none are. An exchange
     * carries this out with `acknowledge`, so `commit` of an author's store need not look at it. */
    uint64_t acknowledged;
    /* 1: the instance belongs to nobody after this commit, unless other posts than `inbox` wait for
     * it. */
    int32_t gives_up;
    /* 1: whoever makes it drives the instance in the name of its owner, and is not the owner: the owner's
     * `changes` differ afterwards. */
    int32_t by_hand;
    /* What the instance can be found by after this commit, the key `attributes` of its document: a JSON
     * object with ascending names, whose values are numbers, booleans and strings. NULL: "{}".
     * Since 0.1. */
    const char *attributes;
} wfsm_commit;

/* The head of an instance. Strings borrowed until the next call on the store. */
typedef struct wfsm_head {
    size_t size;
    const char *instance; /* its id */
    const char *machine; /* id of the machine */
    const char *fingerprint; /* of its document */
    const char *owner; /* "" is nobody */
    const char *token; /* of the last commit */
    const char *tags; /* of the active states, space-separated and sorted */
    uint64_t revision; /* of the last record */
    uint64_t snapshot_revision; /* the last record that came with a full snapshot */
    uint64_t effects; /* last effect made */
    uint64_t acknowledged; /* last effect acknowledged */
    int32_t status; /* enum wfsm_instance_status */
    int64_t deadline; /* when it must be called again, or WFSM_NEVER */
    int64_t created; /* `now` of the first commit */
    int64_t updated; /* `now` of the last commit */
    uint64_t first; /* the oldest record that is kept: 1 until the journal is compacted */
    const char *attributes; /* of the last commit; NULL from a store: "{}". Since 0.1. */
} wfsm_head;

/* What the store pushes to a reader, one row at a time; members that do not apply are 0. */
typedef struct wfsm_row {
    size_t size;
    const wfsm_head *head; /* list */
    const char *id; /* checkpoint id, or event id of a post or record (may be NULL) */
    const char *instance; /* of a post */
    const char *name; /* of the event of a post; for other kinds a word for the kind */
    uint64_t revision; /* of a record, snapshot or checkpoint */
    uint64_t number; /* of a post, from 1, unique in the store, rising */
    int64_t now; /* of a record, checkpoint or post */
    const char *text; /* record, snapshot, data of a post, document; in the listing
                              of checkpoints the artifacts, a JSON list of names */
    size_t length; /* bytes of text */
    int32_t kind; /* of a post: enum wfsm_post_kind */
    int32_t interface; /* of a post: enum wfsm_interface */
    const char *sender; /* of a post, or NULL */
    int32_t part; /* in an exchange: enum wfsm_row_part, what the row is */
} wfsm_row;

/* The rows of an exchange. */
enum wfsm_row_part {
    WFSM_ROW_POST = 1,
    WFSM_ROW_HEAD = 2,
    WFSM_ROW_SNAPSHOT = 3, /* of the instance whose head came last */
    WFSM_ROW_RECORD = 4, /* of the instance whose head came last */
    WFSM_ROW_OWNED = 5, /* the head of an instance that belongs to the session. Since 0.1. */
    /* The next two come from `share`. Since 0.1. */
    WFSM_ROW_SERVES =
        6, /* `id` is a session, and `name` the fingerprint of a document that it serves */
    WFSM_ROW_LEFT =
        7 /* `id` is an owner that is not alive, or "" for nobody; it has instances of the
                         document with the fingerprint `name` that have not ended */
};

/* Instances are divided into so many shards, so that the engines on a store can share them. Since 0.1. */
enum wfsm_shards { WFSM_SHARDS = 256 };

/*
 * The shard of an instance, from 0 to WFSM_SHARDS - 1. It follows from the id alone, and is the same in
 * every release: h is the hash of the id's bytes by FNV-1a of 32 bits, and the shard is the exclusive or of
 * the four bytes of h. Of the id of a child workflow, which is that of its root, a slash and 16 lowercase
 * hexadecimal digits, only the bytes of the root's id count, so a child is in the shard of its root. 0 for
 * NULL. Since 0.1.
 */
WFSM_API uint32_t wfsm_shard(const char *instance);

/* A status other than WFSM_OK ends the reading and is returned by the read. */
typedef int32_t (*wfsm_row_sink)(void *user, const wfsm_row *row);

/* How an attribute of an instance compares with a text. */
enum wfsm_comparison {
    WFSM_EQUAL = 1,
    WFSM_NOT_EQUAL = 2, /* it has the attribute, with another value */
    WFSM_LESS = 3,
    WFSM_LESS_OR_EQUAL = 4,
    WFSM_GREATER = 5,
    WFSM_GREATER_OR_EQUAL = 6
};

/* A condition on an attribute. An instance without the attribute does not meet it. Numbers compare as
 * numbers and strings by their bytes; a number is neither less nor greater than a string. A boolean
 * compares as the string "true" or "false". Borrowed for the call. Since 0.1. */
typedef struct wfsm_condition {
    size_t size;
    const char *name; /* of the attribute: 1 to 255 bytes of UTF-8 */
    int32_t comparison; /* enum wfsm_comparison */
    const char *
        value; /* to compare with: UTF-8, at most 255 bytes. If it reads as a number of JSON, it
                          is one for attributes that are numbers; it equals the same string, too */
    int32_t is_number; /* set for stores: `number` is the value as a number */
    double number; /* set for stores */
} wfsm_condition;

/* Which heads to list; NULL or 0 members do not filter. Ordered by instance id. */
typedef struct wfsm_query {
    size_t size;
    const char *after; /* ids beyond this one: the paging token is the last id seen */
    const char *machine; /* id */
    const char *tag; /* of an active state */
    const char *owner; /* of the instance; "" is nobody */
    int32_t status; /* enum wfsm_instance_status */
    int64_t due; /* deadline <= due; 0: any */
    uint64_t limit; /* 0: all */
    const char *prefix; /* ids that begin with it: "shop/" is all of the project shop, whose
                            instances are called shop/ID */
    /* 1: those that have ended, and whose effects are not all acknowledged. Since 0.1. */
    int32_t undelivered;
    /* The next two are for stores whose vtable has `share`. Others do not look at them. Since 0.1. */
    const char *fingerprint; /* of the document */
    /* WFSM_SHARDS bits, of shards: that of the shard s is the bit s % 8 of the byte s / 8 */
    const uint8_t *shards;
    /* Conditions on attributes; the instance meets all of them. A store gets none unless `searches` of its
     * vtable is 1. Since 0.1. */
    const wfsm_condition *const *where;
    size_t where_count; /* of them, at most WFSM_ATTRIBUTES */
} wfsm_query;

/* What a session asks that shares the instances of a store with others. Since 0.1. */
typedef struct wfsm_sharing {
    size_t size;
    const char *session; /* the session that asks */
    int64_t now; /* milliseconds */
    const char *const
        *fingerprints; /* of the documents that it serves: those whose instances it
                                        can drive */
    size_t count; /* of them */
} wfsm_sharing;

/* What a post asks of the owner of its instance, and the data that goes with it. A key that is
 * followed by "?" may be missing. */
enum wfsm_post_kind {
    WFSM_POST_EVENT = 0, /* an event; any data */
    WFSM_POST_APPROVAL = 1, /* the vote of a person; wfsm_approve() makes it */
    WFSM_POST_ANSWER = 2, /* what an invocation has come to: {"invocation", "output"}, or, if
                                it failed, {"invocation", "class", "message"?} */
    WFSM_POST_STOP = 3, /* wfsm_instance_stop(); null */
    WFSM_POST_CANCEL = 4, /* wfsm_instance_cancel(): {"invocation", "message"?} */
    WFSM_POST_RETRY = 5, /* wfsm_instance_retry(): {"invocation"} */
    WFSM_POST_RESTORE = 6, /* wfsm_instance_restore(): {"checkpoint"}, "" for the newest, or
                                {"revision"} */
    WFSM_POST_CHECKPOINT = 7, /* wfsm_instance_checkpoint(): {"id", "artifacts"?}; or, with
                                "delete": true, wfsm_instance_delete_checkpoint() */
    /* wfsm_instance_migrate(): {"document"}, the text of the document. The owner must have its host
     * functions. */
    WFSM_POST_MIGRATE = 8
};

/* An input for an instance, posted by anybody. Set `size` and `instance`, `name` for an event, and
 * what applies. Borrowed for the call. */
typedef struct wfsm_post {
    size_t size;
    const char *instance; /* for whom */
    const char *id; /* NULL, or unique among posts and records of the instance */
    const char *name; /* of the event. Stores get a word for the kind if it is not an event */
    const char *data; /* JSON; NULL: null. Stores never get NULL */
    size_t length; /* bytes of data */
    int64_t now; /* when it was posted, ms */
    int32_t kind; /* enum wfsm_post_kind */
    int32_t interface; /* enum wfsm_interface; 0: POST. Stores never get 0 */
    const char *sender; /* who sends it, 1 to 255 bytes of UTF-8; NULL: nobody says */
} wfsm_post;

/* What a person has decided. */
enum wfsm_decision { WFSM_APPROVE = 1, WFSM_REJECT = 2 };

/* The vote of a person. Set all but `reason` and `id`. Borrowed for the call. */
typedef struct wfsm_approval {
    size_t size;
    const char *instance; /* that asks; wfsm_instance_approve() does not read it */
    const char *invocation; /* its id, as wfsm_instance_invocations() says it */
    const char *by; /* the name of the person, 1 to 255 bytes of UTF-8 */
    const char *digest; /* of what the person has looked at, as wfsm_instance_invocations() says
                           it. The vote counts only if this is still what is asked */
    int32_t decision; /* enum wfsm_decision */
    const char *reason; /* UTF-8; NULL: none */
    const char *id; /* of the post, 1 to 255 bytes of UTF-8: it is taken only once. NULL:
                           every call counts */
    int32_t interface; /* enum wfsm_interface; 0: POST, or ENGINE for wfsm_instance_approve() */
    const char *sender; /* who sends it, 1 to 255 bytes of UTF-8; NULL: `by` */
    /* A signature (wfsm/sign.h). It is kept with the vote, and not checked. */
    int64_t signed_at; /* when it was signed, milliseconds, from 0 to 2^53 */
    const char *key; /* the public key, 64 hexadecimal digits; NULL: the vote is not signed */
    const char *signature; /* 128 hexadecimal digits */
} wfsm_approval;

/* What an exchange asks about an instance of which it has no commit. */
enum wfsm_request_kind {
    /* Raises the mark of acknowledged effects to `number`; a lower one changes nothing. NOT_FOUND: no
     * such effect was made. */
    WFSM_REQUEST_ACKNOWLEDGE = 1,
    /* Nobody owns the instance from now on. OK also if nobody owns it. DENIED: another session does. */
    WFSM_REQUEST_GIVE_UP = 2,
    /* The session owns the instance from now on, and gets its head, latest full snapshot and the records
     * after that, as rows in this order. DENIED: another session owns it, whose lease has not lapsed;
     * the error says which, and until when. */
    WFSM_REQUEST_TAKE = 3,
    /* The session gets its head, as a row. */
    WFSM_REQUEST_LOOK = 4,
    /* The session gets the rows of WFSM_REQUEST_TAKE, and nothing is written. */
    WFSM_REQUEST_LOAD = 5
};

/* A request about one instance. NOT_FOUND: there is no such instance. */
typedef struct wfsm_request {
    size_t size;
    const char *instance; /* its id */
    uint64_t number; /* of an effect */
    int32_t kind; /* enum wfsm_request_kind */
    /* 1, with WFSM_REQUEST_ACKNOWLEDGE: the session gives the instance up, too, unless posts wait for
     * it. It keeps it if that fails. */
    int32_t gives_up;
} wfsm_request;

/* What a session has and wants of a limit that all sessions of the store share. The store sets the
 * last two. Since 0.1. */
typedef struct wfsm_permit {
    size_t size;
    const char *name; /* of the limit, together with its kind: 1 to 255 bytes of UTF-8 */
    int32_t kind; /* enum wfsm_pool_kind */
    uint32_t most; /* permits that all sessions have together */
    uint32_t working; /* that the session uses */
    uint32_t
        wanted; /* that it wants to have from now on. What it has beyond that it gives back */
    uint32_t held; /* that it was granted before, and still counts on */
    uint32_t granted; /* what it has from now on, at most `wanted` */
    int32_t contended; /* 1: another session waits for more */
} wfsm_permit;

/* A rate that all sessions of the store share: a token bucket. It holds `count` tokens, and one that was
 * taken comes back every per_ms / count. The store sets the last two. Since 0.1. */
typedef struct wfsm_rate {
    size_t size;
    const char *name; /* of the rate, together with its kind: 1 to 255 bytes of UTF-8 */
    int32_t kind; /* enum wfsm_pool_kind */
    uint32_t count; /* 1 to 2147483647 */
    int64_t per_ms; /* 1 to 2147483647 */
    uint32_t wanted; /* tokens that the session would use now: at least 1 */
    uint32_t granted; /* tokens that it has taken */
    int64_t
        wait_ms; /* milliseconds until it may use them; if granted is 0, until it asks again */
} wfsm_rate;

/*
 * Everything that a session wants of a store at one time. If the store's vtable has `exchange` or
 * `transaction`, it is one transaction, with one sync if anything is written; otherwise each part is
 * written by itself.
 * Members that are 0 ask for nothing. All is borrowed for the call. Each array of answers has the
 * length of what it answers, and belongs to the caller.
 *
 * - Nothing else is done if the lease is refused: then every answer is that of the lease.
 * - Then come the requests, the commits and the posts. A commit answers as `commit` of the vtable
 *   says. A refusal concerns one instance: nothing of its commits is written, except that the
 *   acknowledgement that comes with one may be. Everything else is written.
 * - Rows come last, and show what the exchange has written. First the instances, in the order of
 *   their requests, then the posts.
 */
typedef struct wfsm_exchange {
    size_t size;
    const char *session; /* who asks; NULL: nobody, who has no lease and takes nothing */
    int64_t now; /* milliseconds */
    int64_t mine; /* what the row of the session says: until when it has its instances. 0: there
                     is no row */
    int64_t until; /* what the row is to say. 0: it is deleted; `mine`: it is not touched */
    const wfsm_commit *const *commits; /* those of one instance follow each other */
    size_t commit_count; /* of them */
    const wfsm_request *const *requests; /* an instance with commits has none */
    size_t request_count; /* of them */
    const wfsm_post *const *posts; /* inputs for any instances */
    size_t post_count; /* of them */
    /* 1: posts are rows: those that wait for instances of the session, and those for instances that
     * nobody owns and whose numbers are higher than `after`. From a store that does not know `changes`
     * come those of all instances. */
    int32_t inbox;
    wfsm_row_sink sink; /* receives the rows, and ends those of posts with WFSM_LIMIT; NULL if
                           none can come */
    void *user; /* for sink */
    /* What the store says: */
    /* DENIED: another process has the session. CONFLICT: the store was set back to an older state.
     * WFSM_OK also if it was not touched. */
    int32_t lease;
    int32_t *commit_answers; /* one for each commit */
    int32_t *request_answers; /* one for each request */
    int32_t *post_answers; /* one for each post: OK, EXISTS or NOT_FOUND */
    int32_t more; /* 1: the sink has ended the posts */
    int32_t inbox_answer; /* CORRUPT: a post is damaged; the others were rows all the same */
    /* With `inbox`: differs from that of an earlier exchange if an instance of the session was taken
     * over, removed or driven by hand in between; it may also differ if none was. */
    uint64_t changes;
    uint64_t after; /* given, with `inbox`: number of a post; 0: of none */
    /* Given, with `inbox`: `changes` of an earlier exchange. If it differs from that of this one, the
     * heads of all instances of the session are rows, behind the posts. 0: there was none. Since 0.1. */
    uint64_t known;
    /* Limits that sessions share; as `permits` of the vtable says. The lease is renewed first. No limit
     * comes twice. Since 0.1. */
    wfsm_permit *const *permits;
    size_t permit_count; /* of them */
    /* Rates that sessions share; as `rates` of the vtable says. No rate comes twice. Since 0.1. */
    wfsm_rate *const *rates;
    size_t rate_count; /* of them */
} wfsm_exchange;

/* What others have done that concerns a session. */
typedef struct wfsm_changes {
    size_t size;
    const char *session; /* name of the session that asks */
    uint64_t after; /* number of a post; 0: of none */
    /* The answer: a number that differs from an earlier one if an instance of the session was taken
     * over, removed, or driven by hand in between. Signs of life and the session's own commits leave
     * it as it is. */
    uint64_t changes;
} wfsm_changes;

/* Bytes of a place in the commits of a store, with the NUL. */
enum { WFSM_PLACE = 64 };

/* What was committed since an earlier call. Since 0.1. */
typedef struct wfsm_since {
    size_t size;
    /* "": only the answer is asked. Otherwise the answer to an earlier call, perhaps of another handle. The
     * answer: a later call with it passes on what is committed from now on. */
    char place[WFSM_PLACE];
    /* The answer, 1: the store cannot tell what was committed since `place`, and there are no rows; list
     * the instances. */
    int32_t lost;
} wfsm_since;

/* The steps of a transaction. */
enum wfsm_transaction { WFSM_BEGIN = 1, WFSM_COMMIT = 2, WFSM_ROLLBACK = 3 };

/*
 * The vtable of an author's store. `self` is the author's. All members are required but
 * those marked optional. Unknown instances answer WFSM_NOT_FOUND.
 */
typedef struct wfsm_store_vtable {
    size_t size;
    /* Writes all commits with one sync and answers each. Consecutive commits of one instance are a chain
     * of revisions. A chain is stored whole, or nothing of it is: if one of its commits is refused, that
     * is the answer to all of them. The other chains are not concerned. No instance has two chains.
     * NOT_FOUND: no such instance, post, document, or checkpoint to delete.
     * Returns WFSM_OK when every answer is set, whatever it is. The error names the instance of the
     * first refusal, as that of each call here. */
    int32_t (*commit)(void *self, const wfsm_commit *const *commits, size_t count,
                      int32_t *answers, wfsm_error *error);
    /* head->size is what the caller has room for; no member beyond it may be set. */
    int32_t (*head)(void *self, const char *instance, wfsm_head *head, wfsm_error *error);
    /* Records from..to (inclusive), oldest first. */
    int32_t (*records)(void *self, const char *instance, uint64_t from, uint64_t to,
                       wfsm_row_sink sink, void *user, wfsm_error *error);
    /* The latest full snapshot (checkpoint NULL) or that of a checkpoint: one row. */
    int32_t (*snapshot)(void *self, const char *instance, const char *checkpoint,
                        wfsm_row_sink sink, void *user, wfsm_error *error);
    /* Checkpoints, oldest first; text is their artifacts, "[]" where none were given. */
    int32_t (*checkpoints)(void *self, const char *instance, wfsm_row_sink sink, void *user,
                           wfsm_error *error);
    /* These heads. One that is damaged hides no other: CORRUPT comes after the rest of them. */
    int32_t (*list)(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                    wfsm_error *error);
    /* A machine's document by fingerprint: one row. */
    int32_t (*document)(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                        wfsm_error *error);
    /* Is there a record or post with this event id? */
    int32_t (*seen)(void *self, const char *instance, const char *event_id, int32_t *seen,
                    wfsm_error *error);
    /* Adds to the inbox; EXISTS if the id is known; NOT_FOUND without such an instance. */
    int32_t (*post)(void *self, const wfsm_post *post, wfsm_error *error);
    /* Posts not consumed yet, oldest first; instance NULL: of all. limit 0: all. A damaged
     * one hides no other: CORRUPT comes after the rest of them. */
    int32_t (*inbox)(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                     void *user, wfsm_error *error);
    /* Raises the acknowledged mark; a lower one changes nothing. NOT_FOUND beyond the last
     * effect made. */
    int32_t (*acknowledge)(void *self, const char *instance, uint64_t effect,
                           wfsm_error *error);
    /* The row of an owner: alive until `until`; 0 deletes the row (its owner is gone). */
    int32_t (*owner_alive)(void *self, const char *owner, int64_t until, wfsm_error *error);
    /* wfsm_store_claim(), as one compare-and-set. */
    int32_t (*claim)(void *self, const char *session, int64_t mine, int64_t now, int64_t until,
                     wfsm_error *error);
    /* Makes `owner` the head's owner if that is nobody, `owner` itself, or one whose row has
     * lapsed (until <= now) or is missing; otherwise DENIED, with a message that says who owns it and
     * until when. */
    int32_t (*own)(void *self, const char *instance, const char *owner, int64_t now,
                   wfsm_error *error);
    /* `owner` gives the instance up: makes the head's owner nobody if that is `owner`, in
     * one with looking. OK if it is nobody already, DENIED if it is somebody else. */
    int32_t (*disown)(void *self, const char *instance, const char *owner, wfsm_error *error);
    /* Forgets the instance with all that belongs to it; an unknown id is WFSM_OK. */
    int32_t (*remove)(void *self, const char *instance, wfsm_error *error);
    /* Ends the store's life. Optional. */
    void (*close)(void *self);
    /* The two of compaction, optional together; without them a journal stays whole. */
    /* Drops the records before `revision`, and their event ids with them, and keeps
     * `snapshot`, the state after the record of that revision, which is now the oldest: the
     * head's `first`. Where that record is also the head's last snapshot, this one takes
     * its place. Nothing else changes: it is no commit. All or nothing. CONFLICT, and nothing
     * is written, unless first < revision <= snapshot_revision. */
    int32_t (*cut)(void *self, const char *instance, uint64_t revision, const char *snapshot,
                   size_t length, wfsm_error *error);
    /* The snapshot of the last cut: one row, with the revision and the time of its record.
     * NOT_FOUND where nothing was cut. */
    int32_t (*anchor)(void *self, const char *instance, wfsm_row_sink sink, void *user,
                      wfsm_error *error);
    /* Optional. From open 1 to open 0 all that is read is of one moment, and nothing is
     * written; calls come in pairs, none within another, and one that failed has no second.
     * Loading an instance is several calls: without this it looks whether somebody has
     * committed in between. */
    int32_t (*view)(void *self, int32_t open, wfsm_error *error);
    /* Optional. Between BEGIN and COMMIT everything that is written is one transaction with one sync:
     * an exchange makes its calls in between. A call that is refused has written nothing, and the
     * others are not concerned. COMMIT answers as a commit does; if it is not OK, the transaction
     * is over. ROLLBACK comes instead of COMMIT after a call that has failed, and cannot fail.
     * Without this an exchange is as many transactions as it has calls. */
    int32_t (*transaction)(void *self, int32_t step, wfsm_error *error);
    /* Optional. Sets asked->changes, and passes on posts: those that wait for instances of the session, and
     * those for instances that nobody owns and whose numbers are higher than asked->after; for each
     * instance the oldest first; CORRUPT as for the inbox. It must not search the instances and posts
     * of others: an engine makes this call in every exchange. Without it, or if it answers DENIED, the
     * engine reads the posts of all, and with every sign of life the heads of its instances. */
    int32_t (*changes)(void *self, wfsm_changes *asked, wfsm_row_sink sink, void *user,
                       wfsm_error *error);
    /* Optional, for a store that can wake who reads it. A file descriptor that can be read from the
     * moment when `changes` has something new to say, until `changes` is called. It belongs to the
     * store, and stays the same. -1: there is none. */
    int32_t (*fd)(void *self);
    /* Optional. Carries out a whole exchange, as wfsm_exchange says: for a store that is at the other end
     * of a network, or that can do all of it at once. Its arguments were checked. Sets every answer, and
     * returns WFSM_OK; another status is then the answer to all. With it, `commit`, `post`,
     * `acknowledge`, `own` and `disown` may be NULL: these calls are exchanges of one. `transaction` and
     * `changes` are not called. Without it, the library makes an exchange of the small calls. */
    int32_t (*exchange)(void *self, wfsm_exchange *exchange, wfsm_error *error);
    /* Optional. Passes on, as `id` of a row, each owner that has instances and is not alive at `now`: its
     * row has lapsed, or there is none. At WFSM_NEVER all have lapsed, by every clock. "" stands for instances that nobody owns, if they have not ended,
     * or not all of their effects are acknowledged. Each name once. It must not search the instances of those that are alive. Without it wfsm_engine_adopt_all() lists the instances of all. */
    int32_t (*lapsed)(void *self, int64_t now, wfsm_row_sink sink, void *user,
                      wfsm_error *error);
    /* Optional. Grants permits, and keeps for each what the session has and wants. The permits that sessions
     * have which are alive at `now` are at most `most` together: those of others, and for this session at
     * least what it uses and was granted, and at most what it wants. A session that others wait behind gets
     * no more than leaves them their share. Sessions that are not alive have none. If this session counts on permits (`held`) and is not
     * alive, the whole exchange is STORE_FAILED, and nothing is written. A store that has `exchange` does this there, and is not called. Without it,
     * wfsm_engine_limit_shared() is DENIED. Since 0.1. */
    int32_t (*permits)(void *self, const char *session, int64_t now,
                       wfsm_permit *const *permits, size_t count, wfsm_error *error);
    /* Optional, for a store that many engines share. Notes that the session serves these documents and no
     * others, as far as the store has them; that counts for as long as the session is alive. Then passes on WFSM_ROW_SERVES: every session that is
     * alive at `now`, with each document that it serves. The session itself is among them,
     * whether it is alive or not. And WFSM_ROW_LEFT: every owner that is not alive, and nobody, with each
     * document of which it has instances that have not ended, whether the session serves that document or
     * not. Each pair once. It must not search instances. With it, `list` must know `fingerprint` and
     * `shards` of a query. Without it every engine may take every instance that is free. */
    int32_t (*share)(void *self, const wfsm_sharing *asked, wfsm_row_sink sink, void *user,
                     wfsm_error *error);
    /* Optional. Takes up to `wanted` tokens of each rate. If the bucket is empty, it takes the next token that
     * comes back, and sets wait_ms, unless 16 are promised so already. Then it takes none, and wait_ms is the
     * time until it can. So waiting sessions have their turns in the order of their asking. A token that a
     * session takes and does not use is lost. A change of the rate does not return tokens. A store that has
     * `exchange` does this there, and is not called. Without it, a shared rate is DENIED by wfsm_engine_rate(). Since 0.1. */
    int32_t (*rates)(void *self, int64_t now, wfsm_rate *const *rates, size_t count,
                     wfsm_error *error);
    /* 1: `list` knows `where` of a query, and finds instances by an index of their attributes. 0: the
     * library compares the attributes of all heads that `list` passes on. Since 0.1. */
    int32_t searches;
    /* Optional. Passes on the heads of the instances that have commits since asked->place, by id, and
     * sets the two answers. Each commit that was stored by then is passed on to somebody who asks again and again with
     * the place of the answer before, if the instance is still there. A head may come although nothing was
     * committed. It should take no longer if there are more instances. A text that is no place is `lost`, as
     * is one of another store if it can be told. Without it, those who follow a store list all instances. Since 0.1. */
    int32_t (*since)(void *self, wfsm_since *asked, wfsm_row_sink sink, void *user,
                     wfsm_error *error);
} wfsm_store_vtable;

/*
 * Wraps an author's store; the vtable is copied. On WFSM_OK *store is new and closing is its
 * job; otherwise self stays the caller's.
 */
WFSM_API int32_t wfsm_store_new(wfsm_store **store, const wfsm_store_vtable *vtable, void *self,
                                const wfsm_allocator *allocator, wfsm_error *error);
/* Frees and closes. Instances and engines on it must be gone. */
WFSM_API void wfsm_store_free(wfsm_store *store);

/* A store that lives in memory and dies with the process. */
WFSM_API int32_t wfsm_memory_open(wfsm_store **store, const wfsm_allocator *allocator,
                                  wfsm_error *error);

/* The vtable's calls for everybody who only reads or posts. Reading changes nothing. A sink
 * must not call the store: BUSY. head->size must be set by the caller. */
WFSM_API int32_t wfsm_store_head(wfsm_store *store, const char *instance, wfsm_head *head,
                                 wfsm_error *error);
/* Records from..to, inclusive, oldest first; text is the record. */
WFSM_API int32_t wfsm_store_records(wfsm_store *store, const char *instance, uint64_t from,
                                    uint64_t to, wfsm_row_sink sink, void *user,
                                    wfsm_error *error);
/* Checkpoints, oldest first; text is their artifacts. */
WFSM_API int32_t wfsm_store_checkpoints(wfsm_store *store, const char *instance,
                                        wfsm_row_sink sink, void *user, wfsm_error *error);
/* The newest of them, as the listing has it: one row, else NOT_FOUND. */
WFSM_API int32_t wfsm_store_latest_checkpoint(wfsm_store *store, const char *instance,
                                              wfsm_row_sink sink, void *user,
                                              wfsm_error *error);
/* The heads that the query asks for (NULL: all), by id; each row has its head. */
WFSM_API int32_t wfsm_store_list(wfsm_store *store, const wfsm_query *query, wfsm_row_sink sink,
                                 void *user, wfsm_error *error);
/* The document of a fingerprint: one row, else NOT_FOUND. */
WFSM_API int32_t wfsm_store_document(wfsm_store *store, const char *fingerprint,
                                     wfsm_row_sink sink, void *user, wfsm_error *error);
/* Posts that were not consumed yet, oldest first; instance NULL: of all; limit 0: all of them.
 */
WFSM_API int32_t wfsm_store_inbox(wfsm_store *store, const char *instance, uint64_t limit,
                                  wfsm_row_sink sink, void *user, wfsm_error *error);
/* As `changes` of the vtable. DENIED: the store cannot tell. Since 0.1. */
WFSM_API int32_t wfsm_store_changes(wfsm_store *store, wfsm_changes *asked, wfsm_row_sink sink,
                                    void *user, wfsm_error *error);
/* The owners that are not alive at `now`, as `lapsed` of the vtable passes them on. DENIED: the store
 * cannot tell. INVALID: the time is negative. Since 0.1. */
WFSM_API int32_t wfsm_store_lapsed(wfsm_store *store, int64_t now, wfsm_row_sink sink,
                                   void *user, wfsm_error *error);
/* Who serves what, and what is free, as `share` of the vtable says. An engine makes this call
 * (wfsm_engine_share()). DENIED: the store cannot tell. INVALID: a name is none, or the time is negative.
 * Since 0.1. */
WFSM_API int32_t wfsm_store_share(wfsm_store *store, const wfsm_sharing *asked,
                                  wfsm_row_sink sink, void *user, wfsm_error *error);
/* The heads of what was committed since an earlier call, as `since` of the vtable says. To follow a store, call it with the
 * place "", list the instances, and then ask again and again. DENIED: the store cannot tell. INVALID: the
 * struct has no size, or the place no end. Since 0.1. */
WFSM_API int32_t wfsm_store_since(wfsm_store *store, wfsm_since *asked, wfsm_row_sink sink,
                                  void *user, wfsm_error *error);
/* Posts an event: durable when it returns WFSM_OK; EXISTS if its id is known already. data
 * is checked to be JSON (NULL: null). Any process may do this at any time. INVALID: the name is
 * reserved, as for wfsm_instance_send(). */
WFSM_API int32_t wfsm_store_post(wfsm_store *store, const char *instance, const char *name,
                                 const char *id, const char *data, size_t length, int64_t now,
                                 wfsm_error *error);
/*
 * Posts an input of any kind: durable when it returns WFSM_OK. So a process that does not own an
 * instance can do to it what its owner can. The owner takes the post in its next run as the input
 * that the kind names, and the record says so. A post that cannot be taken, for example a restore
 * that the document does not allow, is consumed by a record of kind "post" that says why. Any
 * process may do this at any time. A store that wraps another one passes posts on with it.
 * INVALID: the struct has no size, there is no such kind or interface, a name or id is not one, the
 * name of an event is reserved, or an approval is not complete. SYNTAX: the data is not JSON.
 * SEMANTIC: it is not what the kind says. LIMIT: it is nested too deeply, or too large. EXISTS: the
 * id is known already. NOT_FOUND: there is no such instance. BUSY, NO_MEMORY, and what the store
 * answers.
 */
WFSM_API int32_t wfsm_store_submit(wfsm_store *store, const wfsm_post *post, wfsm_error *error);
/*
 * Posts the vote of a person for an invocation that asks people. This is the only call that does:
 * no event and no result can stand for a vote. Any process may do this at any time; the owner of
 * the instance takes the vote in its next run. Then the digest is checked, and the record says
 * what became of the vote (doc/approvals.md). wfsm does not know who a person is: whoever calls
 * this must (doc/security.md). `now` in milliseconds. Durable when it returns WFSM_OK.
 * INVALID: the struct has no size, or a member is not what wfsm_approval says. EXISTS: the id is
 * known already. NOT_FOUND: there is no such instance. BUSY, NO_MEMORY, and what the store answers.
 */
WFSM_API int32_t wfsm_approve(wfsm_store *store, const wfsm_approval *approval, int64_t now,
                              wfsm_error *error);
/* Deletes the row of an owner that the host knows to be gone (its process is dead). Another may
 * then take over at once instead of after the lapse. */
WFSM_API int32_t wfsm_store_remove_owner(wfsm_store *store, const char *owner,
                                         wfsm_error *error);
/* Forgets an instance with all that belongs to it; WFSM_OK also when it is not there. */
WFSM_API int32_t wfsm_store_remove(wfsm_store *store, const char *instance, wfsm_error *error);

/*
 * Batches: from wfsm_store_batch() on, what inputs of instances on this handle change is not
 * committed at once but gathered, and wfsm_store_flush() commits all of it together: one
 * transaction, one sync. Inputs answer as ever, and instances go on from there, but nothing
 * is acknowledged before the flush: until then no effect is handed out and no observer told,
 * and wfsm_instance_committed() stands still. Restoring, forking and migrating an instance
 * that has something in the batch is BUSY, as is an engine on this handle, and what was
 * gathered is not seen by those who read the store.
 *
 * flush closes the batch in any case. WFSM_OK: all is stored. Otherwise the first refusal, and
 * *refused (may be NULL) commits are not stored, or, with STORE_UNKNOWN, perhaps not. If nothing of
 * an instance can be stored, its steps are taken back: it is in the state before the batch. After
 * CONFLICT and STORE_UNKNOWN it is sealed, and has to be loaded again; also if the batch has
 * started it, migrated it, or unset a key of its context. A refusal refuses all commits of the
 * same instance, with the same answer, and of nobody else. An id that is taken by another instance, or event, is found out by the flush.
 * batch: BUSY when one is open; NO_MEMORY. flush: INVALID when none is. Freeing an instance
 * leaves what it has in the batch there; freeing the store drops it.
 */
WFSM_API int32_t wfsm_store_batch(wfsm_store *store, wfsm_error *error);
/* Ends the batch and commits it, as said above. */
WFSM_API int32_t wfsm_store_flush(wfsm_store *store, uint64_t *refused, wfsm_error *error);

/*
 * The rest of the vtable's calls, for those who wrap or test a store: instances and engines
 * make them. Who calls them beside an instance makes it conflict, and who commits a record
 * of their own makes up a history that no audit believes. Arguments are checked here, as for
 * the calls above, and BUSY answers a call out of a sink.
 */
/*
 * Commits a batch. Every answer is set, also when the call as a whole fails; then they are
 * its status. An answer that the store did not give, or that is no status, is
 * STORE_UNKNOWN. commits and answers have `count` elements.
 */
WFSM_API int32_t wfsm_store_commit(wfsm_store *store, const wfsm_commit *const *commits,
                                   size_t count, int32_t *answers, wfsm_error *error);
/*
 * Makes an exchange. Every answer is set, also when the call as a whole fails; then they are its
 * status. An answer that the store did not give, or that is no status, is STORE_UNKNOWN. The error
 * says why the first of those that were refused was refused. INVALID: something is not complete, or
 * something is asked that needs a session or a sink, and there is none.
 */
WFSM_API int32_t wfsm_store_exchange(wfsm_store *store, wfsm_exchange *exchange,
                                     wfsm_error *error);
/* The latest full snapshot (checkpoint NULL), or that of a checkpoint: one row, else
 * NOT_FOUND. */
WFSM_API int32_t wfsm_store_snapshot(wfsm_store *store, const char *instance,
                                     const char *checkpoint, wfsm_row_sink sink, void *user,
                                     wfsm_error *error);
/* What wfsm_store_compact() (wfsm/compact.h) asks of a store once it knows the state: drops
 * the records before `revision` and keeps `snapshot` with that one. CONFLICT as for the
 * vtable; DENIED when the store cannot do that. */
WFSM_API int32_t wfsm_store_cut(wfsm_store *store, const char *instance, uint64_t revision,
                                const char *snapshot, size_t length, wfsm_error *error);
/* The state from which a journal that was compacted begins: one row, else NOT_FOUND; DENIED
 * when the store cannot be compacted. */
WFSM_API int32_t wfsm_store_anchor(wfsm_store *store, const char *instance, wfsm_row_sink sink,
                                   void *user, wfsm_error *error);
/* *seen is 1 if there is a record or a waiting post with this event id, else 0, after a
 * failure too. */
WFSM_API int32_t wfsm_store_seen(wfsm_store *store, const char *instance, const char *event_id,
                                 int32_t *seen, wfsm_error *error);
/* Raises the mark of acknowledged effects; NOT_FOUND for one that was never made. */
WFSM_API int32_t wfsm_store_acknowledge(wfsm_store *store, const char *instance,
                                        uint64_t effect, wfsm_error *error);
/* The row of an owner, until >= 0; 0 deletes it. */
WFSM_API int32_t wfsm_store_owner_alive(wfsm_store *store, const char *owner, int64_t until,
                                        wfsm_error *error);
/*
 * Claims the row of a session, or renews or deletes it; one compare-and-set. Writes `until` if there
 * is no row, if the row has lapsed at `now`, or if it still says `mine`: what this session wrote
 * last, 0 if it has written nothing. `until` 0 deletes the row. DENIED, and nothing is
 * written: another process has this session; the message says until when. INVALID: a time is
 * negative, or the name is none. Times are in milliseconds. Otherwise what the store answers; after
 * a lost answer, call it again.
 */
WFSM_API int32_t wfsm_store_claim(wfsm_store *store, const char *session, int64_t mine,
                                  int64_t now, int64_t until, wfsm_error *error);
/* Takes an instance. DENIED: the message says who owns it, and until when. CONFLICT here and above:
 * the store was set back to an older state while it was in use. */
WFSM_API int32_t wfsm_store_own(wfsm_store *store, const char *instance, const char *owner,
                                int64_t now, wfsm_error *error);
/* `owner` gives an instance up; DENIED, and nothing changes, if it is another's by now. May
 * be asked again when the answer was lost. */
WFSM_API int32_t wfsm_store_disown(wfsm_store *store, const char *instance, const char *owner,
                                   wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
