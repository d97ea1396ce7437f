/* machine/load_retention.c: `retention`, how long ended instances and old records are kept. */
#include "machine/load.h"

enum { MOST_RECORDS = 1000000000 };

static const double most_ms = 9007199254740991;

/* An instance that has ended stays, unless there is a time. */
static void load_end(wf_load *load, const wf_node *node, wfsm_retention *retention)
{
    static const char *const words[] = {"archive", "remove"};
    wf_node after, then;
    double number;
    bool has_time = wf_node_get(&after, node, "afterMs");

    if (has_time && wf_expect_integer(load, &after, 0, most_ms, &number))
        retention->after_ms = (int64_t)number;
    if (!wf_node_get(&then, node, "then")) {
        if (has_time)
            wf_load_error(load, node, "missing-key",
                          "expected \"then\" as well: \"archive\" or \"remove\"");
        return;
    }
    if (!has_time)
        wf_load_error(load, &then, "missing-key",
                      "expected \"afterMs\" as well: milliseconds after the end");
    retention->removes = wf_expect_word(load, &then, words, 2) == 1;
}

void wf_load_retention(wf_load *load, const wf_node *root)
{
    wfsm_retention *retention = &load->machine->retention;
    wf_node node, records;
    double number;

    *retention = (wfsm_retention){.size = sizeof *retention, .after_ms = WFSM_NEVER};
    if (!wf_node_get(&node, root, "retention") ||
        !wf_expect(load, &node, WF_OBJECT,
                   "an object with \"afterMs\" and \"then\", \"records\", or all of them"))
        return;
    wf_check_keys(load, &node, WF_RETENTION_KEYS, 0);
    load_end(load, &node, retention);
    if (wf_node_get(&records, &node, "records") &&
        wf_expect_integer(load, &records, 1, MOST_RECORDS, &number))
        retention->records = (uint64_t)number;
}
