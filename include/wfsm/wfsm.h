/* wfsm/wfsm.h: the whole interface of libwfsm. The companion libraries are wfsm/sqlite.h and
 * wfsm/testkit.h. */
#ifndef WFSM_WFSM_H
#define WFSM_WFSM_H

#include <wfsm/audit.h>
#include <wfsm/base.h>
#include <wfsm/call.h>
#include <wfsm/compact.h>
#include <wfsm/engine.h>
#include <wfsm/instance.h>
#include <wfsm/machine.h>
#include <wfsm/monitor.h>
#include <wfsm/pool.h>
#include <wfsm/store.h>
#include <wfsm/tools.h>
#include <wfsm/verify.h>

#endif
