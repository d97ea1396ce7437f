/* logic/json_parse.c: JSON text to values, or an error that names the place. */
#include "logic/json.h"

#include <stdio.h>
#include <string.h>
#include "logic/json_build.h"

enum { TEXT_MOST = INT32_MAX - 1 };

/* Describes a place of the text, for a message. */
static void describe(const wf_json_reader *in, size_t at, char *out, size_t size)
{
    unsigned char byte = at < in->length ? (unsigned char)in->text[at] : 0;
    char sequence[4];

    if (at >= in->length)
        snprintf(out, size, "the end of the text");
    else if (byte > 0x20 && byte < 0x7F)
        snprintf(out, size, "'%c'", byte);
    else if (byte >= 0x80 &&
             wf_json_character(in->text, in->length, &(size_t){at}, sequence) > 0)
        snprintf(out, size, "a character that is not ASCII");
    else
        snprintf(out, size, "the byte 0x%02X", byte);
}

static int32_t fail_expected(const wf_json_reader *in, const wf_json_scan *scan)
{
    char found[40], pointer[512];
    int32_t line, column;

    wf_json_scan_pointer(scan, pointer, sizeof pointer);
    if (scan->too_deep) {
        wf_fail(in->error, WFSM_LIMIT, "nested deeper than %d levels", WF_MAX_DEPTH);
    } else if (in->length >= 3 && memcmp(in->text, "\xEF\xBB\xBF", 3) == 0) {
        wf_fail(in->error, WFSM_SYNTAX, "expected a JSON value, found a byte order mark");
    } else {
        describe(in, scan->at, found, sizeof found);
        wf_fail(in->error, WFSM_SYNTAX, "expected %s, found %s", scan->expected, found);
    }
    wf_error_set_pointer(in->error, pointer);
    wf_json_position(in->text, in->length, scan->at, &line, &column);
    wf_error_set_position(in->error, line, column);
    return scan->too_deep ? WFSM_LIMIT : WFSM_SYNTAX;
}

int32_t wf_json_parse(wf_arena *arena, const char *text, size_t length, wf_value *value,
                      wfsm_error *error)
{
    wf_json_reader in = {arena, text, length, error};
    wf_json_scan scan;
    int32_t status;

    if (length > TEXT_MOST)
        return wf_fail(error, WFSM_LIMIT, "expected at most %d bytes of text", TEXT_MOST);
    status = wf_json_build(&in, value);
    if (status == WFSM_OK || status == WFSM_NO_MEMORY)
        return status;
    /* The first fault of its form comes before all else that may be wrong. */
    wf_json_scan_text(&scan, text, length, SIZE_MAX);
    return scan.expected ? fail_expected(&in, &scan) : status;
}
