#include "wfsm/base.h"

const char *wfsm_version(void)
{
    return WF_VERSION;
}
