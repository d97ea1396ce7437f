#include "wfsm/copy.h"

#include <stdlib.h>
#include <string.h>

static char *duplicate(const char *text)
{
    return text ? cli_need(strdup(text)) : NULL;
}

int32_t copy_posts_add(void *user, const wfsm_row *row)
{
    copy_posts *all = user;
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

void copy_posts_free(copy_posts *all)
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

int32_t copy_posts_of(copying *self, const char *id)
{
    copy_posts all = {0};
    int32_t status = wfsm_store_inbox(self->from, id, 0, copy_posts_add, &all, self->error);
    for (size_t i = 0; i < all.count && status == WFSM_OK; i++)
        status = wfsm_store_submit(self->to, &all.list[i], self->error);
    copy_posts_free(&all);
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

bool copy_posts_equal(const copy_posts *one, const copy_posts *two)
{
    bool same = one->count == two->count;
    for (size_t i = 0; i < one->count && same; i++)
        same = same_post(&one->list[i], &two->list[i]);
    return same;
}

int32_t copy_same_posts(copying *self, const char *id, bool *same)
{
    copy_posts here = {0}, there = {0};
    int32_t status = wfsm_store_inbox(self->from, id, 0, copy_posts_add, &here, self->error);
    if (status == WFSM_OK)
        status = wfsm_store_inbox(self->to, id, 0, copy_posts_add, &there, self->error);
    *same = copy_posts_equal(&here, &there);
    copy_posts_free(&here);
    copy_posts_free(&there);
    return status;
}
