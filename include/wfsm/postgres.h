/*
 * wfsm/postgres.h: the PostgreSQL store, a companion library (-lwfsm-postgres). It keeps instances
 * on a server that many machines share. doc/postgres.md describes how to use it, and
 * doc/postgres-schema.md its tables.
 */
#ifndef WFSM_POSTGRES_H
#define WFSM_POSTGRES_H

#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whose clock decides whether the lease of a session has lapsed. */
enum wfsm_postgres_clock {
    WFSM_POSTGRES_SERVER_CLOCK = 0, /* the server's. The clocks of hosts may differ */
    WFSM_POSTGRES_HOST_CLOCK = 1 /* that of the host, whose times are compared as they are */
};

/* How to use a server. Set `size`; 0 and NULL take the default. */
typedef struct wfsm_postgres_options {
    size_t size;
    const char *schema; /* the schema that has the tables, 1 to 63 bytes; default "wfsm" */
    const char *tenant; /* the namespace, 1 to 255 bytes: instances of different namespaces
                              have nothing in common; default that of the role, or "default" if
                              the role has none */
    int32_t clock; /* enum wfsm_postgres_clock */
    int32_t connect_ms; /* how long connecting may take, for each host of the address; default
                              10,000 */
    int32_t answer_ms; /* how long an answer may take, or it counts as lost; default 30,000 */
    int32_t create; /* 1: wfsm_postgres_open() makes the tables if there are none */
    int32_t allow_unsafe; /* 1: also a server that does not sync what it has acknowledged */
    /* 1: the store has a second connection, which tells other stores of the namespace that listen, too, of
     * posts and of instances that nobody owns, and is told by them. wfsm_engine_fd() is then its
     * descriptor. Since 0.1. */
    int32_t listen;
    /* Of that connection, if the other one goes through a pool; NULL: the store's. Since 0.1. */
    const char *listen_address;
} wfsm_postgres_options;

/*
 * Opens the store at an address as libpq understands it: postgres://USER@HOST:PORT/DATABASE?…, or
 * words KEY=VALUE. An address of the first form may name the schema and the namespace, too, with the
 * parameters wfsm_schema and wfsm_namespace: postgres://…/work?wfsm_schema=a&wfsm_namespace=b. They are what
 * the options of this name are, and must not say anything else than these. wfsm_listen=1 is the option `listen`. On WFSM_OK *store is new, and you free it with wfsm_store_free(). options and
 * allocator may be NULL. libpq takes its own memory from malloc(). One thread at a time uses a store;
 * each store has a connection of its own, and makes a new one when it was broken.
 *
 * A commit whose answer was lost is WFSM_STORE_UNKNOWN. Before the store does anything else, it makes
 * sure on the server that this commit can no longer be made. Later reads show what became of it.
 *
 * If the server was set back to an older state while the store was open, every call is CONFLICT from the
 * moment when this is noticed: when there is a new connection, or a lease is written. Open it again.
 *
 * INVALID: the store or the address is NULL or malformed, or an option is out of range. NOT_FOUND: the
 * schema has no tables of wfsm; the message says how to make them. VERSION: a newer release made them.
 * CORRUPT: they are not what wfsm made. DENIED: the server is in recovery or read-only, or it does not
 * sync what it acknowledges (allow_unsafe), or the role lacks a right or has another namespace. IO: the server cannot be reached,
 * or refuses the connection. NO_MEMORY. No message contains a password.
 */
WFSM_API int32_t wfsm_postgres_open(wfsm_store **store, const char *address,
                                    const wfsm_postgres_options *options,
                                    const wfsm_allocator *allocator, wfsm_error *error);

/*
 * Makes the schema and its tables, in one transaction. OK, and nothing is changed, if they are there
 * already. The role needs the right to create them, which a store that is opened later does not.
 * Fails as wfsm_postgres_open() does.
 */
WFSM_API int32_t wfsm_postgres_init(const char *address, const wfsm_postgres_options *options,
                                    wfsm_error *error);

/*
 * Writes the SQL that wfsm_postgres_init() runs, for people who run migrations themselves. schema
 * NULL: "wfsm". Returns the bytes of the whole text without its NUL, also if `room` is too small;
 * then the text is cut. It ends with a NUL, unless room is 0; out may then be NULL. 0: the name of the
 * schema is none.
 */
WFSM_API size_t wfsm_postgres_sql(const char *schema, char *out, size_t room);

/*
 * Writes the value of wfsm_schema, wfsm_namespace or wfsm_listen, which is `key`, of an address. Returns the bytes of
 * the value without its NUL, also if `room` is too small; then it is cut. 0: the address does not have
 * it, or is malformed.
 */
WFSM_API size_t wfsm_postgres_parameter(const char *address, const char *key, char *out,
                                        size_t room);

/*
 * Gives a role the namespace options->tenant: from then on the role can use this namespace, and neither
 * see nor change anything of another one, whatever SQL it runs. doc/postgres.md, "Tenants", says what it
 * can still see. The role must be there. Give a namespace to as many roles as you like, and each role
 * one. OK, and the rights are granted again, if the role has it already. The connection must be that of
 * the owner of the tables, or of a superuser.
 *
 * INVALID: role is NULL or not 1 to 63 bytes, or options->tenant is NULL. NOT_FOUND: there is no such role.
 * EXISTS: it has another namespace. DENIED: row security does not bind it, because it may act as the owner
 * of the tables or bypasses row security. Otherwise fails as wfsm_postgres_open() does.
 */
WFSM_API int32_t wfsm_postgres_tenant(const char *address, const wfsm_postgres_options *options,
                                      const char *role, wfsm_error *error);

/*
 * Writes the SQL that wfsm_postgres_tenant() runs, as wfsm_postgres_sql() does. 0: the schema or the role is
 * no name, or the namespace is NULL or not 1 to 255 bytes.
 */
WFSM_API size_t wfsm_postgres_tenant_sql(const char *schema, const char *tenant,
                                         const char *role, char *out, size_t room);

#ifdef __cplusplus
}
#endif
#endif
