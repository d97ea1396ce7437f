/* postgres/pg_version.c: the version of the tables. */
#include "pg.h"

enum { SCHEMA_VERSION = 1 };

int32_t wf_pg_version_check(const wf_pg *db, const PGresult *result, wfsm_error *error)
{
    int64_t version = wf_pg_int_of(result, 0, 0);

    if (version == SCHEMA_VERSION)
        return WFSM_OK;
    if (version > SCHEMA_VERSION)
        return wf_pg_refuse(db, WFSM_VERSION, error,
                            "the tables in the schema \"%s\" have version %lld, which a newer "
                            "release of wfsm made; this one knows version %d",
                            db->schema, (long long)version, SCHEMA_VERSION);
    return wf_pg_refuse(
        db, WFSM_CORRUPT, error,
        "the table version in the schema \"%s\" does not say which version it is", db->schema);
}
