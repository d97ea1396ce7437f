/* postgres/pg_epochs.c: what this handle knows of the epochs of heads. Nearly all are 0, and a commit sets
 * them to 0 again: an epoch tells apart two attempts at the same revision only. */
#include "pg.h"

#include <string.h>

/* The place of the instance, or where it would be. */
static size_t place_of(const wf_pg_epochs *epochs, const char *instance)
{
    size_t low = 0, high = epochs->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(epochs->list[middle].instance, instance) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const wf_pg_epochs *epochs, size_t place, const char *instance)
{
    return place < epochs->count && strcmp(epochs->list[place].instance, instance) == 0;
}

int64_t wf_pg_epoch_of(const wf_pg *db, const char *instance)
{
    size_t place = place_of(&db->epochs, instance);

    return is_at(&db->epochs, place, instance) ? db->epochs.list[place].epoch : 0;
}

static void forget(wf_pg_epochs *epochs, size_t place)
{
    epochs->count--;
    memmove(epochs->list + place, epochs->list + place + 1,
            (epochs->count - place) * sizeof *epochs->list);
}

static bool grow(wf_pg *db)
{
    wf_pg_epochs *epochs = &db->epochs;
    size_t room = epochs->room > 0 ? epochs->room * 2 : 16;
    wf_pg_epoch *list;

    if (epochs->count < epochs->room)
        return true;
    list = wf_pg_grow(db, epochs->list, room * sizeof *list);
    if (!list)
        return false;
    epochs->list = list;
    epochs->room = room;
    return true;
}

static bool insert(wf_pg *db, size_t place, const char *instance, int64_t epoch)
{
    wf_pg_epochs *epochs = &db->epochs;
    size_t length = strlen(instance);

    if (length >= sizeof epochs->list->instance || !grow(db))
        return false;
    memmove(epochs->list + place + 1, epochs->list + place,
            (epochs->count - place) * sizeof *epochs->list);
    memcpy(epochs->list[place].instance, instance, length + 1);
    epochs->list[place].epoch = epoch;
    epochs->count++;
    return true;
}

bool wf_pg_epoch_learn(wf_pg *db, const char *instance, int64_t epoch)
{
    wf_pg_epochs *epochs = &db->epochs;
    size_t place = place_of(epochs, instance);

    if (!is_at(epochs, place, instance))
        return epoch == 0 || insert(db, place, instance, epoch);
    if (epoch == 0)
        forget(epochs, place);
    else
        epochs->list[place].epoch = epoch;
    return true;
}
