/* The commands that only read: status, list, history. */
#include "coordinator.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "journal.h"
#include "show.h"
#include "summary.h"
#include "task.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"

typedef int (*look)(wfsm_store *store, const char *id, wfsm_error *error);

static int with_store(const arguments *given, const settings *with, look at)
{
    wfsm_error *error;
    wfsm_store *store = NULL;
    int code;

    if (!given->id && !host_store_is_made(with->store)) {
        if (!given->json)
            shown_puts("no task yet");
        return END_FINE;
    }
    error = wfsm_error_new(NULL);
    if (address_open(&store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed("the store", error);
    else
        code = at(store, given->id, error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}

static void print_time(const char *what, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm local;
    char text[64] = "?";

    if (localtime_r(&seconds, &local))
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    shown_printf("  %-10s %s\n", what, text);
}

static const char *owner_word(const task *found)
{
    static char text[WFSM_OWNER_TEXT_SIZE];

    switch (wfsm_owner_state(found->owner)) {
    case WFSM_OWNER_NONE:
        return "nobody";
    case WFSM_OWNER_GONE:
        return "nobody: its process has ended, `coordinator resume` continues";
    case WFSM_OWNER_ALIVE:
    case WFSM_OWNER_ELSEWHERE:
        break;
    }
    wfsm_owner_describe(found->owner, text);
    return text;
}

static void print_work(const task *found)
{
    size_t index;
    json_t *one;

    json_array_foreach(found->invocations, index, one)
        shown_printf("  %-10s %s, %s, attempt %.0f\n", "agent",
                     json_string_value(json_object_get(one, "src")),
                     json_string_value(json_object_get(one, "status")),
                     json_number_value(json_object_get(one, "attempt")));
}

/* The first line; a task is often written as a Markdown page. */
static const char *title_of(const task *found, int *length)
{
    const char *words = host_stored_text(found, "task");

    words += strspn(words, "# \t\r\n");
    *length = (int)strcspn(words, "\r\n");
    return words;
}

static void print_task(const task *found, const char *id)
{
    int length;
    const char *title = title_of(found, &length);

    shown_printf("%s: %s\n", id, found->state);
    shown_printf("  %-10s %.*s\n", "task", length, title);
    shown_printf("  %-10s %s\n", "workspace", host_stored_text(found, "workspace"));
    shown_printf("  %-10s %lld of %lld\n", "round",
                 (long long)host_stored_number(found, "round"),
                 (long long)host_stored_number(found, "maxRounds"));
    print_time("started", found->created);
    print_time("last step", found->updated);
    if (!found->over)
        shown_printf("  %-10s %s\n", "run by", owner_word(found));
    print_work(found);
    if (found->over)
        show_outcome(found, id);
}

static int status_json(wfsm_store *store, const char *id, wfsm_error *error)
{
    task found;
    int code;

    if (host_stored_read(&found, store, id, error) == WFSM_OK)
        code = summary_print(store, &found, id, error);
    else
        code = library_failed(id, error);
    host_stored_clear(&found);
    return code;
}

static int status_of(wfsm_store *store, const char *id, wfsm_error *error)
{
    task found;
    int code = END_FINE;

    if (host_stored_read(&found, store, id, error) != WFSM_OK)
        code = library_failed(id, error);
    else {
        print_task(&found, id);
        code = summary_show(store, &found, id, error);
    }
    host_stored_clear(&found);
    return code;
}

static void print_line(const task *found, const char *id)
{
    char top[HOST_STATE_SIZE];
    int length;
    const char *title = title_of(found, &length);
    const char *outcome = host_stored_text(found, "outcome");
    int stopped = wfsm_owner_state(found->owner) != WFSM_OWNER_ALIVE;

    host_top_state(found->state, top);
    if (!*outcome)
        outcome = stopped ? "(nobody runs it)" : "(at work)";
    shown_printf("%-16s  %-9s  %-24s  %.*s\n", id, top, outcome, length > 48 ? 48 : length,
                 title);
}

static int list_line(wfsm_store *store, const char *id, wfsm_error *error)
{
    task found;
    int code = END_FINE;

    if (host_stored_read(&found, store, id, error) == WFSM_OK)
        print_line(&found, id);
    else
        code = library_failed(id, error);
    host_stored_clear(&found);
    return code;
}

static int list_with(wfsm_store *store, look one, wfsm_error *error)
{
    task_ids ids;
    size_t index;
    int code = END_FINE;

    if (task_ids_read(&ids, store, 0, error) != WFSM_OK)
        code = library_failed("the store", error);
    for (index = 0; index < ids.count; index++)
        if (one(store, ids.list[index], error) != END_FINE)
            code = END_STORE;
    task_ids_clear(&ids);
    return code;
}

static int list_all(wfsm_store *store, const char *id, wfsm_error *error)
{
    (void)id;
    return list_with(store, list_line, error);
}

static int list_json(wfsm_store *store, const char *id, wfsm_error *error)
{
    (void)id;
    return list_with(store, status_json, error);
}

static int history_json(wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};

    if (wfsm_store_head(store, id, &head, error) != WFSM_OK ||
        journal_print_json(store, id, error) != WFSM_OK)
        return library_failed(id, error);
    return END_FINE;
}

static int history_of(wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};

    if (wfsm_store_head(store, id, &head, error) != WFSM_OK ||
        journal_print(store, id, error) != WFSM_OK)
        return library_failed(id, error);
    return END_FINE;
}

int cmd_status(const arguments *given, const settings *with)
{
    return with_store(given, with, given->json ? status_json : status_of);
}

int cmd_list(const arguments *given, const settings *with)
{
    return with_store(given, with, given->json ? list_json : list_all);
}

int cmd_history(const arguments *given, const settings *with)
{
    return with_store(given, with, given->json ? history_json : history_of);
}
