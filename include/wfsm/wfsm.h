/* wfsm/wfsm.h: the whole interface of libwfsm. The companion libraries have headers of their
 * own: wfsm/sqlite.h; wfsm/verify.h, wfsm/monitor.h and wfsm/tools.h (libwfsm-tools);
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
#include <wfsm/metrics.h>
#include <wfsm/pool.h>
#include <wfsm/revisions.h>
#include <wfsm/store.h>

#endif
