/* opinion STATES SECONDS MOST: for each line that it reads, {"seed", "document", "observer", "properties",
 * "rules", "shapes", "runs", "punctual"}, and perhaps a "script", it plays the document and asks
 * wfsm_verify(), and writes a line: what verify says, and where a run contradicts it. A verification
 * ends after SECONDS of processor time, or soon after. A task that takes MOST seconds ends the
 * program, by SIGVTALRM.
 * Exit codes: 0 the input has ended; 2 the command line or a line is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include "opinion/ask.h"
#include "opinion/search.h"

typedef struct work {
    json_t *task;
    json_t *report;
    json_t *contradictions;
    wfsm_machine *machine;
    wfsm_error *error;
    watcher watch;
    player run;
    search search;
} work;

static void contradict(work *self, const char *what, const char *name, const json_t *script)
{
    json_array_append_new(self->contradictions, json_pack("{s:s s:s s:O?}", "what", what,
                                                          "name", name, "script", script));
}

/* A property that a run violates holds, or `reachable` that a run reaches is violated. */
static void compare_properties(work *self)
{
    const json_t *verdicts = json_object_get(self->report, "properties");
    json_t *seen = json_object();
    for (size_t i = 0; i < self->watch.count; i++) {
        const watched *each = &self->watch.list[i];
        const char *verdict = json_string_value(json_object_get(verdicts, each->name));
        bool reach = strcmp(each->kind, "reachable") == 0;
        if (!self->search.found[i] || !verdict)
            continue;
        json_object_set_new(seen, each->name, json_true());
        if (strcmp(verdict, reach ? "violated" : "holds") == 0)
            contradict(self, reach ? "not reachable" : "holds", each->name,
                       self->search.found[i]);
    }
    json_object_set_new(self->report, "seen", seen);
}

/* What of the shapes of runs verify says that it cannot be. */
static void compare_coverage(work *self)
{
    const json_t *each, *label, *numbers = json_object_get(self->task, "labels");
    size_t i;
    json_array_foreach(json_object_get(self->report, "never_entered"), i, each)
    {
        if (json_object_get(self->run.entered, json_string_value(each)))
            contradict(self, "never entered", json_string_value(each), NULL);
    }
    json_array_foreach(json_object_get(self->report, "never_taken"), i, each)
    {
        label = json_object_get(numbers, json_string_value(each));
        if (label && self->run.labels[json_integer_value(label)])
            contradict(self, "never taken", json_string_value(each), NULL);
    }
}

static const watched *named(const work *self, const char *name)
{
    for (size_t i = 0; i < self->watch.count; i++)
        if (strcmp(self->watch.list[i].name, name) == 0)
            return &self->watch.list[i];
    return NULL;
}

/* What shall come, and does not, is not watched. */
static bool is_watched(const watched *property)
{
    static const char *const kinds[] = {"reachable", "until", "exactly"};
    for (size_t i = 0; property && i < 3; i++)
        if (strcmp(property->kind, kinds[i]) == 0)
            return false;
    return property != NULL;
}

/* Each trace violates what it is said to violate. */
static void compare_traces(work *self)
{
    const json_t *each;
    size_t i;
    json_array_foreach(json_object_get(self->report, "violated"), i, each)
    {
        const char *name = json_string_value(json_object_get(each, "property"));
        const json_t *script = json_object_get(each, "script");
        const watched *property = named(self, name);
        if (!is_watched(property))
            continue;
        bool real = json_is_true(json_object_get(each, "replayed"));
        if (!real)
            contradict(self, "not replayed", name, script);
        else if (json_array_size(script) > 0 && search_play(&self->search, script) &&
                 !property->violated)
            contradict(self, "the trace does not violate it", name, script);
    }
}

static bool prepare(work *self)
{
    const json_t *document = json_object_get(self->task, "document");
    char *text = json_dumps(document, 0);
    bool good = wfsm_machine_load(&self->machine, text, strlen(text), NULL, NULL,
                                  self->error) == WFSM_OK &&
                watch_open(&self->watch, json_object_get(self->task, "observer"),
                           json_object_get(self->task, "properties"),
                           (size_t)json_integer_value(json_object_get(self->task, "rules")),
                           self->error) &&
                run_open(&self->run, self->machine, document, &self->watch,
                         json_object_get(self->task, "shapes"), self->error);
    self->run.punctual = json_is_true(json_object_get(self->task, "punctual"));
    free(text);
    return good;
}

/* Verify says that something cannot be. Only then can a run contradict it. */
static bool claims_anything(const work *self)
{
    const json_t *verdicts = json_object_get(self->report, "properties");
    for (size_t i = 0; i < self->watch.count; i++) {
        const watched *each = &self->watch.list[i];
        const char *verdict = json_string_value(json_object_get(verdicts, each->name));
        bool reach = strcmp(each->kind, "reachable") == 0;
        if (verdict && strcmp(verdict, reach ? "violated" : "holds") == 0)
            return true;
    }
    return json_array_size(json_object_get(self->report, "never_entered")) > 0 ||
           json_array_size(json_object_get(self->report, "never_taken")) > 0;
}

static void play(work *self)
{
    const json_t *script = json_object_get(self->task, "script");
    search_open(&self->search, &self->run,
                (uint64_t)json_integer_value(json_object_get(self->task, "seed")),
                (long)json_integer_value(json_object_get(self->task, "runs")));
    if (script)
        search_play(&self->search, script);
    else if (claims_anything(self) || json_is_true(json_object_get(self->task, "all")))
        search_on(&self->search);
    json_object_set_new(self->report, "runs", json_integer(self->search.runs));
    compare_properties(self);
    compare_coverage(self);
    compare_traces(self);
    search_close(&self->search);
}

static void answer(work *self, const char *const *limits)
{
    self->contradictions = json_array();
    if (prepare(self))
        self->report =
            ask_verify(self->machine, self->run.punctual, strtoull(limits[0], NULL, 10),
                       strtod(limits[1], NULL), self->error);
    if (self->report)
        play(self);
    else
        self->report = json_pack("{s:s}", "refused", wfsm_error_message(self->error));
    json_object_set_new(self->report, "contradictions", self->contradictions);
    json_object_set(self->report, "seed", json_object_get(self->task, "seed"));
    json_dumpf(self->report, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    run_close(&self->run);
    watch_close(&self->watch);
    wfsm_machine_unref(self->machine);
    json_decref(self->report);
}

static void end_after(long seconds)
{
    const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    if (argc != 4) {
        fputs("usage: opinion STATES SECONDS MOST\n", stderr);
        return 2;
    }
    wfsm_error *error = wfsm_error_new(NULL);
    while (getline(&line, &room, stdin) > 0) {
        work self = {.task = json_loads(line, 0, NULL), .error = error};
        if (!self.task) {
            fputs("opinion: a line is no JSON\n", stderr);
            return 2;
        }
        end_after(strtol(argv[3], NULL, 10));
        answer(&self, (const char *const *)&argv[1]);
        json_decref(self.task);
    }
    free(line);
    wfsm_error_free(error);
    return 0;
}
