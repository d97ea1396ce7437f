#include "wfsm/serve.h"

#include <inttypes.h>
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

/* The page is fetched again when it would show something else. A person who writes in a form, or chooses there,
 * is not disturbed. Opened parts stay open, and the focus stays where it is. */
const char serve_script[] =
    "'use strict';\n"
    "const main = document.querySelector('main'), live = document.getElementById('live');\n"
    "const sumOf = of => of.querySelector('[data-sum]').dataset.sum;\n"
    "const all = selector => [...main.querySelectorAll(selector)];\n"
    "let known = sumOf(main), busy = false;\n"
    "function say(text) { if (live.textContent !== text) live.textContent = text; }\n"
    "function writing() {\n"
    "  const at = document.activeElement;\n"
    "  return main.contains(at) && at.closest('form') ||\n"
    "    all('input').some(one => one.type !== 'hidden' && one.value !== one.defaultValue);\n"
    "}\n"
    "function replace(page) {\n"
    "  const open = all('details').map(one => one.open), at = document.activeElement;\n"
    "  const places = 'a,summary', focused = all(places).indexOf(at);\n"
    "  main.replaceChildren(...page.childNodes);\n"
    "  all('details').forEach((one, index) => { one.open = open[index]; });\n"
    "  if (focused >= 0 && all(places)[focused]) all(places)[focused].focus({ preventScroll: true });\n"
    "  known = sumOf(main);\n"
    "}\n"
    "async function again() {\n"
    "  if (writing()) return say('There is news: it is shown when the form is done.');\n"
    "  const answer = await fetch(location.href, { redirect: 'error' });\n"
    "  if (!answer.ok) throw new Error(answer.status);\n"
    "  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');\n"
    "  if (writing()) return;\n"
    "  replace(page.querySelector('main'));\n"
    "  say('updated ' + new Date().toLocaleTimeString());\n"
    "}\n"
    "const lost = () => say('not connected');\n"
    "const source = new EventSource('/events' + location.pathname + location.search);\n"
    "source.onmessage = async event => {\n"
    "  if (busy) return;\n"
    "  busy = true;\n"
    "  try {\n"
    "    if (event.data !== known) await again();\n"
    "    else if (live.textContent === 'not connected') say('connected');\n"
    "  } catch (error) { lost(); }\n"
    "  busy = false;\n"
    "};\n"
    "let errors = 0;\n"
    "source.addEventListener('message', () => { errors = 0; });\n"
    "source.onerror = () => { if (++errors > 1 || source.readyState === 2) lost(); };\n"
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

void serve_end(serve_answer *answer)
{
    html_raw(&answer->body,
             "<div data-sum=\"%016" PRIx64 "\"></div>\n</main>\n</body>\n</html>\n",
             answer->sum);
}

uint64_t serve_sum(uint64_t sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

void serve_sum_head(serve_answer *answer, const char *id, const char *token, const char *owner)
{
    const char *const parts[] = {id, token, owner};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        answer->sum = serve_sum(answer->sum, parts[i], strlen(parts[i]) + 1);
}

void serve_fail(serve_answer *answer, unsigned status, const char *text)
{
    answer->status = status;
    answer->sum = serve_sum(SERVE_SUM, text, strlen(text));
    cli_text_free(&answer->body);
    answer->type = "text/html; charset=utf-8";
    html_raw(&answer->body,
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
             "name=\"viewport\" content=\"width=device-width\"><title>wfsm: error</title><link "
             "rel=\"stylesheet\" href=\"/style.css\"></head><body><main><h1>%u</h1><p>",
             status);
    html_text(&answer->body, text);
    html_raw(&answer->body, "</p>%s</main></body></html>\n",
             status == 403 || status == 421 ? "" : "<p><a href=\"/\">All instances</a></p>");
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
