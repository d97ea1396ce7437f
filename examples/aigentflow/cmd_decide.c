/* approve, reject, abort, resume: a person's decision on a task or a feature. It is posted, and
 * the process that drives the task takes it. If there is none, this process continues the task. */
#include "aigentflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wfsm/agents.h>
#include "session.h"
#include "shared/owner.h"
#include "shared/person.h"
#include "show_task.h"
#include "subject.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"

typedef struct word {
    const char *event;
    char *data;
} word;

static int post(wfsm_store *store, const task *to, const word *said)
{
    wfsm_error *error = wfsm_error_new(NULL);
    int code = END_FINE;

    if (host_post_command(store, to->id, said->event, said->data, error) != WFSM_OK)
        code = library_failed(to->id, error);
    wfsm_error_free(error);
    return code;
}

/* What the decision is about. */
static int show_it(const settings *with, wfsm_store *store, const task *to)
{
    task root;
    int code = task_read(&root, store, with, to->root);

    if (code == END_FINE) {
        show_question(to);
        if (!task_asks_input(to))
            subject_show(with, to, &root);
    }
    task_clear(&root);
    return code;
}

static int ask(const arguments *given, const task *to, const word *said)
{
    char question[HOST_STATE_SIZE + 16];

    (void)snprintf(question, sizeof question, "%s %s?",
                   strcmp(said->event, "APPROVE") == 0 ? "Approve" : "Reject", to->id);
    return given->yes || given->answer || host_person_agrees(question) ? END_FINE : END_OTHER;
}

static int show_and_ask(const arguments *given, const settings *with, wfsm_store *store,
                        const task *to, const word *said)
{
    int is_decision = strcmp(said->event, "APPROVE") == 0 || strcmp(said->event, "REJECT") == 0;
    int code = END_FINE;

    if (!is_decision || given->json)
        return code;
    code = show_it(with, store, to);
    return code == END_FINE ? ask(given, to, said) : code;
}

static int say(const arguments *given, const settings *with, wfsm_store *store, const task *to,
               const word *said)
{
    char text[WFSM_OWNER_TEXT_SIZE];
    int code = show_and_ask(given, with, store, to, said);

    if (code == END_FINE)
        code = post(store, to, said);
    if (code != END_FINE)
        return code;
    if (!host_owner_is_at_work(to->stored.owner))
        return drive_stored(with, given, to->root);
    wfsm_owner_describe(to->stored.owner, text);
    if (given->json)
        return show_json(
            json_pack("{s:s, s:s, s:s}", "id", to->id, "event", said->event, "told", text));
    shown_printf("%s: %s is told\n", to->id, text);
    return END_FINE;
}

/* The event, its data (NULL or malloc'ed) and its receiver. END_FINE if it can be sent. */
typedef int (*choice)(const arguments *given, const task *found, word *said);

static int with_task(const arguments *given, const settings *with, task_test test,
                     const char *nothing, choice choose)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    task found = {.id = ""};
    word said = {NULL, NULL};
    int code;

    if (address_open(&store, with->store, ADDRESS_WRITE, error) != WFSM_OK)
        code = library_failed("the store", error);
    else
        code = task_find(&found, store, with, given, test, nothing);
    if (code == END_FINE)
        code = choose(given, &found, &said);
    if (code == END_FINE)
        code = said.event ? say(given, with, store, &found, &said)
                          : drive_stored(with, given, found.root);
    free(said.data);
    task_clear(&found);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}

static int is_at(const task *one, const char *state)
{
    return strcmp(one->state, state) == 0;
}

static int put(word *said, const char *event, json_t *data)
{
    said->event = event;
    said->data = data ? json_dumps(data, JSON_COMPACT) : NULL;
    json_decref(data);
    if (said->data)
        return END_FINE;
    print_error("expected UTF-8");
    return END_USAGE;
}

/* ---- approve and reject ---- */

static json_t *question_of(const task *found)
{
    return json_object_get(json_object_get(found->stored.context, "question"), "number");
}

/* A design must be chosen if there are several, and only then. */
static int check_design(const arguments *given, const task *found)
{
    size_t count = json_array_size(json_object_get(found->stored.context, "designs"));

    if (count == 0 && given->design == 0)
        return END_FINE;
    if (given->design >= 1 && given->design <= (int64_t)count)
        return END_FINE;
    if (count == 0)
        print_error("%s: there are no designs to choose from", found->id);
    else
        print_error("%s: expected --design with a number from 1 to %zu", found->id, count);
    return END_USAGE;
}

/* An agent of a feature works again with the answer: there must be one. */
static int check_answer(const arguments *given, const task *found)
{
    if (given->answer || !task_is_feature(found) || !task_asks_input(found))
        return END_FINE;
    print_error("%s: the agent asks; expected --answer", found->id);
    return END_USAGE;
}

static int check_person(const task *found)
{
    if (!host_person_is_agent())
        return END_FINE;
    print_error("%s: an agent cannot decide for a person", found->id);
    return END_OTHER;
}

static const char *person_of(const arguments *given)
{
    const char *login = given->by ? given->by : host_person();

    return login ? login : "somebody";
}

static int choose_approve(const arguments *given, const task *found, word *said)
{
    json_t *data;

    if (check_person(found) != END_FINE)
        return END_OTHER;
    if (check_design(given, found) != END_FINE || check_answer(given, found) != END_FINE)
        return END_USAGE;
    data = json_pack("{s:O?, s:s?, s:s}", "question", question_of(found), "answer",
                     given->answer, "by", person_of(given));
    if (data && given->design > 0)
        json_object_set_new(data, "design", json_integer(given->design));
    return put(said, "APPROVE", data);
}

static int choose_reject(const arguments *given, const task *found, word *said)
{
    if (check_person(found) != END_FINE)
        return END_OTHER;
    return put(
        said, "REJECT",
        json_pack("{s:O?, s:s?}", "question", question_of(found), "reason", given->reason));
}

int cmd_approve(const arguments *given, const settings *with)
{
    return with_task(given, with, task_asks, "Nothing to approve", choose_approve);
}

int cmd_answer(const arguments *given, const settings *with)
{
    if (!given->answer) {
        print_error("expected --answer");
        return END_USAGE;
    }
    return with_task(given, with, task_asks_input, "Nothing to answer", choose_approve);
}

int cmd_reject(const arguments *given, const settings *with)
{
    return with_task(given, with, task_asks, "Nothing to reject", choose_reject);
}

/* ---- abort ---- */

static int can_abort(const task *one)
{
    return !task_is_feature(one) && !one->stored.ended && !is_at(one, "COMPLETED");
}

static int can_abort_feature(const task *one)
{
    return task_is_feature(one) && !one->stored.ended;
}

static int choose_abort(const arguments *given, const task *found, word *said)
{
    (void)given;
    (void)found;
    return put(said, "ABORT", json_object());
}

int cmd_abort(const arguments *given, const settings *with)
{
    int code = with_task(given, with, given->feature ? can_abort_feature : can_abort,
                         "Nothing to abort", choose_abort);

    return code == END_ABORTED ? END_FINE : code;
}

/* ---- resume ---- */

static int can_resume(const task *one)
{
    if (task_is_left(one))
        return 1;
    return task_is_unfinished(one) &&
           (!task_is_feature(one) || is_at(one, "escalated") || is_at(one, "waiting"));
}

static int choose_resume(const arguments *given, const task *found, word *said)
{
    if (is_at(found, "ESCALATED") || is_at(found, "escalated") || is_at(found, "waiting"))
        return put(said, "RESUME", json_pack("{s:s?}", "advice", given->answer));
    if (found->stored.failed) {
        print_error("%s: it is at %s; `aigentflow restore %s` restores a checkpoint", found->id,
                    found->state, found->root);
        return END_OTHER;
    }
    return END_FINE;
}

int cmd_resume(const arguments *given, const settings *with)
{
    return with_task(given, with, can_resume, "Nothing to resume", choose_resume);
}
