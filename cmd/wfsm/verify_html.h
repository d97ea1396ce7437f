/* verify_html.h: the page of `wfsm verify --html`, whose parts have a file each. */
#ifndef WFSM_VERIFY_HTML_H
#define WFSM_VERIFY_HTML_H

#include <wfsm/verify.h>
#include "wfsm/html.h"

/* verify_html_live.c: the elements of style and script, and what allows them in the policy. */
extern const char verify_html_hashes[], verify_html_style[], verify_html_script[];

/* verify_html_trace.c: the trace of a diagnostic as a list of steps, each with the states that are active
 * after it, the transitions that it took and the data that it changed. */
void verify_html_trace(cli_text *out, const wfsm_verify_diagnostic *diagnostic,
                       wfsm_machine *machine);

/* verify_html_seen.c: which transitions were taken, and which answers guards gave. */
void verify_html_seen(cli_text *out, const wfsm_verification *found);
/* By report_edge(), for report_chart(): the transitions that no run takes. New. */
json_t *verify_html_marks(const wfsm_verification *found);
#endif
