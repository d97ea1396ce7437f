/* html.h: text into HTML. What comes from documents and stores never becomes markup. */
#ifndef WFSM_HTML_H
#define WFSM_HTML_H

#include <jansson.h>
#include "wfsm/cli.h"

/* As it is: markup of ours. */
void html_raw(cli_text *out, const char *format, ...) CLI_PRINTF(2, 3);
/* Escaped. Texts longer than HTML_LONGEST bytes are cut, and end with a note. */
enum { HTML_LONGEST = 4000 };
void html_text(cli_text *out, const char *text);
/* Escaped, with its lines, and never cut. */
void html_whole(cli_text *out, const char *text);
/* Escaped, on one line, and never cut. */
void html_line(cli_text *out, const char *text, size_t length);
/* JSON, indented if it has parts; "–" for NULL. */
void html_json(cli_text *out, const json_t *value);
/* "340 ms", "12.5 s", "3 min 20 s", "2 h 5 min", "4 d 3 h" */
void html_duration(cli_text *out, int64_t ms);
/* Head and style of a page of its own, up to <main>. The page can fetch nothing, and run and show only
 * what its policy has a hash of. `more` are further elements of the head, `hashes` the end of the policy,
 * which allows them; both are constants of ours, or "". */
void html_begin(cli_text *out, const char *title, const char *hashes, const char *more);
void html_end(cli_text *out);
/* The style of these pages, for a server that has it at an address. */
const char *html_style(void);
/* Adds the value of a label in Prometheus' text format. */
void html_label(cli_text *out, const char *text);
#endif
