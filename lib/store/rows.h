/* store/rows.h: rows that a store has returned, kept beyond its call. */
#ifndef WF_STORE_ROWS_H
#define WF_STORE_ROWS_H

#include <stdbool.h>
#include <wfsm/store.h>

typedef struct wf_row {
    struct wf_row *next;
    wfsm_row row; /* its texts, and its head, are behind it */
    wfsm_head head;
    char text[];
} wf_row;

typedef struct wf_rows {
    const wfsm_allocator *allocator; /* borrowed */
    wf_row *first, **end;
    size_t count;
} wf_rows;

/* True if the row is of the same instance as the one before it, which is its head, or a row after that. */
static inline bool wf_row_continues(const wf_row *row)
{
    return row && (row->row.part == WFSM_ROW_SNAPSHOT || row->row.part == WFSM_ROW_RECORD);
}

/* The head that follows the rows of the instance whose head this is, or NULL. */
static inline const wf_row *wf_rows_behind(const wf_row *head)
{
    do
        head = head->next;
    while (wf_row_continues(head));
    return head;
}

void wf_rows_init(wf_rows *rows, const wfsm_allocator *allocator);
void wf_rows_clear(wf_rows *rows);
/* Copies the row. It is a wfsm_row_sink, and `user` are the rows. */
int32_t wf_rows_keep(void *user, const wfsm_row *row);
#endif
