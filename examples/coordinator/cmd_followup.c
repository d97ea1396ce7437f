/* followup and confirm: a message of the operator to a task that is over. Confirming a proposal
 * is a follow-up with a flag (rows 2 and 7). */
#include "coordinator.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alone.h"
#include "drive.h"
#include "said.h"
#include "shared/owner.h"
#include "shared/person.h"
#include <wfsm/agents.h>
#include "summary.h"
#include "task.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"

/* Posts nothing that the document would refuse, because nobody would see the refusal. */
static int check(const arguments *given, const task *found, int confirms)
{
    if (!found->over)
        print_error("%s: it is not over yet; `coordinator abort %s` would end it", given->id,
                    given->id);
    else if (confirms && !found->awaiting)
        print_error("%s: nothing waits for a confirmation, the outcome is %s", given->id,
                    host_stored_text(found, "outcome"));
    else
        return END_FINE;
    return END_OTHER;
}

/* malloc'ed; NULL if the message is not UTF-8. */
static char *make_data(const arguments *given, int confirms)
{
    const char *message = given->message ? given->message : "confirmed";
    const char *user = host_person();
    json_t *data = json_pack("{s:s}", "message", message);
    char *made;

    if (data && confirms)
        json_object_set_new(data, "confirmed", json_true());
    if (data && user)
        json_object_set_new(data, "by", json_string(user));
    if (data && given->mode)
        json_object_set_new(data, "executionMode", json_string(given->mode));
    made = data ? json_dumps(data, JSON_COMPACT) : NULL;
    json_decref(data);
    return made;
}

static int post(wfsm_store *store, const char *id, const char *data, wfsm_error *error)
{
    if (host_post_command(store, id, "task_followup_received", data, error) != WFSM_OK)
        return library_failed(id, error);
    return END_FINE;
}

/* The process that still owns the task takes the post. If there is none, this one takes it and
 * continues the task. */
static int say(const arguments *given, const settings *with, wfsm_store *store,
               const task *found, const char *data, wfsm_error *error)
{
    char text[WFSM_OWNER_TEXT_SIZE];
    int code = post(store, given->id, data, error);

    if (code != END_FINE)
        return code;
    if (!host_owner_is_at_work(found->owner))
        return drive_stored(with, store, given->id, found);
    if (with->is_json)
        return summary_print(store, found, given->id, error);
    wfsm_owner_describe(found->owner, text);
    shown_printf("%s: %s is told\n", given->id, text);
    return END_FINE;
}

static int say_alone(const arguments *given, const settings *with, wfsm_store *store,
                     const task *found, const char *data, wfsm_error *error)
{
    const json_t *place = json_object_get(found->context, "place");
    int held, code = alone_hold(place, &held);

    if (code == END_FINE)
        code = alone_check(place, given->id, store, error);
    if (code == END_FINE)
        code = say(given, with, store, found, data, error);
    alone_release(held);
    return code;
}

static int say_it(const arguments *given, const settings *with, int confirms)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    task found = {0};
    char *data = make_data(given, confirms);
    int code = data ? END_FINE : END_USAGE;

    if (!data)
        print_error("--message: expected text in UTF-8");
    else if (address_open(&store, with->store, ADDRESS_WRITE, error) != WFSM_OK)
        code = library_failed("the store", error);
    else if (host_stored_read(&found, store, given->id, error) != WFSM_OK)
        code = library_failed(given->id, error);
    if (code == END_FINE)
        code = check(given, &found, confirms);
    if (code == END_FINE && confirms && !with->is_json)
        said_print(&found);
    if (code == END_FINE)
        code = say_alone(given, with, store, &found, data, error);
    host_stored_clear(&found);
    wfsm_store_free(store);
    wfsm_error_free(error);
    free(data);
    return code;
}

int cmd_followup(const arguments *given, const settings *with)
{
    if (given->message && *given->message)
        return say_it(given, with, 0);
    print_error("expected --message; see --help");
    return END_USAGE;
}

int cmd_confirm(const arguments *given, const settings *with)
{
    if (host_person_is_agent()) {
        print_error("an agent cannot decide for a person");
        return END_OTHER;
    }
    if (!given->mode)
        return say_it(given, with, 1);
    print_error("a confirmed proposal is implemented: --mode does not go with confirm");
    return END_USAGE;
}
