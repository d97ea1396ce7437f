/* Coverage: first what no run did, then all. */
#include <stdlib.h>
#include <string.h>
#include "wfsm/report.h"
#include "wfsm/verify_html.h"

typedef struct sums {
    size_t transitions, taken, guards, both;
} sums;

static const char *seen_word(int32_t seen)
{
    static const char *const words[] = {[WFSM_SEEN_NOT_ASKED] = "–",
                                        [WFSM_SEEN_ONCE] = "yes",
                                        [WFSM_SEEN_NEVER] =
                                            "<strong class=\"bad\">never</strong>",
                                        [WFSM_SEEN_UNKNOWN] = "not known"};
    return words[seen];
}

static void count(sums *all, const wfsm_verify_coverage *one)
{
    all->transitions += !one->branch;
    all->taken += one->taken == WFSM_SEEN_ONCE;
    all->guards += one->was_true != WFSM_SEEN_NOT_ASKED;
    all->both += one->was_true == WFSM_SEEN_ONCE && one->was_false == WFSM_SEEN_ONCE;
}

static void add_transition(cli_text *out, const wfsm_verify_coverage *one)
{
    html_raw(out, "<code>");
    html_text(out, *one->state ? one->state : "the machine");
    html_raw(out, " — ");
    html_text(out, *one->event ? one->event : one->branch ? "actions" : "always");
    html_raw(out, one->branch ? " (a branch)" : *one->target ? " → " : " → stays");
    html_text(out, one->target);
    html_raw(out, "</code>");
}

static void add_guard(cli_text *out, const wfsm_verify_coverage *one, const char *what)
{
    html_raw(out, ": the guard <code>");
    html_text(out, one->guard);
    html_raw(out, "</code> %s", what);
}

/* A transition that was never taken, or a guard that always gave the same answer. */
static void add_gap(cli_text *out, const wfsm_verify_coverage *one)
{
    bool never = one->was_true == WFSM_SEEN_NEVER, always = one->was_false == WFSM_SEEN_NEVER;
    if (one->taken != WFSM_SEEN_NEVER && !never && !always)
        return;
    html_raw(out, "<li>line %d, ", (int)one->line);
    add_transition(out, one);
    if (never && always)
        add_guard(out, one, "was never asked.");
    else if (never)
        add_guard(out, one, "was never true.");
    else if (always)
        add_guard(out, one, "was never false.");
    else
        html_raw(out, " was never taken.");
    html_raw(out, "</li>\n");
}

static void add_row(cli_text *out, const wfsm_verify_coverage *one)
{
    html_raw(out, "<tr><td class=\"n\">%d</td><td>", (int)one->line);
    add_transition(out, one);
    html_raw(out, "</td><td><code>");
    html_text(out, one->guard);
    html_raw(out, "</code></td><td>%s</td><td>%s</td><td>%s</td></tr>\n", seen_word(one->taken),
             seen_word(one->was_true), seen_word(one->was_false));
}

static void add_sums(cli_text *out, const sums *all)
{
    html_raw(
        out,
        "<p>%zu of %zu transitions are taken in some run, from the starts that were tried.",
        all->taken, all->transitions);
    if (all->guards > 0)
        html_raw(
            out,
            " %zu of %zu guards are true in some run and false in some run. One that is never "
            "false is not needed after these starts, or the document has a mistake.",
            all->both, all->guards);
    html_raw(out, "</p>\n");
}

void verify_html_seen(cli_text *out, const wfsm_verification *found)
{
    wfsm_verify_coverage one = {.size = sizeof one};
    cli_text gaps = {0}, rows = {0};
    sums all = {0};
    for (size_t i = 0; wfsm_verification_coverage(found, i, &one) == WFSM_OK; i++) {
        count(&all, &one);
        add_gap(&gaps, &one);
        add_row(&rows, &one);
    }
    html_raw(out, "<h2>What was seen of the document</h2>\n");
    add_sums(out, &all);
    html_raw(out, "%s", gaps.data ? "<ul id=\"gaps\">\n" : "");
    cli_text_add(out, gaps.data ? gaps.data : "", gaps.length);
    html_raw(out, "%s", gaps.data ? "</ul>\n" : "");
    html_raw(
        out,
        "<details><summary>All transitions and guards</summary>\n<div class=\"wide\">"
        "<table id=\"seen\"><tr><th>line</th><th>transition</th><th>guard</th><th>taken</th>"
        "<th>true</th><th>false</th></tr>\n");
    cli_text_add(out, rows.data ? rows.data : "", rows.length);
    html_raw(out, "</table></div></details>\n");
    cli_text_free(&gaps);
    cli_text_free(&rows);
}

json_t *verify_html_marks(const wfsm_verification *found)
{
    wfsm_verify_coverage one = {.size = sizeof one};
    json_t *marks = cli_need(json_object());
    for (size_t i = 0; wfsm_verification_coverage(found, i, &one) == WFSM_OK; i++) {
        if (one.branch)
            continue;
        char *name = report_edge(one.state, one.event, one.target);
        json_t *list = json_object_get(marks, name);
        if (!list) {
            list = cli_need(json_array());
            json_object_set_new(marks, name, list);
        }
        json_array_append_new(
            list, cli_need(json_string(one.taken == WFSM_SEEN_NEVER ? " never" : "")));
        free(name);
    }
    return marks;
}
