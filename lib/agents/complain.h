/* What a host says on stderr when something is not right. */
#ifndef WFA_COMPLAIN_H
#define WFA_COMPLAIN_H

#include <wfsm/base.h>

/* Defined by each host: the name in front of every complaint. */
extern const char *const wfa_program;

/* "PROGRAM: …", on a line of its own. */
void wfa_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What a call of the library said, with the place where it knows one. */
void wfa_complain_wfsm(const char *what, const wfsm_error *error);

#endif
