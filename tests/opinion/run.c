#include "opinion/run.h"

#include <stdlib.h>
#include <string.h>
#include "opinion/values.h"

/* ---- the host ---- */

/* "host" is a list of answers, or {"yes": BITS, "patch": OBJECT}. */
static json_t *answer_of(player *self, bool guard)
{
    json_t *host = json_object_get(self->step, "host");
    size_t asked = json_array_size(self->answers);
    if (json_is_array(host))
        return json_incref(json_array_get(host, asked));
    if (guard)
        return json_boolean(json_integer_value(json_object_get(host, "yes")) >> (asked % 8) &
                            1);
    return json_incref(json_object_get(host, "patch"));
}

/* A guard that sees the same again in a step answers the same: doc/verification.md. A list of answers says
 * itself what is answered. */
static json_t *said_before(player *self, wfsm_call *call, json_t *said)
{
    size_t length = 0;
    const char *params = wfsm_call_params(call, &length);
    json_t *question =
        json_sprintf("%s %s %s %s", wfsm_call_name(call), params ? params : "",
                     wfsm_call_context(call, &length), wfsm_call_event(call, &length));
    json_t *before = json_object_get(self->asked, json_string_value(question));
    if (before) {
        json_decref(said);
        said = json_incref(before);
    } else {
        json_object_set(self->asked, json_string_value(question), said);
    }
    json_decref(question);
    return said;
}

static int32_t answer(player *self, wfsm_call *call, bool guard)
{
    json_t *said = answer_of(self, guard);
    if (!said)
        said = guard ? json_false() : json_object();
    if (guard && !json_is_array(json_object_get(self->step, "host")))
        said = said_before(self, call, said);
    json_array_append_new(self->answers, said);
    if (guard && json_is_boolean(said))
        return wfsm_call_allow(call, json_is_true(said));
    if (!guard && json_is_null(said))
        return WFSM_OK;
    if (guard || !json_is_object(said))
        return wfsm_call_failed(call, NULL, "it fails");
    char *text = json_dumps(said, JSON_COMPACT);
    int32_t status = wfsm_call_patch(call, text, strlen(text));
    free(text);
    return status;
}

static int32_t guard(void *user, wfsm_call *call)
{
    return answer(user, call, true);
}

static int32_t action(void *user, wfsm_call *call)
{
    return answer(user, call, false);
}

/* ---- what is seen ---- */

static void mix(uint64_t *hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        *hash = (*hash ^ (unsigned char)text[i]) * 0x100000001B3u;
    *hash = (*hash ^ 0xFF) * 0x100000001B3u;
}

/* Each transition of a generated document logs its number. */
static void see_labels(player *self, wfsm_call *call)
{
    size_t length = 0, i;
    const char *text = wfsm_call_log(call, &length);
    json_t *list = text ? json_loadb(text, length, 0, NULL) : NULL, *each;
    json_array_foreach(list, i, each)
    {
        const char *label = json_string_value(json_object_get(each, "label"));
        long number = label ? strtol(label, NULL, 10) : -1;
        if (number >= 0 && number < LABELS_MOST)
            self->labels[number] = 1;
        if (label)
            mix(&self->look, label, strlen(label));
    }
    json_decref(list);
}

static void see_entered(player *self, const json_t *paths)
{
    const json_t *path;
    size_t i;
    json_array_foreach(paths, i, path)
    {
        json_object_set_new(self->entered, json_string_value(path), json_true());
    }
}

static int32_t observe(void *user, wfsm_call *call)
{
    player *self = user;
    size_t length = 0;
    const char *text = wfsm_call_record(call, &length);
    self->committed = true;
    json_decref(self->record);
    self->record = json_loadb(text, length, JSON_DECODE_INT_AS_REAL, NULL);
    json_t *transitions = json_object_get(self->record, "transitions"), *each;
    size_t i;
    json_array_foreach(transitions, i, each) see_entered(self, json_object_get(each, "to"));
    see_labels(self, call);
    return WFSM_OK;
}

/* A claim to which nothing reacts is no step of the workflow. */
static bool is_idle_claim(const player *self, const json_t *step)
{
    return json_object_get(step, "claim") &&
           json_array_size(json_object_get(self->record, "transitions")) == 0;
}

/* The last step, for the signature and for the properties. */
static bool look(player *self, const char *event)
{
    size_t length = 0;
    const char *text = wfsm_instance_configuration(self->instance, &length);
    json_t *paths = json_loadb(text, length, 0, NULL);
    mix(&self->look, text, length);
    see_entered(self, paths);
    json_decref(paths);
    bool good = watch_look(self->watch, self->instance, event, self->now);
    mix(&self->look, (const char *)self->watch->answers, self->watch->rule_count);
    mix(&self->signature, (const char *)&self->look, sizeof self->look);
    return good;
}

/* ---- what is kept ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_id(const json_t *id)
{
    size_t length = json_string_length(id);
    return json_is_string(id) && length > 0 && length <= 255;
}

/* What a change of a value has made of a step is not always one for `wfsm simulate`. */
static void keep_form(json_t *step)
{
    const json_t *wait = json_object_get(step, "advance");
    if (!is_id(json_object_get(step, "id")))
        json_object_del(step, "id");
    if (!json_is_string(json_object_get(step, "message")))
        json_object_del(step, "message");
    if (wait)
        json_object_set_new(step, "advance", json_integer((json_int_t)json_number_value(wait)));
}

/* Steps that name an invocation, except votes. */
static const char *const answers[] = {"done", "failed", "claim"};
enum { ANSWERS = sizeof answers / sizeof *answers };

/* What is kept of the step: the names of invocations, and what the host answered. */
static void keep(player *self, const json_t *step, json_t *invocation)
{
    json_t *kept = json_deep_copy(step), *given = json_object_get(kept, "approve");
    char id[300] = "";
    keep_form(kept);
    if (invocation)
        snprintf(id, sizeof id, "%.*s", (int)strcspn(text_of(invocation, "id"), "-"),
                 text_of(invocation, "id"));
    for (size_t i = 0; i < ANSWERS && invocation; i++)
        if (json_object_get(kept, answers[i]))
            json_object_set_new(kept, answers[i], json_string(id));
    if (invocation && given) {
        json_object_set_new(given, "invocation", json_string(id));
        json_object_set(given, "digest", json_object_get(invocation, "digest"));
    }
    if (json_array_size(self->answers))
        json_object_set(kept, "host", self->answers);
    else
        json_object_del(kept, "host");
    json_array_append_new(self->played, kept);
}

/* ---- beginning and end ---- */

static bool add_functions(player *self)
{
    const char *name;
    bool good = wfsm_functions_new(&self->functions, NULL, self->error) == WFSM_OK;
    for (size_t i = 0; good && (name = wfsm_machine_uses(self->machine, WFSM_USES_GUARDS, i));
         i++)
        good = wfsm_functions_add_guard(self->functions, name, guard, self, self->error) ==
               WFSM_OK;
    for (size_t i = 0; good && (name = wfsm_machine_uses(self->machine, WFSM_USES_ACTIONS, i));
         i++)
        good = wfsm_functions_add_action(self->functions, name, action, self, self->error) ==
               WFSM_OK;
    return good;
}

bool run_open(player *self, wfsm_machine *machine, const json_t *document, watcher *watch,
              const json_t *shapes, wfsm_error *error)
{
    *self = (player){.machine = machine,
                     .watch = watch,
                     .shapes = shapes,
                     .budgets = json_object_get(document, "budgets"),
                     .error = error,
                     .entered = json_object()};
    return add_functions(self);
}

void run_close(player *self)
{
    run_end(self);
    wfsm_functions_free(self->functions);
    json_decref(self->entered);
}

bool run_begin(player *self, const json_t *step)
{
    json_t *input = json_object_get(step, "start");
    char *text = json_is_object(input) ? json_dumps(input, 0) : NULL;
    const wfsm_start_options options = {.size = sizeof options,
                                        .id = "sim",
                                        .functions = self->functions,
                                        .input = text,
                                        .length = text ? strlen(text) : 0};
    run_end(self);
    self->now = 0;
    self->signature = self->look = 0xCBF29CE484222325u;
    self->played = json_array();
    self->answers = json_array();
    self->asked = json_object();
    self->ids = json_object();
    self->step = (json_t *)step;
    watch_begin(self->watch);
    int32_t status =
        wfsm_instance_start(&self->instance, self->machine, &options, 0, self->error);
    free(text);
    keep(self, step, NULL);
    self->step = NULL;
    if (status != WFSM_OK || wfsm_instance_observe(self->instance, observe, self) != WFSM_OK)
        return false;
    return look(self, NULL);
}

void run_end(player *self)
{
    wfsm_instance_free(self->instance);
    json_decref(self->played);
    json_decref(self->answers);
    json_decref(self->asked);
    json_decref(self->ids);
    json_decref(self->record);
    self->instance = NULL;
    self->played = self->answers = self->asked = self->ids = self->record = NULL;
}

/* ---- a step ---- */

json_t *run_outstanding(player *self)
{
    size_t length = 0;
    const char *text = wfsm_instance_invocations(self->instance, &length);
    return text ? json_loadb(text, length, 0, NULL) : json_array();
}

/* An id ends at the incarnation, which scripts leave out. */
static bool same_id(const char *id, const char *name)
{
    size_t length = strcspn(name, "-");
    return strncmp(id, name, length) == 0 && (id[length] == '\0' || id[length] == '-');
}

static json_t *chosen(json_t *list, const json_t *which)
{
    json_t *each;
    size_t i, count = json_array_size(list);
    if (json_is_integer(which))
        return count ? json_array_get(list, (size_t)json_integer_value(which) % count) : NULL;
    json_array_foreach(list, i, each)
    {
        if (json_is_string(which) &&
            same_id(json_string_value(json_object_get(each, "id")), json_string_value(which)))
            return each;
    }
    return NULL;
}

static int32_t interface_of(const char *word)
{
    static const char *const words[] = {"engine", "post", "command", "page", "api"};
    for (int32_t i = 0; word && i < 5; i++)
        if (strcmp(words[i], word) == 0)
            return WFSM_INTERFACE_ENGINE + i;
    return 0;
}

static void send(player *self, const json_t *step, int32_t *outcome)
{
    json_t *data = json_object_get(step, "data"), *id = json_object_get(step, "id");
    id = is_id(id) ? id : NULL;
    char *text = data ? json_dumps(data, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_t *origin = json_object_get(step, "origin");
    const wfsm_event event = {.size = sizeof event,
                              .name = text_of(step, "event"),
                              .id = json_string_value(id),
                              .data = text,
                              .length = text ? strlen(text) : 0,
                              .interface = interface_of(text_of(origin, "interface")),
                              .sender = text_of(origin, "sender")};
    int32_t status =
        wfsm_instance_send(self->instance, &event, self->now, outcome, self->error);
    free(text);
    if (status == WFSM_OK && event.id && self->committed)
        json_object_set_new(self->ids, event.id, json_true());
}

static void fire(player *self, int32_t *outcome)
{
    int32_t fired = 0;
    wfsm_instance_advance(self->instance, self->now, &fired, outcome, self->error);
    if (!fired)
        self->committed = false;
}

typedef struct answered {
    const char *id;
    const json_t *step;
} answered;

static void result(player *self, const answered *to, const wfsm_report *report,
                   int32_t *outcome)
{
    json_t *output = json_object_get(to->step, "output");
    char *text = output ? json_dumps(output, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    const wfsm_result given = {.size = sizeof given,
                               .invocation = to->id,
                               .output = text,
                               .length = text ? strlen(text) : 0,
                               .report = report};
    wfsm_instance_result(self->instance, &given, self->now, outcome, self->error);
    free(text);
}

static void failure(player *self, const answered *to, const wfsm_report *report,
                    int32_t *outcome)
{
    const wfsm_failure given = {.size = sizeof given,
                                .invocation = to->id,
                                .failure_class = text_of(to->step, "class"),
                                .message = text_of(to->step, "message"),
                                .report = report};
    wfsm_instance_failure(self->instance, &given, self->now, outcome, self->error);
}

static void vote(player *self, const answered *to, json_t *invocation, int32_t *outcome)
{
    const json_t *given = json_object_get(to->step, "approve");
    const char *decision = text_of(given, "decision");
    const wfsm_approval vote = {
        .size = sizeof vote,
        .invocation = invocation ? to->id : text_of(given, "invocation"),
        .by = text_of(given, "by"),
        .decision = decision && strcmp(decision, "reject") == 0 ? WFSM_REJECT : WFSM_APPROVE,
        .digest = text_of(invocation ? invocation : given, "digest"),
        .reason = text_of(given, "reason")};
    if (vote.digest && vote.invocation)
        wfsm_instance_approve(self->instance, &vote, self->now, outcome, self->error);
}

/* A budget that is used up keeps attempts from being begun. */
static bool is_refused(player *self, const json_t *invocation)
{
    const char *name, *status = text_of(invocation, "status");
    json_t *all, *budget;
    bool refused = false;
    size_t length = 0;
    const char *text = wfsm_instance_budgets(self->instance, self->now, &length);
    if (!status || strcmp(status, "pending") != 0 || !text)
        return false;
    all = json_loadb(text, length, 0, NULL);
    json_object_foreach(all, name, budget)
    {
        const json_t *told = json_object_get(self->budgets, name);
        const char *counts = text_of(told, "counts");
        bool refuses = json_is_true(json_object_get(told, "refuse")) ||
                       (counts && strcmp(counts, "claims") == 0);
        refused |= refuses && json_number_value(json_object_get(budget, "left")) <= 0;
    }
    json_decref(all);
    return refused;
}

static void answer_step(player *self, const json_t *step, json_t *invocation, int32_t *outcome)
{
    json_t *usage = json_object_get(step, "usage");
    char *used = usage ? json_dumps(usage, JSON_COMPACT) : NULL;
    const wfsm_report report = {.size = sizeof report,
                                .usage = used,
                                .usage_length = used ? strlen(used) : 0,
                                .signature = text_of(step, "signature")};
    const answered to = {.id = text_of(invocation, "id"), .step = step};
    if (json_object_get(step, "approve"))
        vote(self, &to, invocation, outcome);
    else if (json_object_get(step, "claim"))
        wfsm_instance_claim(self->instance, to.id, "opinion", self->now, outcome, self->error);
    else if (!is_refused(self, invocation) && json_object_get(step, "done"))
        result(self, &to, &report, outcome);
    else if (!is_refused(self, invocation))
        failure(self, &to, &report, outcome);
    free(used);
}

static const json_t *which_of(const json_t *step)
{
    for (size_t i = 0; i < ANSWERS; i++)
        if (json_object_get(step, answers[i]))
            return json_object_get(step, answers[i]);
    return json_object_get(json_object_get(step, "approve"), "invocation");
}

/* An event whose id was taken before is not taken again. */
static bool is_repeated(const player *self, const json_t *step)
{
    const char *id = text_of(step, "id");
    return id && json_object_get(self->ids, id);
}

/* A punctual host fires what is due before anything else happens. */
static bool must_fire(const player *self)
{
    return self->punctual && wfsm_instance_deadline(self->instance) <= self->now;
}

static void play(player *self, const json_t *step, json_t *invocation, int32_t *outcome)
{
    if (must_fire(self) && !json_object_get(step, "fire"))
        return;
    if (which_of(step)) {
        if (invocation || json_object_get(step, "approve"))
            answer_step(self, step, invocation, outcome);
    } else if (json_object_get(step, "event")) {
        if (!is_repeated(self, step))
            send(self, step, outcome);
    } else if (json_object_get(step, "fire")) {
        fire(self, outcome);
    }
}

/* The event that the last step has reacted to, or NULL. */
static const char *event_of_step(const player *self)
{
    size_t length = 0;
    const char *text = wfsm_instance_event(self->instance, &length);
    return text && *text == '{' ? text : NULL;
}

/* A vote that neither decides nor leads anywhere is recorded, and is no step of the workflow. */
static bool is_idle_vote(player *self, const json_t *step, const json_t *before)
{
    json_t *after = json_object_get(step, "approve") ? run_outstanding(self) : NULL;
    bool idle =
        after && json_array_size(after) >= json_array_size(before) && !event_of_step(self);
    json_decref(after);
    return idle;
}

/* A punctual host is not late for a timer. */
static void pass(player *self, int64_t time)
{
    int64_t deadline = wfsm_instance_deadline(self->instance);
    if (self->punctual && deadline != WFSM_NEVER && self->now + time > deadline)
        time = deadline > self->now ? deadline - self->now : 0;
    self->now += time;
    watch_wait(self->watch, self->now);
}

bool run_step(player *self, const json_t *step)
{
    const json_t *wait = json_object_get(step, "advance");
    json_t *list = which_of(step) ? run_outstanding(self) : NULL;
    json_t *invocation = chosen(list, which_of(step));
    int32_t outcome = 0;
    bool good = true;
    self->step = (json_t *)step;
    self->committed = false;
    self->look = 0xCBF29CE484222325u;
    json_array_clear(self->answers);
    json_decref(self->answers);
    self->answers = json_array();
    json_object_clear(self->asked);
    if (wait && !(json_number_value(wait) >= 0 && json_number_value(wait) < 0x1p53))
        return false;
    if (wait)
        pass(self, (int64_t)json_number_value(wait));
    play(self, step, invocation, &outcome);
    if (self->committed || wait)
        keep(self, step, invocation);
    if (self->committed && !is_idle_vote(self, step, list) && !is_idle_claim(self, step))
        good = look(self, event_of_step(self));
    json_decref(list);
    self->step = NULL;
    return good && (self->committed || wait);
}
