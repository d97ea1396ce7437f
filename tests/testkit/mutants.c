#include "testkit/mutants.h"

#include <stdlib.h>
#include <string.h>

#define NAME(kind) [kind] = #kind
const char *const mutant_names[MUTANTS] = {
    NAME(RIGHT),
    NAME(FORGETS_OWNER_CHECK),
    NAME(FORGETS_REVISION),
    NAME(FORGETS_PREVIOUS),
    NAME(SAYS_OK_WHEN_REFUSED),
    NAME(WRITES_AND_REFUSES),
    NAME(BREAKS_CHAINS),
    NAME(LOSES_REST_OF_BATCH),
    NAME(REFUSES_WHOLE_BATCH),
    NAME(MIXES_UP_INSTANCES),
    NAME(FORGETS_EVENT_IDS),
    NAME(EVENT_IDS_OF_ALL),
    NAME(NEVER_SEEN),
    NAME(FORGETS_TOKEN),
    NAME(CUTS_RECORDS),
    NAME(FORGETS_SNAPSHOT),
    NAME(KEEPS_OLD_SNAPSHOT),
    NAME(FORGETS_CHECKPOINTS),
    NAME(FORGETS_INBOX),
    NAME(POSTS_TWICE),
    NAME(POSTS_TO_NOBODY),
    NAME(MARK_GOES_BACK),
    NAME(OWNS_ALWAYS),
    NAME(OWNS_NEVER),
    NAME(DISOWNS_FOR_OTHERS),
    NAME(DISOWNS_NEVER),
    NAME(DISOWNS_ONCE),
    NAME(STAYS_AT_THE_END),
    NAME(LEAVES_POSTS),
    NAME(CLAIMS_ANYTHING),
    NAME(FORGETS_LAPSE),
    NAME(KEEPS_REMOVED),
    NAME(LISTS_ALL),
    NAME(LISTS_EARLY),
    NAME(FORGETS_LIMIT),
    NAME(FORGETS_AFTER),
    NAME(FORGETS_PREFIX),
    NAME(FORGETS_WHERE),
    NAME(FORGETS_ATTRIBUTES),
    NAME(READS_ON),
    NAME(STATUS_STAYS),
    NAME(ONE_FOR_ALL),
    NAME(FORGETS_ON_CLOSING),
    NAME(CUTS_NOTHING),
    NAME(CUTS_ONE_MORE),
    NAME(CUTS_ANYWHERE),
    NAME(CUTS_ANOTHER),
    NAME(FORGETS_ANCHOR),
    NAME(CUTS_ANCHOR),
    NAME(REMEMBERS_CUT_EVENTS),
    NAME(FORGETS_POSTS_ON_CUT),
    NAME(TELLS_OF_OTHERS),
    NAME(TELLS_OF_OLD),
    NAME(NEVER_CHANGES),
    NAME(CHANGES_ALWAYS),
    NAME(VIEWS_NOTHING),
    NAME(FORGETS_THE_GONE),
    NAME(ALL_ARE_GONE),
    NAME(NAMES_NOTHING),
    NAME(GRANTS_ALL),
    NAME(PERMITS_STAY),
    NAME(COUNTS_ON_PERMITS),
    NAME(TELLS_NO_WAITING),
    NAME(TOKENS_FOR_ALL),
    NAME(TOKENS_ARE_LOST),
    NAME(WRITES_WITHOUT_LEASE),
    NAME(DROPS_POSTS),
    NAME(LOADS_NOTHING),
    NAME(KEEPS_WHAT_IS_GIVEN_UP),
};

enum { MOST = 64 }; /* the longest chain */

static enum mutant kind;
static wfsm_store *kept[2]; /* what outlives the handles */
static int handles;
static bool was_cut;

/* ---- commits ---- */

/* The commit as a wrong store understands it. */
static wfsm_commit bent(wfsm_store *inner, const wfsm_commit *given)
{
    wfsm_commit commit = *given;
    wfsm_head head = {.size = sizeof head};
    static char owner[256];
    bool there = given->base && !wfsm_store_head(inner, given->instance, &head, NULL);
    if (kind == FORGETS_OWNER_CHECK && there) {
        strcpy(owner, head.owner);
        commit.owner = owner;
    }
    if (kind == FORGETS_REVISION && there)
        commit.base = head.revision;
    if (kind == FORGETS_PREVIOUS)
        commit.previous = NULL;
    if (kind == FORGETS_EVENT_IDS)
        commit.event_id = NULL;
    if (kind == FORGETS_TOKEN)
        commit.token = "another";
    if (kind == FORGETS_ATTRIBUTES)
        commit.attributes = NULL;
    if (kind == CUTS_RECORDS && commit.record_length > 1000)
        commit.record_length--;
    if (kind == FORGETS_SNAPSHOT)
        commit.snapshot = NULL;
    if (kind == FORGETS_CHECKPOINTS)
        commit.checkpoint = NULL;
    if (kind == FORGETS_INBOX)
        commit.inbox = 0;
    if (kind == STATUS_STAYS)
        commit.status = WFSM_RUNNING;
    if (kind == STAYS_AT_THE_END)
        commit.gives_up = 0;
    return commit;
}

typedef struct search {
    wfsm_store *inner;
    const char *event_id;
    char ids[64][256];
    size_t count;
} search;

static int32_t note_id(void *user, const wfsm_row *row)
{
    search *self = user;
    if (self->count < 64)
        strcpy(self->ids[self->count++], row->head->instance);
    return WFSM_OK;
}

static bool known_anywhere(wfsm_store *inner, const char *event_id)
{
    static search all;
    int32_t seen = 0;
    all = (search){.inner = inner};
    wfsm_store_list(inner, NULL, note_id, &all, NULL);
    for (size_t i = 0; i < all.count && !seen; i++)
        wfsm_store_seen(inner, all.ids[i], event_id, &seen, NULL);
    return seen;
}

/* What a wrong store makes of the answers of a chain. */
static void bend_answers(const wfsm_commit *given, size_t count, int32_t *answers,
                         wfsm_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (kind == SAYS_OK_WHEN_REFUSED && answers[i] == WFSM_CONFLICT)
            answers[i] = wfsm_error_set(error, WFSM_OK, "");
        else if (kind == WRITES_AND_REFUSES && answers[i] == WFSM_OK && given->base)
            answers[i] = wfsm_error_set(error, WFSM_CONFLICT, "refused");
    }
}

static void set_all(int32_t *answers, size_t count, int32_t answer)
{
    for (size_t i = 0; i < count; i++)
        answers[i] = answer;
}

static void commit_chain(wfsm_store *inner, const wfsm_commit *const *given, size_t count,
                         int32_t *answers, wfsm_error *error)
{
    wfsm_commit commits[MOST];
    const wfsm_commit *list[MOST] = {NULL};
    const wfsm_commit *last = given[count - 1];
    int32_t status;
    for (size_t i = 0; i < count; i++) {
        commits[i] = bent(inner, given[i]);
        list[i] = &commits[i];
        if (kind == EVENT_IDS_OF_ALL && given[i]->event_id &&
            known_anywhere(inner, given[i]->event_id)) {
            set_all(answers, count, wfsm_error_set(error, WFSM_EXISTS, "known"));
            return;
        }
    }
    status = wfsm_store_commit(inner, list, count, answers, error);
    if (kind == LEAVES_POSTS && !status && !answers[0] && last->gives_up)
        wfsm_store_disown(inner, last->instance, last->owner, NULL);
    bend_answers(given[0], count, answers, error);
    if (kind == NAMES_NOTHING && answers[0] != WFSM_OK)
        wfsm_error_set(error, answers[0], "refused");
}

static size_t chain_length(const wfsm_commit *const *commits, size_t count)
{
    size_t length = 1;
    while (kind != BREAKS_CHAINS && length < count && length < MOST &&
           !strcmp(commits[length]->instance, commits[0]->instance))
        length++;
    return length;
}

static int32_t commit(void *self, const wfsm_commit *const *commits, size_t count,
                      int32_t *answers, wfsm_error *error)
{
    bool refused = false;
    for (size_t i = 0, length; i < count; i += length) {
        length = chain_length(commits + i, count - i);
        if (kind == LOSES_REST_OF_BATCH && i > 0)
            set_all(answers + i, length, WFSM_OK);
        else if (kind == REFUSES_WHOLE_BATCH && refused)
            set_all(answers + i, length, WFSM_CONFLICT);
        else
            commit_chain(self, commits + i, length, answers + i, error);
        refused |= answers[i] != WFSM_OK;
    }
    return WFSM_OK;
}

/* ---- reading ---- */

typedef struct relay {
    wfsm_row_sink sink;
    void *user;
    uint64_t left;
} relay;

static int32_t hand_on(void *user, const wfsm_row *row)
{
    const relay *self = user;
    int32_t status = self->sink(self->user, row);
    return kind == READS_ON ? WFSM_OK : status;
}

static int32_t head(void *self, const char *id, wfsm_head *out, wfsm_error *error)
{
    return wfsm_store_head(self, id, out, error);
}

static int32_t records(void *self, const char *id, uint64_t from, uint64_t to,
                       wfsm_row_sink sink, void *user, wfsm_error *error)
{
    relay between = {sink, user, 0};
    if (kind == MIXES_UP_INSTANCES && strcmp(id, "a") == 0)
        id = "other";
    return wfsm_store_records(self, id, from, to, hand_on, &between, error);
}

static int32_t snapshot(void *self, const char *id, const char *checkpoint, wfsm_row_sink sink,
                        void *user, wfsm_error *error)
{
    if (kind == KEEPS_OLD_SNAPSHOT && checkpoint)
        checkpoint = NULL;
    return wfsm_store_snapshot(self, id, checkpoint, sink, user, error);
}

static int32_t checkpoints(void *self, const char *id, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    return wfsm_store_checkpoints(self, id, sink, user, error);
}

static int32_t list(void *self, const wfsm_query *given, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    wfsm_query query = *given;
    if (kind == LISTS_ALL) {
        query = (wfsm_query){.size = sizeof query, .after = given->after};
        query.limit = given->limit;
        query.prefix = given->prefix;
    }
    if (kind == LISTS_EARLY && query.due)
        query.due++;
    if (kind == FORGETS_LIMIT)
        query.limit = 0;
    if (kind == FORGETS_AFTER)
        query.after = NULL;
    if (kind == FORGETS_PREFIX)
        query.prefix = NULL;
    if (kind == FORGETS_WHERE)
        query.where_count = 0;
    return wfsm_store_list(self, &query, sink, user, error);
}

static int32_t document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    return wfsm_store_document(self, fingerprint, sink, user, error);
}

static int32_t seen(void *self, const char *id, const char *event_id, int32_t *out,
                    wfsm_error *error)
{
    int32_t status = wfsm_store_seen(self, id, event_id, out, error);
    if (kind == NEVER_SEEN)
        *out = 0;
    if (kind == REMEMBERS_CUT_EVENTS && was_cut && strncmp(event_id, "event-", 6) == 0)
        *out = 1;
    return status;
}

/* ---- inbox, owners, the mark ---- */

static int32_t post(void *self, const wfsm_post *given, wfsm_error *error)
{
    wfsm_post passed = *given;
    if (kind == POSTS_TWICE)
        passed.id = NULL;
    int32_t status = wfsm_store_submit(self, &passed, error);
    return kind == POSTS_TO_NOBODY && status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

static int32_t inbox(void *self, const char *id, uint64_t limit, wfsm_row_sink sink, void *user,
                     wfsm_error *error)
{
    return wfsm_store_inbox(self, id, limit, sink, user, error);
}

static int32_t changes(void *self, wfsm_changes *asked, wfsm_row_sink sink, void *user,
                       wfsm_error *error)
{
    static uint64_t calls;
    int32_t status;
    if (kind == TELLS_OF_OTHERS)
        asked->session = "two";
    if (kind == TELLS_OF_OLD)
        asked->after = 0;
    status = wfsm_store_changes(self, asked, sink, user, error);
    if (kind == NEVER_CHANGES)
        asked->changes = 0;
    if (kind == CHANGES_ALWAYS)
        asked->changes = ++calls;
    return status;
}

static int32_t acknowledge(void *self, const char *id, uint64_t effect, wfsm_error *error)
{
    if (kind == MARK_GOES_BACK)
        return WFSM_OK;
    return wfsm_store_acknowledge(self, id, effect, error);
}

static int32_t owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    if (kind == FORGETS_LAPSE)
        until = 0;
    return wfsm_store_owner_alive(self, owner, until, error);
}

static int32_t claim(void *self, const char *session, int64_t mine, int64_t now, int64_t until,
                     wfsm_error *error)
{
    if (kind == CLAIMS_ANYTHING)
        return wfsm_store_owner_alive(self, session, until, error);
    return wfsm_store_claim(self, session, mine, now, until, error);
}

static int32_t give_away(wfsm_store *inner, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    char owner[256];
    int32_t status = wfsm_store_head(inner, id, &head, error);
    if (status || !*head.owner)
        return status;
    strcpy(owner, head.owner);
    return wfsm_store_disown(inner, id, owner, error);
}

static int32_t own(void *self, const char *id, const char *owner, int64_t now,
                   wfsm_error *error)
{
    int32_t status = wfsm_store_own(self, id, owner, kind == OWNS_NEVER ? 0 : now, error);
    if (kind != OWNS_ALWAYS || status != WFSM_DENIED)
        return status;
    give_away(self, id, NULL);
    return wfsm_store_own(self, id, owner, now, error);
}

static int32_t disown(void *self, const char *id, const char *owner, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    if (kind == DISOWNS_NEVER)
        return WFSM_OK;
    if (kind == DISOWNS_FOR_OTHERS)
        return give_away(self, id, error);
    if (kind == DISOWNS_ONCE && !wfsm_store_head(self, id, &head, NULL) && !*head.owner)
        return wfsm_error_set(error, WFSM_DENIED, "the instance has no owner");
    return wfsm_store_disown(self, id, owner, error);
}

static int32_t forget(void *self, const char *id, wfsm_error *error)
{
    return kind == KEEPS_REMOVED ? WFSM_OK : wfsm_store_remove(self, id, error);
}

/* ---- compaction ---- */

static int32_t consume(void *user, const wfsm_row *row)
{
    *(uint64_t *)user = row->number;
    return WFSM_OK;
}

/* Takes the last post out by a commit of its own. */
static void forget_post(wfsm_store *inner, const char *id)
{
    wfsm_head head = {.size = sizeof head};
    wfsm_commit commit = {.size = sizeof commit,
                          .instance = id,
                          .owner = "",
                          .token = "t",
                          .record = "{}",
                          .record_length = 2,
                          .machine = "machine",
                          .fingerprint = "f1",
                          .tags = "",
                          .status = WFSM_RUNNING};
    const wfsm_commit *list[] = {&commit};
    int32_t answer;
    wfsm_store_inbox(inner, id, 0, consume, &commit.inbox, NULL);
    if (!commit.inbox || wfsm_store_head(inner, id, &head, NULL))
        return;
    commit.base = head.revision;
    wfsm_store_commit(inner, list, 1, &answer, NULL);
}

static int32_t cut(void *self, const char *id, uint64_t revision, const char *text,
                   size_t length, wfsm_error *error)
{
    if (kind == CUTS_NOTHING)
        return WFSM_OK;
    if (kind == CUTS_ONE_MORE)
        revision++;
    if (kind == CUTS_ANOTHER && strcmp(id, "a") == 0)
        id = "other";
    if (kind == CUTS_ANCHOR)
        length--;
    int32_t status = wfsm_store_cut(self, id, revision, text, length, error);
    if (kind == FORGETS_POSTS_ON_CUT && !status)
        forget_post(self, id);
    was_cut = was_cut || !status;
    return kind == CUTS_ANYWHERE && status == WFSM_CONFLICT ? WFSM_OK : status;
}

static int32_t anchor(void *self, const char *id, wfsm_row_sink sink, void *user,
                      wfsm_error *error)
{
    if (kind == FORGETS_ANCHOR)
        return wfsm_error_set(error, WFSM_NOT_FOUND, "no anchor");
    return wfsm_store_anchor(self, id, sink, user, error);
}

static void close(void *self)
{
    (void)self;
    handles--;
}

static int32_t permits(void *self, const char *session, int64_t now, wfsm_permit *const *list,
                       size_t count, wfsm_error *error)
{
    wfsm_exchange asked = {.size = sizeof asked,
                           .session = session,
                           .now = kind == PERMITS_STAY ? 1 : now,
                           .permits = list,
                           .permit_count = count};
    for (size_t i = 0; i < count && kind == COUNTS_ON_PERMITS; i++)
        list[i]->held = 0;
    int32_t status = wfsm_store_exchange(self, &asked, error);
    for (size_t i = 0; i < count; i++) {
        if (kind == GRANTS_ALL)
            list[i]->granted = list[i]->wanted;
        if (kind == TELLS_NO_WAITING)
            list[i]->contended = 0;
    }
    return status == WFSM_OK ? asked.lease : status;
}

static int32_t rates(void *self, int64_t now, wfsm_rate *const *list, size_t count,
                     wfsm_error *error)
{
    wfsm_exchange asked = {.size = sizeof asked,
                           .now = kind == TOKENS_ARE_LOST ? 1000 : now,
                           .rates = list,
                           .rate_count = count};
    int32_t status = wfsm_store_exchange(self, &asked, error);
    for (size_t i = 0; i < count && kind == TOKENS_FOR_ALL; i++) {
        list[i]->granted = list[i]->wanted;
        list[i]->wait_ms = 0;
    }
    return status == WFSM_OK ? asked.lease : status;
}

static int32_t lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                      wfsm_error *error)
{
    if (kind == FORGETS_THE_GONE)
        return WFSM_OK;
    return wfsm_store_lapsed(self, kind == ALL_ARE_GONE ? INT64_MAX : now, sink, user, error);
}

static const wfsm_store_vtable vtable = {
    .size = sizeof vtable,
    .commit = commit,
    .head = head,
    .records = records,
    .snapshot = snapshot,
    .checkpoints = checkpoints,
    .list = list,
    .document = document,
    .seen = seen,
    .post = post,
    .inbox = inbox,
    .acknowledge = acknowledge,
    .owner_alive = owner_alive,
    .claim = claim,
    .own = own,
    .disown = disown,
    .remove = forget,
    .close = close,
    .cut = cut,
    .anchor = anchor,
    .changes = changes,
    .lapsed = lapsed,
    .permits = permits,
    .rates = rates,
    .searches = 1,
};

/* ---- a view, and whole exchanges ---- */

static int32_t view(void *self, int32_t open, wfsm_error *error)
{
    (void)self, (void)open, (void)error;
    return WFSM_OK;
}

static int32_t drop_row(void *user, const wfsm_row *row)
{
    (void)user, (void)row;
    return WFSM_OK;
}

static void bend_requests(const wfsm_exchange *given, wfsm_request *bent_ones,
                          const wfsm_request **list)
{
    for (size_t i = 0; i < given->request_count && i < MOST; i++) {
        bent_ones[i] = *given->requests[i];
        if (kind == KEEPS_WHAT_IS_GIVEN_UP)
            bent_ones[i].gives_up = 0;
        list[i] = &bent_ones[i];
    }
}

static int32_t exchange(void *self, wfsm_exchange *given, wfsm_error *error)
{
    wfsm_exchange all = *given;
    wfsm_request requests[MOST];
    const wfsm_request *list[MOST];
    int32_t status;
    bend_requests(given, requests, list);
    all.requests = list;
    if (kind == WRITES_WITHOUT_LEASE)
        all.mine = all.until;
    if (kind == DROPS_POSTS)
        all.post_count = 0;
    if (kind == LOADS_NOTHING)
        all.sink = drop_row;
    status = wfsm_store_exchange(self, &all, error);
    given->lease = all.lease;
    given->more = all.more;
    given->changes = all.changes;
    given->inbox_answer = all.inbox_answer;
    for (size_t i = all.post_count; i < given->post_count; i++)
        given->post_answers[i] = WFSM_OK;
    return status;
}

/* ---- opening ---- */

static void wipe(void *user)
{
    (void)user;
    for (int i = 0; i < 2; i++) {
        wfsm_store_free(kept[i]);
        kept[i] = NULL;
    }
}

static int32_t open_one(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    (void)user;
    int32_t status = WFSM_OK;
    if (kind == ONE_FOR_ALL)
        which = 0;
    if (kind == FORGETS_ON_CLOSING && handles == 0)
        wipe(NULL);
    if (!kept[which])
        status = wfsm_memory_open(&kept[which], NULL, error);
    wfsm_store_vtable mutant = vtable;
    if (kind == VIEWS_NOTHING)
        mutant.view = view;
    if (kind >= WRITES_WITHOUT_LEASE)
        mutant.exchange = exchange;
    if (!status)
        status = wfsm_store_new(store, &mutant, kept[which], NULL, error);
    handles += status == WFSM_OK;
    return status;
}

wfsm_testkit_store_options mutant_options(enum mutant mutant)
{
    kind = mutant;
    was_cut = false;
    return (wfsm_testkit_store_options){.size = sizeof(wfsm_testkit_store_options),
                                        .open = open_one,
                                        .wipe = wipe,
                                        .durable = 1};
}
