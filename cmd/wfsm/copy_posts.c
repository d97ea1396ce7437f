#include "wfsm/copy.h"

#include <stdlib.h>
#include <string.h>

typedef struct posts {
    wfsm_post *list;
    size_t count;
} posts;

static char *duplicate(const char *text)
{
    return text ? cli_need(strdup(text)) : NULL;
}

static int32_t add_post(void *user, const wfsm_row *row)
{
    posts *all = user;
    all->list = cli_need(realloc(all->list, (all->count + 1) * sizeof *all->list));
    all->list[all->count++] = (wfsm_post){.size = sizeof(wfsm_post),
                                          .instance = duplicate(row->instance),
                                          .id = duplicate(row->id),
                                          .name = duplicate(row->name),
                                          .data = cli_need(strndup(row->text, row->length)),
                                          .length = row->length,
                                          .now = row->now,
                                          .kind = row->kind,
                                          .interface = row->interface,
                                          .sender = duplicate(row->sender)};
    return WFSM_OK;
}

static void free_posts(posts *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free((char *)all->list[i].instance);
        free((char *)all->list[i].id);
        free((char *)all->list[i].name);
        free((char *)all->list[i].data);
        free((char *)all->list[i].sender);
    }
    free(all->list);
}

int32_t copy_posts(copying *self, const char *id)
{
    posts all = {0};
    int32_t status = wfsm_store_inbox(self->from, id, 0, add_post, &all, self->error);
    for (size_t i = 0; i < all.count && status == WFSM_OK; i++)
        status = wfsm_store_submit(self->to, &all.list[i], self->error);
    free_posts(&all);
    return status;
}

static bool same_text(const char *one, const char *two)
{
    return one && two ? strcmp(one, two) == 0 : one == two;
}

static bool same_post(const wfsm_post *one, const wfsm_post *two)
{
    return same_text(one->id, two->id) && same_text(one->name, two->name) &&
           same_text(one->data, two->data) && same_text(one->sender, two->sender) &&
           one->now == two->now && one->kind == two->kind && one->interface == two->interface;
}

int32_t copy_same_posts(copying *self, const char *id, bool *same)
{
    posts here = {0}, there = {0};
    int32_t status = wfsm_store_inbox(self->from, id, 0, add_post, &here, self->error);
    if (status == WFSM_OK)
        status = wfsm_store_inbox(self->to, id, 0, add_post, &there, self->error);
    *same = here.count == there.count;
    for (size_t i = 0; i < here.count && *same; i++)
        *same = same_post(&here.list[i], &there.list[i]);
    free_posts(&here);
    free_posts(&there);
    return status;
}
