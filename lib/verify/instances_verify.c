/* verify/instances_verify.c: the properties of instances, one by one. */
#include "verify/instances.h"

#include "base/error.h"
#include "base/memory.h"

/* ---- before all ---- */

static wfsm_machine *child_machine(const wfsm_machine *machine, uint32_t invoke,
                                   const wfsm_verify_options *options)
{
    const char *id = wf_child_machine(wf_agent_started(machine, invoke));
    for (size_t i = 0; id && i < options->machine_count; i++)
        if (strcmp(options->machines[i]->id.text, id) == 0)
            return options->machines[i];
    return NULL;
}

/* Those whose states are asked for. */
static bool are_ambiguous(const wfsm_verify_options *options, const wfsm_machine *child)
{
    uint32_t count = 0;
    for (size_t i = 0; i < options->machine_count; i++)
        count += strcmp(options->machines[i]->id.text, child->id.text) == 0;
    return count > 1;
}

int32_t wf_instances_check(wfsm_machine *machine, const wfsm_verify_options *options,
                           wfsm_error *error)
{
    if (options->machine_count > 0 && !options->machines)
        return wf_fail(error, WFSM_INVALID, "machines must not be NULL if there are some");
    for (size_t i = 0; i < options->machine_count; i++)
        if (!options->machines[i])
            return wf_fail(error, WFSM_INVALID, "a machine must not be NULL");
    for (uint32_t q = 0; q < machine->child_question_count; q++) {
        const wf_child_question *question = &machine->child_questions[q];
        const wfsm_machine *child = child_machine(machine, question->invoke, options);
        if (child && are_ambiguous(options, child))
            return wf_fail(error, WFSM_SEMANTIC, "two machines have the id \"%s\"",
                           child->id.text);
        if (child &&
            wf_machine_find(child, question->state.text, question->state.length) == WF_NONE)
            return wf_fail(error, WFSM_SEMANTIC,
                           "children_in: the machine \"%s\", which \"%s\" starts, has no state "
                           "\"%s\"",
                           child->id.text, machine->invokes[question->invoke].id.text,
                           question->state.text);
    }
    return WFSM_OK;
}

/* ---- what is watched ---- */

static wf_child *child_of(wf_instances *self, uint32_t invoke)
{
    for (uint32_t k = 0; k < self->count; k++)
        if (self->children[k].invoke == invoke)
            return &self->children[k];
    if (self->count == WF_WATCHED_MOST)
        return NULL;
    wf_child *child = &self->children[self->count++];
    child->invoke = invoke;
    child->machine = child_machine(self->report->machine, invoke, &self->search->options);
    for (uint32_t q = 0; q < WF_QUESTIONS_MOST; q++)
        child->states[q] = WF_NONE;
    return child;
}

static void find_watched(wf_instances *self)
{
    const wfsm_machine *machine = self->report->machine;
    if (machine->child_question_count > WF_QUESTIONS_MOST)
        self->why = "the properties of instances ask children_in about more than 32 states";
    for (uint32_t q = 0; q < machine->child_question_count && !self->why; q++) {
        const wf_child_question *question = &machine->child_questions[q];
        wf_child *child = child_of(self, question->invoke);
        if (!child)
            self->why =
                "the properties of instances ask children_in about more than 8 invocations";
        else if (child->machine)
            child->states[q] =
                wf_machine_find(child->machine, question->state.text, question->state.length);
    }
}

/* The machine that is started there, if only one can be, and its document is given. */
static bool starts_known_child(const wf_instances *self, uint32_t invoke)
{
    const wfsm_verify_options *options = &self->search->options;
    const wfsm_machine *child = child_machine(self->report->machine, invoke, options);
    return child && !are_ambiguous(options, child);
}

/* No property asks about their children, but these have other results than an agent. A child of which not all is
 * known is taken for an agent. */
static int32_t explore_others(wf_instances *self)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < self->report->machine->invoke_count && status == WFSM_OK; i++) {
        const uint32_t before = self->count;
        wf_child *child = starts_known_child(self, i) ? child_of(self, i) : NULL;
        if (!child || self->count == before)
            continue;
        status = wf_child_explore(self, child);
        if (!child->why)
            continue;
        *child = (wf_child){0};
        self->count--;
    }
    return status;
}

static int32_t explore_children(wf_instances *self)
{
    int32_t status = WFSM_OK;
    for (uint32_t k = 0; k < self->count && status == WFSM_OK; k++)
        status = wf_child_explore(self, &self->children[k]);
    return status == WFSM_OK ? explore_others(self) : status;
}

static int32_t explore(wf_instances *self)
{
    find_watched(self);
    if (self->report->bound[0] != '\0')
        self->why = self->report->bound;
    if (self->why)
        return WFSM_OK;
    int32_t status = explore_children(self);
    if (status == WFSM_OK)
        status = wf_parent_explore(self);
    if (status == WFSM_OK && self->arena.failed)
        status = wf_no_memory(self->error);
    if (status != WFSM_LIMIT)
        return status;
    self->why = "the moves of the parent were not found again";
    return WFSM_OK;
}

/* ---- one property ---- */

typedef struct outcome {
    wf_instances *self;
    uint32_t property;
    wf_played_sink *sink;
    void *user;
    bool violated;
    const char *why; /* it may be, and was not reproduced */
} outcome;

static int32_t take(void *user, const wf_combination *found, bool *done)
{
    outcome *of = user;
    wf_played played = {0};
    wf_buffer_init(&played.text, of->self->report->arena.allocator);
    wf_buffer_init(&played.script, of->self->report->arena.allocator);
    int32_t status = wf_instances_play(of->self, of->property, found, &played);
    if (status == WFSM_OK && played.reproduced)
        status = of->sink(of->user, of->property, &played);
    *done = of->violated = played.reproduced;
    if (!played.reproduced && !of->why)
        of->why = played.why;
    wf_buffer_fini(&played.text);
    wf_buffer_fini(&played.script);
    return status;
}

static int32_t settle(wf_instances *self, uint32_t property, wf_played_sink *sink, void *user)
{
    outcome of = {.self = self, .property = property, .sink = sink, .user = user};
    const char *why = self->why;
    int32_t status = why ? WFSM_OK : wf_instances_search(self, property, take, &of, &why);
    if (status != WFSM_OK || of.violated || (!why && !of.why))
        return status;
    self->report->open[property] = 1;
    if (!why)
        why = wf_instances_text(self, "a run of several instances may violate \"%s\": %s",
                                self->report->machine->properties[property].name.text, of.why);
    if (!self->report->unsettled)
        self->report->unsettled =
            why ? wf_arena_text(&self->report->arena, why, strlen(why)) : NULL;
    return self->report->unsettled ? WFSM_OK : wf_no_memory(self->error);
}

bool wf_has_instances(const wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->property_count; i++)
        if (machine->properties[i].kind == WF_INSTANCES)
            return true;
    return false;
}

static void end(wf_instances *self)
{
    const wfsm_allocator *allocator = self->search->explorer.allocator;
    wf_free(allocator, self->links);
    wf_free(allocator, self->first);
    wf_free(allocator, self->open);
    wf_arena_fini(&self->arena);
}

int32_t wf_instances_verify(wfsm_verification *report, wf_search *from, wf_search *symbolic,
                            wf_played_sink *sink, void *user)
{
    const wfsm_machine *machine = report->machine;
    wf_instances self = {
        .report = report, .search = symbolic ? symbolic : from, .error = from->explorer.error};
    if (!wf_has_instances(machine))
        return WFSM_OK;
    wf_arena_init(&self.arena, from->explorer.allocator, 0);
    int32_t status = explore(&self);
    for (uint32_t i = 0; i < machine->property_count && status == WFSM_OK; i++)
        if (machine->properties[i].kind == WF_INSTANCES)
            status = settle(&self, i, sink, user);
    end(&self);
    return status;
}
