#include "walk/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "logic/json.h"
#include "../given.h"

/* ---- the host ---- */

static int32_t answer_guard(void *user, wfsm_call *call)
{
    walk *self = user;
    return wfsm_call_allow(call, draw_percent(&self->random, 50));
}

static int32_t answer_action(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_patch(call, "{}", 2);
}

/* The record of each commit tells what has happened. */
static int32_t keep_record(void *user, wfsm_call *call)
{
    walk *self = user;
    size_t length = 0;
    const char *record = wfsm_call_record(call, &length);
    wf_buffer_clear(&self->record);
    wf_buffer_add(&self->record, record, length);
    return WFSM_OK;
}

static bool add_host(walk *self)
{
    const wfsm_machine *machine = self->machine;
    bool good = wfsm_functions_new(&self->functions, NULL, self->error) == WFSM_OK;
    for (uint32_t i = 0; good && i < machine->guards.count; i++)
        good = !wfsm_functions_add_guard(self->functions, machine->guards.list[i].text,
                                         answer_guard, self, self->error);
    for (uint32_t i = 0; good && i < machine->functions.count; i++)
        good = !wfsm_functions_add_action(self->functions, machine->functions.list[i].text,
                                          answer_action, self, self->error);
    return good;
}

/* ---- beginning and end ---- */

bool walk_open(walk *self, const char *text, size_t length, uint64_t seed)
{
    wf_value document;
    memset(self, 0, sizeof *self);
    self->random.state = seed;
    self->error = wfsm_error_new(NULL);
    if (wfsm_machine_load(&self->machine, text, length, NULL, NULL, self->error))
        return false;
    const wfsm_allocator *allocator = &self->machine->allocator;
    wf_arena_init(&self->document_arena, allocator, 0);
    wf_arena_init(&self->arena, allocator, 0);
    wf_buffer_init(&self->text, allocator);
    wf_buffer_init(&self->trace, allocator);
    wf_buffer_init(&self->record, allocator);
    if (wf_json_parse(&self->document_arena, text, length, &document, self->error))
        return false;
    data_pool_init(&self->pool, allocator, &document);
    self->memory = calloc(1, wf_monitor_size(self->machine) + 1);
    self->verdicts = calloc(1, self->machine->property_count + 1);
    self->walked = calloc(self->machine->property_count + 1, sizeof *self->walked);
    self->configurations = calloc(CONFIGURATIONS_MOST, self->machine->words * sizeof(uint64_t));
    return add_host(self);
}

void walk_close(walk *self)
{
    wfsm_instance_free(self->instance);
    wfsm_functions_free(self->functions);
    if (self->machine) {
        for (uint32_t i = 0; self->walked && i < self->machine->property_count; i++)
            free(self->walked[i].trace);
        data_pool_fini(&self->pool);
        wf_buffer_fini(&self->text);
        wf_buffer_fini(&self->trace);
        wf_buffer_fini(&self->record);
        wf_arena_fini(&self->arena);
        wf_arena_fini(&self->document_arena);
    }
    free(self->memory);
    free(self->verdicts);
    free(self->walked);
    free(self->configurations);
    wfsm_machine_unref(self->machine);
    wfsm_error_free(self->error);
}

/* ---- what is seen ---- */

static uint64_t mix(const uint64_t *set, size_t words)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < words; i++)
        hash = (hash ^ set[i]) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
}

static void see_configuration(walk *self)
{
    size_t words = self->machine->words;
    const uint64_t *active = self->instance->snapshot.active;
    size_t at = mix(active, words) % CONFIGURATIONS_MOST;
    if (self->configuration_count > CONFIGURATIONS_MOST / 2)
        return;
    while (self->configurations[at * words] & 1) {
        if (memcmp(&self->configurations[at * words], active, words * sizeof *active) == 0)
            return;
        at = (at + 1) % CONFIGURATIONS_MOST;
    }
    memcpy(&self->configurations[at * words], active, words * sizeof *active);
    self->configuration_count++;
}

static void see_properties(walk *self)
{
    const wf_snapshot *snapshot = &self->instance->snapshot;
    /* Without a record of the step nobody tells what it has entered again. */
    wf_observed seen = {.active = snapshot->active,
                        .slots = snapshot->slots,
                        .keys = wf_snapshot_keys(snapshot),
                        .slot_count = snapshot->slot_count,
                        .event = self->event.type == WF_ABSENT ? NULL : &self->event,
                        .arena = &self->arena};
    wf_monitor_observe(self->machine, &seen, self->memory, self->verdicts, NULL);
    for (uint32_t i = 0; i < self->machine->property_count; i++) {
        uint8_t verdict = self->verdicts[i];
        walked *to = &self->walked[i];
        to->reached |= verdict == WF_VERDICT_REACHED;
        if ((verdict != WF_VERDICT_VIOLATED && verdict != WF_VERDICT_FAILED) ||
            (to->violated && to->fewest <= snapshot->revision - 1))
            continue;
        free(to->trace);
        to->violated = true;
        to->fewest = snapshot->revision - 1; /* after the start */
        to->trace = malloc(self->trace.length + 1);
        memcpy(to->trace, self->trace.data ? self->trace.data : "", self->trace.length);
        to->trace[self->trace.length] = '\0';
    }
}

static void see(walk *self)
{
    if (self->instance->snapshot.revision == self->revision)
        return;
    self->revision = self->instance->snapshot.revision;
    self->steps++;
    see_configuration(self);
    see_properties(self);
}

/* ---- runs ---- */

static void tell(walk *self, const char *what, const char *name, const char *data)
{
    char line[1024];
    int length = snprintf(line, sizeof line, "%s %s %.700s\n", what, name, data);
    wf_buffer_add(&self->trace, line, (size_t)length);
}

static const char *draw_start(walk *self)
{
    if (!self->start_count)
        return "{}";
    return self->starts[draw(&self->random, (uint32_t)self->start_count)];
}

static bool start(walk *self)
{
    const char *input = draw_start(self);
    wfsm_instance_free(self->instance);
    self->instance = NULL;
    self->now = 1000;
    self->revision = 0;
    self->late[0] = '\0';
    self->event = wf_absent();
    self->runs++;
    wf_buffer_clear(&self->trace);
    memset(self->memory, 0, wf_monitor_size(self->machine));
    if (wfsm_instance_start(&self->instance, self->machine,
                            START("walk", .functions = self->functions, .input = input,
                                  .length = strlen(input)),
                            self->now, self->error))
        return false;
    tell(self, "start", input, "");
    wfsm_instance_observe(self->instance, keep_record, self);
    see(self);
    return true;
}

static void write_text(walk *self, const wf_value *value)
{
    wf_buffer_clear(&self->text);
    wf_json_write(&self->text, value);
}

/* ---- inputs ---- */

static bool from_outside(const wf_name *name)
{
    return strncmp(name->text, "done.", 5) != 0 && strncmp(name->text, "error.", 6) != 0 &&
           strncmp(name->text, "after.", 6) != 0;
}

/* A name that only `*` or a prefix of some event matches. */
static const char *unknown_name(walk *self, char text[300])
{
    const wf_names *events = &self->machine->events;
    const wf_name *name = &events->list[draw(&self->random, events->count)];
    const char *dot = strchr(name->text, '.');
    size_t length =
        dot && draw_percent(&self->random, 50) ? (size_t)(dot - name->text) : name->length;
    if (draw_percent(&self->random, 50) || !from_outside(name))
        return "other";
    snprintf(text, 300, "%.*s.other", (int)length, name->text);
    return text;
}

static const char *draw_name(walk *self, char text[300])
{
    const wf_names *events = &self->machine->events;
    const wf_name *name = &events->list[draw(&self->random, events->count)];
    if (draw_percent(&self->random, 10))
        return unknown_name(self, text);
    return from_outside(name) ? name->text : NULL;
}

static void send(walk *self)
{
    char text[300];
    const char *name = draw_name(self, text);
    wf_value data = draw_percent(&self->random, 30)
                        ? wf_null()
                        : data_any(&self->pool, &self->random, &self->arena, 0);
    if (!name)
        return;
    write_text(self, &data);
    tell(self, "event", name, self->text.data);
    wfsm_instance_send(self->instance,
                       EVENT(name, .data = self->text.data, .length = self->text.length),
                       self->now, NULL, self->error);
}

static const wf_invocation *any_invocation(walk *self, char id[WF_INVOCATION_ID_BYTES])
{
    size_t count = wf_instance_invocation_count(self->instance);
    if (!count)
        return NULL;
    const wf_invocation *found =
        wf_instance_invocation(self->instance, draw(&self->random, (uint32_t)count));
    wf_instance_invocation_id(self->instance, found, id);
    memcpy(self->late, id, WF_INVOCATION_ID_BYTES);
    return found;
}

static void give_result(walk *self)
{
    char id[WF_INVOCATION_ID_BYTES];
    const wf_invocation *found = any_invocation(self, id);
    if (!found)
        return;
    const wf_invoke *invoke = &self->machine->invokes[found->invoke];
    wf_value data = invoke->output ? data_of_schema(&self->pool, &self->random, &self->arena,
                                                    wf_schema_source(invoke->output), 0)
                                   : data_any(&self->pool, &self->random, &self->arena, 0);
    write_text(self, &data);
    tell(self, "done", invoke->id.text, self->text.data);
    wfsm_instance_result(self->instance,
                         RESULT(id, .output = self->text.data, .length = self->text.length),
                         self->now, NULL, self->error);
}

static void fail(walk *self)
{
    char id[WF_INVOCATION_ID_BYTES];
    const wf_invocation *found = any_invocation(self, id);
    const char *class_name = wf_class_name(draw(&self->random, WF_CLASSES));
    if (!found)
        return;
    tell(self, "failed", self->machine->invokes[found->invoke].id.text, class_name);
    wfsm_instance_failure(self->instance,
                          FAILURE(id, .failure_class = class_name, .message = "failed"),
                          self->now, NULL, self->error);
}

static void claim(walk *self)
{
    char id[WF_INVOCATION_ID_BYTES];
    if (!any_invocation(self, id))
        return;
    tell(self, "claim", id, "");
    wfsm_instance_claim(self->instance, id, "walker", self->now, NULL, self->error);
}

/* A second answer, or one after the work was withdrawn. */
static void answer_late(walk *self)
{
    if (!self->late[0] || wf_instance_find_invocation(self->instance, self->late))
        return;
    tell(self, "late", self->late, "");
    if (draw_percent(&self->random, 50))
        wfsm_instance_result(self->instance, RESULT(self->late, .output = "null", .length = 4),
                             self->now, NULL, self->error);
    else
        wfsm_instance_failure(self->instance, FAILURE(self->late, .failure_class = "exit"),
                              self->now, NULL, self->error);
}

static void fire(walk *self)
{
    wfsm_instance_advance(self->instance, self->now, NULL, NULL, self->error);
}

static void pass_time(walk *self)
{
    int64_t deadline = wfsm_instance_deadline(self->instance);
    char text[32];
    if (deadline != WFSM_NEVER && deadline > self->now)
        self->now = deadline;
    if (draw_percent(&self->random, 10))
        self->now += draw(&self->random, 100000);
    snprintf(text, sizeof text, "%lld", (long long)self->now);
    tell(self, "time", text, "");
    fire(self);
}

static void give(walk *self)
{
    uint32_t kind = draw(&self->random, 100);
    if (kind < 35)
        send(self);
    else if (kind < 60)
        give_result(self);
    else if (kind < 66)
        fail(self);
    else if (kind < 88)
        pass_time(self);
    else if (kind < 94)
        claim(self);
    else if (kind < 96)
        answer_late(self);
    else
        fire(self);
}

/* ---- what the input was for the properties ---- */

/* The event that the last step reacted to. */
static wf_value event_of_step(walk *self)
{
    size_t length = 0;
    const char *text = wfsm_instance_event(self->instance, &length);
    wf_value event;
    if (length == 0 || wf_json_parse(&self->arena, text, length, &event, self->error))
        return wf_absent();
    return event.type == WF_OBJECT ? event : wf_absent();
}

static void one_input(walk *self)
{
    wf_arena_reset(&self->arena);
    wf_buffer_clear(&self->record);
    give(self);
    self->inputs++;
    if (self->record.length) {
        self->event = event_of_step(self);
        see(self);
    }
}

bool walk_on(walk *self, uint64_t inputs)
{
    uint64_t left = 0;
    for (uint64_t i = 0; i < inputs; i++) {
        bool over =
            !self->instance || left == 0 || wfsm_instance_status(self->instance) == WFSM_DONE;
        if (over && !start(self))
            return false;
        left = over ? 10 + draw(&self->random, RUN_MOST) : left - 1;
        one_input(self);
    }
    return true;
}

/* ---- the report ---- */

static void report_names(const walk *self, wf_buffer *out, const char *key, bool violated)
{
    bool first = true;
    wf_buffer_text(out, key);
    for (uint32_t i = 0; i < self->machine->property_count; i++) {
        const wf_name *name = &self->machine->properties[i].name;
        if (!(violated ? self->walked[i].violated : self->walked[i].reached))
            continue;
        if (!first)
            wf_buffer_byte(out, ',');
        first = false;
        wf_json_write_text(out, name->text, name->length);
        if (!violated)
            continue;
        wf_buffer_format(
            out, ":{\"steps\":%llu,\"trace\":", (unsigned long long)self->walked[i].fewest);
        wf_json_write_text(out, self->walked[i].trace, strlen(self->walked[i].trace));
        wf_buffer_byte(out, '}');
    }
}

static void report_configuration(const wfsm_machine *machine, const uint64_t *set,
                                 wf_buffer *out)
{
    bool first = true;
    wf_buffer_byte(out, '[');
    for (uint32_t i = wf_set_next(set, machine->words, 0); i != WF_NONE;
         i = wf_set_next(set, machine->words, i + 1)) {
        const wf_state *state = &machine->states[i];
        if (state->type != WF_ATOMIC && state->type != WF_FINAL)
            continue;
        if (!first)
            wf_buffer_byte(out, ',');
        first = false;
        wf_json_write_text(out, state->path.text, state->path.length);
    }
    wf_buffer_byte(out, ']');
}

void walk_report(const walk *self, wf_buffer *out)
{
    size_t words = self->machine->words;
    bool first = true;
    char text[128];
    int length = snprintf(text, sizeof text,
                          "{\"inputs\":%llu,\"steps\":%llu,\"runs\":%llu,\"violated\":{",
                          (unsigned long long)self->inputs, (unsigned long long)self->steps,
                          (unsigned long long)self->runs);
    wf_buffer_add(out, text, (size_t)length);
    report_names(self, out, "", true);
    report_names(self, out, "},\"reached\":[", false);
    wf_buffer_text(out, "],\"configurations\":[");
    for (size_t i = 0; i < CONFIGURATIONS_MOST; i++) {
        if (!(self->configurations[i * words] & 1))
            continue;
        if (!first)
            wf_buffer_byte(out, ',');
        first = false;
        report_configuration(self->machine, &self->configurations[i * words], out);
    }
    wf_buffer_text(out, "]}\n");
}
