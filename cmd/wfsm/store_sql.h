/* store_sql.h: the SQL of a schema, for people who run it themselves. */
#ifndef WFSM_STORE_SQL_H
#define WFSM_STORE_SQL_H

#include <stdbool.h>

/* Prints what makes a new store at such an address; false with the reason said. */
bool store_print_sql(const char *address);
/* Prints what gives a role a namespace; false with the reason said. */
bool store_print_tenant_sql(const char *address, const char *role, const char *tenant);
#endif
