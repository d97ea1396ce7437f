/* The schedules that machine documents name: {"meta": {"schedules": {NAME: SCHEDULE}}}, without the key
 * machine. Their ids are MACHINE.NAME. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include <wfsm/schedule.h>
#include "wfsm/shown.h"
#include "wfsm/stored.h"
#include "wfsm/work.h"

/* Whether the schedule in the store has another document. */
static bool differs(work *self, const char *id, const json_t *document)
{
    stored_head head = {0};
    stored_instance loaded;
    bool other = false;
    if (!stored_find(self->store, self->path, id, &head))
        return false;
    if (strcmp(head.machine, WFSM_SCHEDULE_MACHINE) != 0)
        cli_say("%s is not a schedule, but an instance of %s", id, head.machine);
    else if (head.status == WFSM_RUNNING && stored_load(&loaded, self->store, &head)) {
        size_t length;
        const char *text = wfsm_instance_context(loaded.instance, &length);
        json_t *context = cli_need(json_loadb(text, length, 0, NULL));
        other = !json_equal(json_object_get(context, "schedule"), document);
        json_decref(context);
        stored_unload(&loaded);
    }
    stored_head_free(&head);
    return other;
}

static int32_t post_update(work *self, const char *id, const char *text, int64_t now)
{
    const wfsm_post post = {.size = sizeof post,
                            .instance = id,
                            .name = "update",
                            .data = text,
                            .length = strlen(text),
                            .now = now,
                            .interface = WFSM_INTERFACE_ENGINE,
                            .sender = self->session};
    return wfsm_store_submit(self->store, &post, self->error);
}

static bool add(work *self, const char *machine, const char *name, json_t *document)
{
    char id[600];
    int64_t now = wfsm_agents_now();
    snprintf(id, sizeof id, "%s.%s", machine, name);
    if (!json_is_object(document) || json_object_get(document, "machine")) {
        cli_say("%s: meta.schedules.%s: expected a schedule without the key machine", machine,
                name);
        return false;
    }
    json_object_set_new(document, "machine", json_string(machine));
    char *text = cli_need(json_dumps(document, JSON_COMPACT));
    int32_t status =
        wfsm_schedule_create(self->store, id, text, strlen(text), now, self->error);
    const char *what = "adds";
    if (status == WFSM_EXISTS) {
        what = differs(self, id, document) ? "updates" : NULL;
        status = what ? post_update(self, id, text, now) : WFSM_OK;
    }
    if (status != WFSM_OK)
        cli_say_error(id, self->error);
    else if (what)
        shown_printf("%s the schedule %s\n", what, id);
    free(text);
    return status == WFSM_OK;
}

static bool add_all(work *self, const wfsm_machine *machine)
{
    size_t length;
    const char *name, *text = wfsm_machine_document(machine, &length);
    json_t *document = cli_need(json_loadb(text, length, 0, NULL)), *one;
    json_t *all = json_object_get(json_object_get(document, "meta"), "schedules");
    bool fine = true;
    json_object_foreach(all, name, one) fine =
        add(self, wfsm_machine_id(machine), name, one) && fine;
    json_decref(document);
    return fine;
}

bool work_add_schedules(work *self)
{
    bool fine = true;
    for (size_t i = 0; i < self->machine_count; i++)
        if (self->machines[i].is_served)
            fine = add_all(self, self->machines[i].machine) && fine;
    return fine;
}
