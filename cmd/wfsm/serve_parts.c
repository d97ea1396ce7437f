#include "wfsm/serve.h"

#include <stdio.h>
#include <string.h>
#include "wfsm/address.h"
#include "wfsm/owned.h"

/* Behind the style of the reports. */
const char serve_style[] =
    "dd,h1,h2,h3,p,td,nav{overflow-wrap:anywhere}dl{grid-template-columns:max-content "
    "minmax(0,1fr)}form>*,label>*{min-width:0}\n"
    "nav{display:flex;gap:1rem;align-items:baseline;flex-wrap:wrap;border-bottom:1px solid "
    "var(--line);padding:.6rem 1.5rem}nav strong{font-size:1.05rem}\n"
    "a{color:inherit}a:focus-visible,button:focus-visible,input:focus-visible,select:focus-"
    "visible{outline:3px solid var(--now-line);outline-offset:1px}\n"
    "form{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end;margin:.6rem 0}\n"
    "label{display:flex;flex-direction:column;font-size:.85rem;color:var(--dim)}\n"
    "input,select,button,textarea{box-sizing:border-box;font:inherit;color:var(--ink);background:var(--page);"
    "border:1px solid var(--line);border-radius:4px;padding:.35rem .5rem;max-width:100%}\n"
    "button{background:var(--box);cursor:pointer;min-height:2.2rem}\n"
    "button.yes{background:var(--seen);border-color:var(--seen-line)}"
    "button.no{border-color:var(--bad);color:var(--bad)}\n"
    "section.asked{border:2px solid var(--now-line);border-radius:6px;padding:.6rem 1rem;"
    "margin:1rem 0}\n"
    "p.said{background:var(--box);border-left:4px solid var(--now-line);padding:.5rem .8rem;"
    "white-space:pre-wrap}\n"
    "@media(max-width:40rem){main{padding:.8rem}th,td{padding:.3rem}form,label{width:100%}"
    "input,select,button,textarea{width:100%}}\n";

/* The page is fetched again when something has changed, unless a person is typing. */
const char serve_script[] =
    "'use strict';\n"
    "const main = document.querySelector('main'), live = document.getElementById('live');\n"
    "const typing = () => { const at = document.activeElement;\n"
    "  return main.contains(at) && /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName); };\n"
    "let known = null, busy = false;\n"
    "async function again() {\n"
    "  if (busy || typing()) return false;\n"
    "  busy = true;\n"
    "  try {\n"
    "    const answer = await fetch(location.href, { redirect: 'error' });\n"
    "    if (!answer.ok) throw new Error(answer.status);\n"
    "    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');\n"
    "    main.replaceChildren(...page.querySelector('main').childNodes);\n"
    "    live.textContent = 'updated';\n"
    "    return true;\n"
    "  } catch (error) { live.textContent = 'not connected'; return false; }\n"
    "  finally { busy = false; }\n"
    "}\n"
    "const source = new EventSource('/events' + location.search);\n"
    "source.onmessage = async event => {\n"
    "  if (known === null || known === event.data || await again()) known = event.data;\n"
    "};\n"
    "source.onerror = () => { if (source.readyState === 2) live.textContent = 'not connected'; };\n"
    "document.addEventListener('submit', event => {\n"
    "  const question = event.submitter && event.submitter.dataset.sure;\n"
    "  if (question && !confirm(question)) event.preventDefault();\n"
    "});\n";

const char *serve_get(const serve_request *asked, const char *name)
{
    for (size_t i = 0; i < asked->count; i++)
        if (strcmp(asked->fields[i].name, name) == 0)
            return asked->fields[i].value.data ? asked->fields[i].value.data : "";
    return "";
}

void serve_begin(cli_text *out, const serve *self, const char *title)
{
    html_raw(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
             "name=\"viewport\" content=\"width=device-width\">\n<title>");
    html_text(out, title);
    html_raw(out, " · wfsm</title>\n<link rel=\"stylesheet\" href=\"/style.css\">\n<script "
                  "src=\"/page.js\" defer></script>\n</head>\n<body>\n<nav><strong><a "
                  "href=\"/\">wfsm</a></strong><span class=\"dim\">");
    html_text(out, self->store);
    html_raw(out, "</span><span class=\"dim\" id=\"live\" role=\"status\" "
                  "aria-live=\"polite\"></span></nav>\n<main>\n");
}

void serve_end(cli_text *out)
{
    html_raw(out, "</main>\n</body>\n</html>\n");
}

void serve_fail(serve_answer *answer, unsigned status, const char *text)
{
    answer->status = status;
    cli_text_free(&answer->body);
    answer->type = "text/html; charset=utf-8";
    html_raw(&answer->body, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                            "<title>wfsm</title></head><body><main><p>");
    html_text(&answer->body, text);
    html_raw(&answer->body, "</p></main></body></html>\n");
}

wfsm_store *serve_open(const serve *self, serve_answer *answer)
{
    wfsm_store *store = NULL;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    if (address_open(&store, self->store, ADDRESS_READ, error) != WFSM_OK)
        serve_fail(answer, 503, wfsm_error_message(error));
    wfsm_error_free(error);
    return store;
}

void serve_encode(cli_text *out, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/";
    char part[4];
    for (; *text; text++) {
        snprintf(part, sizeof part, strchr(plain, *text) ? "%c" : "%%%02X",
                 (unsigned char)*text);
        cli_text_add(out, part, strlen(part));
    }
}

void serve_link(cli_text *out, const char *path, const char *key, const char *value)
{
    html_raw(out, "<a href=\"%s?%s=", path, key);
    serve_encode(out, value);
    html_raw(out, "\">");
    html_text(out, value);
    html_raw(out, "</a>");
}

void serve_ago(cli_text *out, int64_t ms)
{
    int64_t now = owned_clock();
    html_duration(out, now > ms ? now - ms : 0);
    html_raw(out, " ago");
}
