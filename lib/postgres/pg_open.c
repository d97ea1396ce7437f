#include "pg.h"

static const wfsm_store_vtable vtable = {
    .size = sizeof vtable,
    .head = wf_pg_head,
    .records = wf_pg_records,
    .snapshot = wf_pg_snapshot,
    .checkpoints = wf_pg_checkpoints,
    .list = wf_pg_list,
    .document = wf_pg_document,
    .seen = wf_pg_seen,
    .inbox = wf_pg_inbox,
    .owner_alive = wf_pg_owner_alive,
    .remove = wf_pg_remove,
    .close = wf_pg_close,
    .cut = wf_pg_cut,
    .anchor = wf_pg_anchor,
    .claim = wf_pg_claim,
    .exchange = wf_pg_exchange,
    .lapsed = wf_pg_lapsed,
    .permits = wf_pg_permits,
    .rates = wf_pg_rates,
    .searches = 1,
    .fd = wf_pg_fd,
    .share = wf_pg_share,
    .since = wf_pg_since,
};

static int32_t start(wf_pg *db, bool create, bool listens, wfsm_error *error)
{
    int32_t status = wf_pg_connect(db, error);

    if (status == WFSM_OK)
        status = create ? wf_pg_schema_make(db, error) : wf_pg_schema_check(db, error);
    if (status == WFSM_OK && listens)
        status = wf_pg_listen_open(db, error);
    return status;
}

static bool wants_tables(const wfsm_postgres_options *options)
{
    return options && options->create;
}

int32_t wfsm_postgres_open(wfsm_store **store, const char *address,
                           const wfsm_postgres_options *options,
                           const wfsm_allocator *allocator, wfsm_error *error)
{
    wf_pg *db;
    int32_t status;

    if (!store) {
        if (error)
            wfsm_error_set(error, WFSM_INVALID, "a place for the store is needed");
        return WFSM_INVALID;
    }
    status = wf_pg_make(&db, address, options, allocator, error);
    if (status != WFSM_OK)
        return status;
    status = start(db, wants_tables(options), db->listens, error);
    if (status == WFSM_OK)
        status = wfsm_store_new(store, &vtable, db, allocator, error);
    if (status != WFSM_OK)
        wf_pg_close(db);
    return status;
}

int32_t wfsm_postgres_init(const char *address, const wfsm_postgres_options *options,
                           wfsm_error *error)
{
    wf_pg *db;
    int32_t status = wf_pg_make(&db, address, options, NULL, error);

    if (status != WFSM_OK)
        return status;
    status = wf_pg_schema_make(db, error);
    wf_pg_close(db);
    return status;
}
