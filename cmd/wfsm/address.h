/*
 * address.h: where a store is. A path names an SQLite file, and postgres://… or postgresql://… a
 * PostgreSQL database; @FILE is the address of a server that the file holds in its first line. The command
 * and the hosts open every store here.
 *
 * The password of an address is kept here and shown nowhere: everybody else has the address as
 * address_hide() returns it, with *** in its place.
 */
#ifndef WFSM_ADDRESS_H
#define WFSM_ADDRESS_H

#include <stdbool.h>
#include <wfsm/store.h>

enum address_use {
    ADDRESS_READ, /* it must exist, and is not changed */
    ADDRESS_WRITE, /* it must exist */
    ADDRESS_MAKE /* it is made if it does not exist */
};

/* True for what names a file: all but the addresses of servers. */
bool address_is_file(const char *address);
/* The address itself, if it has no password. Otherwise with *** for the password; that text lives as
 * long as the process, and address_open() knows the password of it. NULL: out of memory. */
const char *address_hide(const char *address);
/* Does that for the arguments of a program, and for the values of its options. The passwords are also
 * removed from what other processes see of the command line. False: out of memory. */
bool address_hide_all(int count, char **list);
/* The whole address of a server, with its password: also of what address_hide() has returned, and of @FILE.
 * IO: the file cannot be read. INVALID: it holds no such address. */
int32_t address_text(const char *address, const char **text, wfsm_error *error);
/* As wfsm_sqlite_open() and wfsm_postgres_open(). DENIED: the build has no PostgreSQL. INVALID, IO: as
 * address_text(). */
int32_t address_open(wfsm_store **store, const char *address, enum address_use use,
                     wfsm_error *error);
/* As wfsm_postgres_tenant(). INVALID: it is a file, which has no roles. */
int32_t address_tenant(const char *address, const char *role, const char *tenant,
                       wfsm_error *error);
#endif
