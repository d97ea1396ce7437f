#if __has_include("wfsm/base.h")
#include "wfsm/base.h"
#else
const char *wfsm_version(void);
#endif

const char *wfsm_version(void)
{
    return "0.1.0";
}
