/*
 * verify/release.h: libwfsm-tools works with the libwfsm of its own release only. The dynamic
 * linker refuses another one by the version of the private symbols (lib/wfsm.map). Where it
 * has no say, in a static program, every entry point asks here first.
 */
#ifndef WF_VERIFY_RELEASE_H
#define WF_VERIFY_RELEASE_H

#include <wfsm/base.h>

/* WFSM_OK, or WFSM_VERSION with a sentence that names both releases. */
int32_t wf_check_release(wfsm_error *error);
#endif
