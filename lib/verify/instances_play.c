/* verify/instances_play.c: plays a combination. The parent's path is run by the real step; each result that
 * it takes is replaced by one that its child gives, started with what the parent gives it; and the children
 * of the group are run to the states in which they violate the property. */
#include "base/error.h"
#include "verify/instances_play.h"

enum { RESULTS_MOST = 8, CHILD_RUNS_MOST = 6 };

/* The children of an invocation that are outstanding after a move. */
typedef struct standing {
    wf_value *inputs;
    size_t *places; /* in the ledger */
    uint32_t count;
} standing;

typedef struct play {
    wf_instances *self;
    const wf_property *property;
    const wf_combination *found;
    wf_played *out;
    wf_trace trace;
    standing *standing; /* by move and watched invocation */
    size_t *answered; /* by move: the place that it is about; SIZE_MAX: none */
    uint32_t counts[WF_QUESTIONS_MOST]; /* of the group, as it was played */
    bool timed;
    bool same; /* the run at hand: as the search found it, */
    bool violated; /* and it violates the property in its last step */
    wf_buffer children; /* what they do, as text */
} play;

static void give_up(play *on, const char *why)
{
    if (!on->out->why)
        on->out->why = why;
}

/* ---- the run of the parent ---- */

static void take_standing(play *on, const wf_snapshot *snapshot, uint32_t invoke, standing *out)
{
    const wf_list *ledger = &snapshot->extras->ledger;
    out->inputs = wf_arena_take(&on->self->arena, (ledger->count + 1) * sizeof *out->inputs);
    out->places = wf_arena_take(&on->self->arena, (ledger->count + 1) * sizeof *out->places);
    out->count = 0;
    for (size_t i = 0; out->inputs && out->places && i < ledger->count; i++) {
        const wf_invocation *one = wf_invocation_at(ledger, i);
        if (one->invoke != invoke || wf_invocation_ended(one))
            continue;
        out->inputs[out->count] = wf_value_clone(&on->self->arena, &one->input);
        out->places[out->count++] = i;
    }
}

static void note(void *user, size_t move, const wf_input *input, const wf_snapshot *snapshot)
{
    play *on = user;
    if (move >= on->trace.count)
        return;
    bool about = input->kind == WF_INPUT_RESULT || input->kind == WF_INPUT_FAILURE;
    on->answered[move] = about ? input->place : SIZE_MAX;
    for (uint32_t k = 0; k < on->self->count; k++)
        take_standing(on, snapshot, on->self->children[k].invoke,
                      &on->standing[move * on->self->count + k]);
    on->violated = false;
    if (move + 1 == on->trace.count &&
        wf_instances_ask(on->property, snapshot, on->counts, &on->self->arena, NULL,
                         &on->violated) != WFSM_OK)
        on->self->arena.failed = true;
}

static int32_t run_parent(play *on)
{
    wf_concrete concrete = {.same = true, .stepped = note, .user = on};
    wf_buffer_init(&concrete.text, on->self->report->arena.allocator);
    wf_buffer_init(&concrete.script, on->self->report->arena.allocator);
    on->violated = false;
    int32_t status = wf_concretize(on->self->search, &on->trace, &concrete);
    on->same = concrete.same;
    wf_buffer_fini(&on->out->text);
    wf_buffer_fini(&on->out->script);
    on->out->text = concrete.text;
    on->out->script = concrete.script;
    if (on->self->arena.failed)
        status = wf_no_memory(on->self->error);
    return status;
}

static const standing *standing_at(const play *on, size_t move, uint32_t k)
{
    return &on->standing[move * on->self->count + k];
}

/* ---- its children ---- */

static void add_text(play *on, const char *what, const wf_child *child, const wf_child_run *run)
{
    const char *id = on->self->report->machine->invokes[child->invoke].id.text;
    wf_buffer_format(&on->children, "child of \"%s\"%s:\n", id, what);
    for (const char *line = run->text; *line;) {
        size_t length = strcspn(line, "\n");
        wf_buffer_text(&on->children, "  ");
        wf_buffer_add(&on->children, line, length);
        wf_buffer_byte(&on->children, '\n');
        line += length + (line[length] != '\0');
    }
}

/* The input of the child whose result a move is; NULL: it is not known. */
static const wf_value *input_of(const play *on, size_t move, uint32_t k)
{
    const standing *before = standing_at(on, move - 1, k);
    for (uint32_t i = 0; i < before->count; i++)
        if (before->places[i] == on->answered[move])
            return &before->inputs[i];
    return NULL;
}

static bool fits_output(const play *on, const wf_child *child, const wf_value *output)
{
    const wf_schema *schema = on->self->report->machine->invokes[child->invoke].output;
    return !schema || wf_schema_check(schema, output, NULL) == WFSM_OK;
}

/* The result of a move is one that its child gives. */
static int32_t play_result(play *on, size_t move)
{
    uint32_t k = on->found->labels[move].result - 1u;
    const wf_child *child = &on->self->children[k];
    const wf_value *input = input_of(on, move, k);
    wf_child_wish wish = {
        .child = child, .input = input, .result = true, .failure = WF_CLASSES};
    int32_t status = WFSM_OK;
    if (!child->machine || !input) {
        give_up(on, "it is not known which child gives a result");
        return WFSM_OK;
    }
    on->same = false;
    for (; wish.skip < CHILD_RUNS_MOST && status == WFSM_OK && !on->same; wish.skip++) {
        wf_child_run run;
        status = wf_child_play(on->self, &wish, &run);
        if (status != WFSM_OK || !run.found)
            break;
        if (!fits_output(on, child, &run.output))
            continue;
        on->trace.moves[move].input.data = run.output;
        status = run_parent(on);
        if (status == WFSM_OK && on->same) {
            on->timed |= run.timed;
            add_text(on, ", before its result", child, &run);
        }
    }
    if (!on->same)
        give_up(on,
                "no result of the child was found with which the parent continues like this");
    return status;
}

/* A child of the group. Those that are not withdrawn are outstanding at the end. */
static int32_t play_member(play *on, const wf_child_member *member, const wf_value *input,
                           wf_child_mask asked)
{
    const wf_child_wish wish = {.child = &on->self->children[member->child],
                                .input = input,
                                .failure = WF_CLASSES,
                                .asked = asked,
                                .mask = member->mask,
                                .running = member->left};
    wf_child_run run;
    int32_t status = wf_child_play(on->self, &wish, &run);
    if (status != WFSM_OK)
        return status;
    if (!run.found) {
        give_up(on, "no run of a child to its state was found");
        return WFSM_OK;
    }
    on->timed |= run.timed;
    for (uint32_t q = 0; q < WF_QUESTIONS_MOST; q++)
        on->counts[q] += run.mask >> q & 1;
    add_text(on, member->left ? ", withdrawn, and not stopped yet" : ", in the meantime",
             wish.child, &run);
    return WFSM_OK;
}

/* Whether the move has withdrawn the child at that place. */
static bool is_withdrawn(const play *on, size_t move, uint32_t k, size_t place)
{
    const wf_parent_move *label = &on->found->labels[move];
    const bool about = place == on->answered[move];
    if (label->one >> k & 1)
        return about;
    return (label->left >> k & 1) && !(label->rest >> k & 1 && about);
}

/* The input of a child that was withdrawn, the last move first; NULL: there are not so many. */
static const wf_value *withdrawn(const play *on, uint32_t k, uint32_t skip)
{
    for (size_t i = on->found->count; i-- > 1;) {
        const standing *before = standing_at(on, i - 1, k);
        for (uint32_t j = 0; j < before->count; j++)
            if (is_withdrawn(on, i, k, before->places[j]) && skip-- == 0)
                return &before->inputs[j];
    }
    return NULL;
}

static const wf_value *outstanding(const play *on, uint32_t k, uint32_t skip)
{
    const standing *now = standing_at(on, on->found->count - 1, k);
    return skip < now->count ? &now->inputs[skip] : NULL;
}

static int32_t play_group(play *on, wf_child_mask asked)
{
    const wf_child_group *group = &on->found->group;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < group->count && status == WFSM_OK && !on->out->why; i++) {
        const wf_child_member *member = &group->list[i];
        uint32_t alike = 0;
        for (uint32_t j = 0; j < i; j++)
            alike +=
                group->list[j].child == member->child && group->list[j].left == member->left;
        const wf_value *input = member->left ? withdrawn(on, member->child, alike)
                                             : outstanding(on, member->child, alike);
        if (input)
            status = play_member(on, member, input, asked);
        else
            give_up(on, "so many children at once are not played");
    }
    return status;
}

/* ---- the whole ---- */

static bool has_label(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    const play *on = user;
    wf_parent_move label = wf_parent_label(on->self, explorer, successor);
    return wf_parent_moves_alike(label, on->found->labels[on->trace.count]);
}

static void set_before(wf_instances *self, uint32_t from)
{
    if (from == WF_NONE)
        memset(self->before, 0, sizeof self->before);
    else
        memcpy(self->before, &self->open[from * self->count], self->count);
}

static int32_t find_path(play *on)
{
    int32_t status = WFSM_OK;
    bool values = true;
    for (size_t i = 0; i < on->found->count && status == WFSM_OK; i++) {
        uint32_t from = i == 0 ? WF_NONE : on->found->states[i - 1];
        set_before(on->self, from);
        status = wf_trace_step(on->self->search, from, on->found->states[i], has_label, on,
                               &on->self->arena, &on->trace);
    }
    on->trace.cycle = on->trace.count;
    if (status == WFSM_OK && on->self->search->symbolic)
        status = wf_trace_values(on->self->search, &on->trace, &on->self->arena, &values);
    if (status != WFSM_NOT_FOUND && values)
        return status;
    give_up(on, "no values were found with which the parent takes its path");
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

/* The invocation of a failure; count: none that is watched. */
static uint32_t failing(const play *on, size_t move)
{
    const wf_input *input = &on->trace.moves[move].input;
    uint32_t k = 0;
    if (input->kind != WF_INPUT_FAILURE)
        return on->self->count;
    const char *error = input->name.type == WF_STRING ? input->name.as.text : "";
    for (; k < on->self->count; k++) {
        uint32_t event =
            on->self->report->machine->invokes[on->self->children[k].invoke].error_event;
        if (strcmp(on->self->report->machine->events.list[event].text, error) == 0)
            break;
    }
    return k;
}

static const char *message_of(const wf_child_run *run)
{
    const wf_value *message =
        run->output.type == WF_OBJECT ? wf_value_get_z(&run->output, "message") : NULL;
    return message && message->type == WF_STRING ? message->as.text : NULL;
}

/* The child fails by itself. */
static int32_t play_failure(play *on, size_t move, uint32_t k)
{
    wf_child_run run;
    wf_input *input = &on->trace.moves[move].input;
    const wf_child_wish wish = {.child = &on->self->children[k],
                                .input = input_of(on, move, k),
                                .failure = input->failure};
    if (!wish.child->machine || !wish.input)
        return WFSM_OK;
    int32_t status = wf_child_play(on->self, &wish, &run);
    if (status != WFSM_OK || !run.found)
        return status;
    if (message_of(&run))
        input->data = *wf_value_get_z(&run.output, "message");
    status = run_parent(on);
    on->timed |= run.timed;
    add_text(on, ", before its failure", wish.child, &run);
    return status;
}

/* Whatever the child does, its time limit passes, or somebody stops it, so that its invocation fails. If the
 * parent continues in another way then, it must fail by itself. */
static int32_t take_failure(play *on, size_t move, uint32_t k)
{
    wf_input *input = &on->trace.moves[move].input;
    const wf_invoke *invoke = &on->self->report->machine->invokes[on->self->children[k].invoke];
    bool late = input->failure == WF_CLASS_TIMEOUT && invoke->timeout > 0;
    uint32_t failure = input->failure;
    on->timed |= late;
    if (late || failure == WF_CLASS_CANCELED)
        return WFSM_OK;
    input->failure = WF_CLASS_CANCELED;
    int32_t status = run_parent(on);
    if (status != WFSM_OK || on->same)
        return status;
    input->failure = failure;
    status = play_failure(on, move, k);
    if (status == WFSM_OK && !on->same)
        give_up(on,
                "no failure of the child was found with which the parent continues like this");
    return status;
}

/* Each result and each failure of a child that is watched. */
static int32_t play_answers(play *on)
{
    uint32_t results = 0;
    int32_t status = run_parent(on);
    if (status == WFSM_OK && !on->same)
        give_up(on, "the parent's path was not reproduced");
    for (size_t i = 1; i < on->trace.count && status == WFSM_OK && !on->out->why; i++) {
        uint32_t failed = failing(on, i);
        if (failed < on->self->count)
            status = take_failure(on, i, failed);
        if (on->found->labels[i].result == 0)
            continue;
        if (results++ == RESULTS_MOST)
            give_up(on, "more than 8 results are not played");
        else
            status = play_result(on, i);
    }
    return status;
}

static int32_t play_all(play *on)
{
    uint32_t most;
    wf_child_mask asked;
    (void)wf_rule_counts(on->property->of.rule, &most, &asked);
    int32_t status = find_path(on);
    if (status == WFSM_OK && !on->out->why)
        status = play_answers(on);
    if (status == WFSM_OK && !on->out->why)
        status = play_group(on, asked);
    if (status == WFSM_OK && !on->out->why)
        status = run_parent(on);
    if (on->self->search->options.punctual && (on->timed || wf_trace_is_timed(&on->trace)))
        give_up(on, "the times of several instances are not compared");
    if (status == WFSM_OK && !on->out->why && !(on->same && on->violated))
        give_up(on, "the parent's path was not reproduced");
    return status;
}

int32_t wf_instances_play(wf_instances *self, uint32_t property, const wf_combination *found,
                          wf_played *out)
{
    play on = {.self = self,
               .property = &self->report->machine->properties[property],
               .found = found,
               .out = out};
    int32_t status = WFSM_OK;
    wf_buffer_init(&on.children, self->report->arena.allocator);
    on.standing =
        wf_arena_zero(&self->arena, (found->count * self->count + 1) * sizeof *on.standing);
    on.answered = wf_arena_zero(&self->arena, (found->count + 1) * sizeof *on.answered);
    if (!on.standing || !on.answered)
        status = wf_no_memory(self->error);
    if (found->group.more)
        give_up(&on, "so many children at once are not played");
    if (status == WFSM_OK && !out->why)
        status = play_all(&on);
    if (on.trace.count > 0)
        out->start = wf_value_clone(&self->arena, &on.trace.moves[0].input.data);
    out->steps = on.trace.count;
    out->reproduced = status == WFSM_OK && !out->why;
    wf_buffer_add(&out->text, on.children.data ? on.children.data : "", on.children.length);
    if (on.children.failed || out->text.failed || self->arena.failed)
        status = wf_no_memory(self->error);
    wf_trace_free(self->search, &on.trace);
    wf_buffer_fini(&on.children);
    return status;
}
