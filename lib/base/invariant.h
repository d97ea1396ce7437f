/*
 * base/invariant.h: what must hold wherever a reader would otherwise have to know it.
 *
 * WF_INVARIANT() is the C library's assert(): active in debug and test builds, gone with
 * NDEBUG (a release build). The condition has no side effect. It states what this code relies
 * on and has made true itself. What comes from outside is checked, and refused with a status.
 *
 * tests/mutations has, for each invariant, a change of the code that makes it fail.
 */
#ifndef WF_BASE_INVARIANT_H
#define WF_BASE_INVARIANT_H

#include <assert.h>

#ifdef NDEBUG
/* Compiled, so that it cannot rot, but never evaluated. */
#define WF_INVARIANT(condition) ((void)sizeof((condition) ? 1 : 0))
#else
#define WF_INVARIANT(condition) assert(condition)
#endif

#endif
