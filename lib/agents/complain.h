/* What a host says on stderr when something is not right. */
#ifndef HK_COMPLAIN_H
#define HK_COMPLAIN_H

#include <wfsm/base.h>

/* Defined by each host: the name in front of every complaint. */
extern const char *const hk_program;

/* "PROGRAM: …", on a line of its own. */
void hk_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a call of the library said, with the place where it knows one. */
void hk_complain_wfsm(const char *what, const wfsm_error *error);

#endif
