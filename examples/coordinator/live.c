#include "live.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 4096 };

typedef struct lines {
    char text[TEXT_ROOM];
    size_t length;
    int working, waiting;
} lines;

/* A line that does not fit is left out. The number at the end shows that there are more. */
static void add(lines *to, const char *line)
{
    size_t length = strlen(line);

    if (to->length + length >= TEXT_ROOM)
        return;
    memcpy(to->text + to->length, line, length + 1);
    to->length += length;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* "  coder           12.3s  build, attempt 2" */
static void add_worker(lines *to, const json_t *one, int64_t now)
{
    char line[512], since[WFSM_DURATION_SIZE], attempt[64] = "";
    json_int_t number = json_integer_value(json_object_get(one, "attempt"));
    int64_t claimed = (int64_t)json_integer_value(json_object_get(one, "claimed"));

    if (number > 1)
        (void)snprintf(attempt, sizeof attempt, ", attempt %lld", (long long)number);
    (void)snprintf(line, sizeof line, "  %-14.40s %8s  %.100s%s\n", text_of(one, "src"),
                   wfsm_progress_duration(now - claimed, since), text_of(one, "state"),
                   attempt);
    add(to, line);
}

static void add_all(lines *to, const json_t *list, int64_t now)
{
    size_t index;
    const json_t *one;

    json_array_foreach(list, index, one)
    {
        if (strcmp(text_of(one, "status"), "running") != 0) {
            to->waiting++;
            continue;
        }
        to->working++;
        add_worker(to, one, now);
    }
}

/* "  1 at work, 2 waiting; round 2 of 5" */
static void add_summary(lines *to, wfsm_instance *instance)
{
    char line[256], round[64] = "";
    size_t length;
    const char *text = wfsm_instance_context(instance, &length);
    json_t *context = text ? json_loadb(text, length, 0, NULL) : NULL;
    json_int_t number = json_integer_value(json_object_get(context, "round"));

    if (number > 0)
        (void)snprintf(round, sizeof round, "; round %lld of %lld", (long long)number,
                       (long long)json_integer_value(json_object_get(context, "maxRounds")));
    (void)snprintf(line, sizeof line, "  %d at work, %d waiting%s\n", to->working, to->waiting,
                   round);
    add(to, line);
    json_decref(context);
}

void live_show(wfsm_progress *progress, wfsm_instance *instance, int64_t now)
{
    lines made = {.length = 0};
    size_t length;
    const char *text;
    json_t *list;

    if (!wfsm_progress_is_terminal(progress))
        return;
    text = wfsm_instance_invocations(instance, &length);
    list = text ? json_loadb(text, length, 0, NULL) : NULL;
    add_all(&made, list, now);
    json_decref(list);
    if (made.working + made.waiting > 0)
        add_summary(&made, instance);
    wfsm_progress_live(progress, made.text);
}
