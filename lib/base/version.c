/* What this build of the library is. */
#include "wfsm/base.h"

#ifdef NDEBUG
#define ASSERTIONS "0"
#else
#define ASSERTIONS "1"
#endif

#if UINTPTR_MAX == UINT64_MAX
#define POINTER_BITS "64"
#else
#define POINTER_BITS "32"
#endif

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define SANITIZERS "address"
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define SANITIZERS "thread"
#else
#define SANITIZERS ""
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static const char *const options[] = {
    "compiler=" COMPILER,
    "pointer_bits=" POINTER_BITS,
    "assertions=" ASSERTIONS,
    "sanitizers=" SANITIZERS,
};

const char *wfsm_version(void)
{
    return WF_VERSION;
}

int32_t wfsm_abi_version(void)
{
    return WFSM_ABI_VERSION;
}

const char *wfsm_build_option(size_t index)
{
    return index < sizeof options / sizeof *options ? options[index] : NULL;
}
