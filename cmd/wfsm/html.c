#include "wfsm/html.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/shown.h"

void html_raw(cli_text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t room = length > 0 ? (size_t)length + 1 : 1;
    char *piece = cli_need(malloc(room));
    va_start(arguments, format);
    vsnprintf(piece, room, format, arguments);
    va_end(arguments);
    cli_text_add(out, piece, room - 1);
    free(piece);
}

static void add_escaped(cli_text *out, const char *text, size_t length)
{
    size_t room = wfsm_text_escape(WFSM_ESCAPE_HTML, text, length, NULL, 0) + 1;
    char *made = cli_need(malloc(room));
    wfsm_text_escape(WFSM_ESCAPE_HTML, text, length, made, room);
    cli_text_add(out, made, room - 1);
    free(made);
}

void html_whole(cli_text *out, const char *text)
{
    add_escaped(out, text, strlen(text));
}

void html_line(cli_text *out, const char *text, size_t length)
{
    char *line = cli_need(shown_line(text, length));
    add_escaped(out, line, strlen(line));
    free(line);
}

/* Never in the middle of a code point. */
static size_t cut(const char *text, size_t length)
{
    if (length <= HTML_LONGEST)
        return length;
    length = HTML_LONGEST;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void html_text(cli_text *out, const char *text)
{
    size_t whole = strlen(text), shown = cut(text, whole);
    add_escaped(out, text, shown);
    if (shown < whole)
        html_raw(out, " … <em>%zu bytes in all</em>", whole);
}

void html_json(cli_text *out, const json_t *value)
{
    size_t flags =
        JSON_ENCODE_ANY |
        (json_is_array(value) || json_is_object(value) ? JSON_INDENT(2) : JSON_COMPACT);
    if (!value) {
        html_raw(out, "–");
        return;
    }
    char *text = cli_need(json_dumps(value, flags));
    html_text(out, text);
    free(text);
}

void html_duration(cli_text *out, int64_t ms)
{
    int64_t s = ms / 1000, min = s / 60, h = min / 60, d = h / 24;
    if (ms < 1000)
        html_raw(out, "%" PRId64 " ms", ms);
    else if (s < 60)
        html_raw(out, "%" PRId64 ".%" PRId64 " s", s, ms % 1000 / 100);
    else if (min < 60)
        html_raw(out, "%" PRId64 " min %" PRId64 " s", min, s % 60);
    else if (h < 24)
        html_raw(out, "%" PRId64 " h %" PRId64 " min", h, min % 60);
    else
        html_raw(out, "%" PRId64 " d %" PRId64 " h", d, h % 24);
}

/* Colours have meanings: green has happened, amber is now, red has failed. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1d2327;--dim:#6b7680;--line:#cfd6dc;--page:#fff;"
    "--box:#f6f8f9;--seen:#e3f3e8;--seen-line:#2f8f57;--now:#fff0cc;--now-line:#c98a00;"
    "--bad:#c0392b}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8eb;--dim:#98a4ae;--line:#3a444d;"
    "--page:#15191c;--box:#1d2327;--seen:#173325;--seen-line:#4fb67c;--now:#3d3011;"
    "--now-line:#e0a92f;--bad:#ff7b6b}}\n"
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "main{max-width:72rem;margin:0 auto;padding:1.5rem}\n"
    "h1{margin:0;font-size:1.6rem}h2{margin:2.2rem 0 .6rem;font-size:1.15rem}\n"
    "p.sub{margin:.2rem 0 1rem;color:var(--dim)}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\n"
    "th{color:var(--dim);font-weight:600;font-size:.85rem}\n"
    "td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "code,pre{font:13px/1.45 ui-monospace,monospace}\n"
    "pre{margin:.3rem 0;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "code{overflow-wrap:anywhere}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}\n"
    "dt{color:var(--dim)}dd{margin:0}\n"
    "details>summary{cursor:pointer;color:var(--dim)}\n"
    ".wide{overflow-x:auto}.bad{color:var(--bad)}.dim{color:var(--dim)}\n"
    ".was{color:var(--dim);text-decoration:line-through}\n"
    "svg{display:block}svg text{fill:var(--ink);font:13px ui-monospace,monospace}\n"
    "svg text.dim{fill:var(--dim)}svg text.name{font-weight:700}\n"
    "svg rect.state{fill:var(--box);stroke:var(--line)}\n"
    "svg rect.seen{fill:var(--seen);stroke:var(--seen-line)}\n"
    "svg rect.now{fill:var(--now);stroke:var(--now-line);stroke-width:2}\n"
    "svg path.edge{fill:none;stroke:var(--line);stroke-width:1.2}\n"
    "svg path.taken{stroke:var(--seen-line);stroke-width:2}\n"
    "svg .head{fill:var(--line)}svg .head.taken{fill:var(--seen-line)}\n"
    "svg rect.bar{fill:var(--seen-line)}svg rect.bar.failed{fill:var(--bad)}"
    "svg rect.bar.open{fill:var(--now-line)}svg rect.wait{fill:var(--line)}\n";

/* Of the style, for the policy of the page; a test computes it. */
static const char style_hash[] = "sha256-JGM+mfbQSUdIduIkgyOIAkn8OWvDZUWNrpotqJ/1Pjw=";

void html_begin(cli_text *out, const char *title, const char *hashes, const char *more)
{
    html_raw(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "base-uri 'none'; form-action 'none'; style-src '%s'%s\">\n"
             "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
             style_hash, hashes);
    html_text(out, title);
    html_raw(out, "</title>\n<style>");
    cli_text_add(out, style, sizeof style - 1);
    html_raw(out, "</style>\n");
    cli_text_add(out, more, strlen(more));
    html_raw(out, "</head>\n<body>\n<main>\n");
}

void html_end(cli_text *out)
{
    html_raw(out, "</main>\n</body>\n</html>\n");
}

const char *html_style(void)
{
    return style;
}

void html_label(cli_text *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\\' || *text == '"')
            html_raw(out, "\\%c", *text);
        else if (*text == '\n')
            html_raw(out, "\\n");
        else
            cli_text_add(out, text, 1);
}
