#include "database.h"
#include "../base/invariant.h"

#include <string.h>

enum { FIRST_SPACING = 64 };

void wf_sqlite_forget_marks(wf_sqlite *db)
{
    memset(&db->marks, 0, sizeof db->marks);
    db->marks.spacing = FIRST_SPACING;
}

/* Drops every second mark, so that the rest cover twice as many revisions. */
static void spread(wf_sqlite_marks *marks)
{
    for (size_t i = 0; i < WF_SQLITE_MARKS; i++)
        marks->keys[i] = i < WF_SQLITE_MARKS / 2 ? marks->keys[2 * i] : 0;
    marks->spacing *= 2;
}

void wf_sqlite_mark(wf_sqlite *db, int64_t instance, uint64_t revision, int64_t key)
{
    wf_sqlite_marks *marks = &db->marks;
    if (revision % FIRST_SPACING) /* the spacing stays a multiple of FIRST_SPACING */
        return;
    if (marks->instance != instance)
        wf_sqlite_forget_marks(db);
    marks->instance = instance;
    while (revision / marks->spacing >= WF_SQLITE_MARKS)
        spread(marks);
    WF_INVARIANT(marks->spacing % FIRST_SPACING == 0);
    if (revision % marks->spacing == 0)
        marks->keys[revision / marks->spacing] = key;
}

int64_t wf_sqlite_marked(const wf_sqlite *db, int64_t instance, uint64_t *revision,
                         uint64_t below)
{
    const wf_sqlite_marks *marks = &db->marks;
    if (marks->instance != instance || !marks->spacing || *revision >= below)
        return 0;
    for (uint64_t i = *revision / marks->spacing; i < WF_SQLITE_MARKS; i++) {
        if (i * marks->spacing >= below)
            return 0;
        if (!marks->keys[i] || i * marks->spacing < *revision)
            continue;
        WF_INVARIANT(i * marks->spacing < below);
        *revision = i * marks->spacing;
        return marks->keys[i];
    }
    return 0;
}
