/*
 * base/private.h: the functions of libwfsm that libwfsm-tools calls.
 *
 * Everything inner is hidden. What libwfsm-tools needs of it is declared with WF_PRIVATE_API and
 * exported under a version that names the release (WFSM_PRIVATE_0_1_0), which only the
 * libwfsm-tools of that release asks for. `tests/abi/symbols.py . --update` writes the list
 * from these declarations.
 */
#ifndef WF_BASE_PRIVATE_H
#define WF_BASE_PRIVATE_H

/* "protected": calls inside libwfsm stay direct, and can be inlined. Outside, where the
 * function comes from another library, there must be no attribute. */
#if defined(WF_BUILDING_LIBWFSM) && defined(__GNUC__)
#define WF_PRIVATE_API __attribute__((visibility("protected")))
#else
#define WF_PRIVATE_API
#endif

#endif
