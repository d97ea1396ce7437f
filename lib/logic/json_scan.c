/* logic/json_scan.c: a JSON reader that makes no values. It says where it stops, and why. */
#include "logic/json_scan.h"

#include <string.h>
#include "base/invariant.h"
#include "base/plain.h"

static bool stop(wf_json_scan *scan, const char *expected)
{
    scan->expected = expected;
    return false;
}

static char byte_at(const wf_json_scan *scan)
{
    return scan->at < scan->length ? scan->text[scan->at] : '\0';
}

static char skip_space(wf_json_scan *scan)
{
    while (scan->at < scan->length && wf_json_space(scan->text[scan->at]))
        scan->at++;
    return byte_at(scan);
}

static const char *string_fault(const wf_json_scan *scan)
{
    char byte = byte_at(scan);

    if (scan->at >= scan->length)
        return "the closing quote of a string";
    if (byte == '\\')
        return "a valid escape (\\u0000 and lone surrogates are not)";
    if ((unsigned char)byte < 0x20)
        return "an escape for a control character";
    return "well-formed UTF-8";
}

static bool read_string(wf_json_scan *scan)
{
    char out[4];
    int count = 0;

    scan->at++;
    do {
        scan->at = wf_skip_plain(scan->text, scan->at, scan->length);
        if (byte_at(scan) == '"')
            break;
        count = wf_json_character(scan->text, scan->length, &scan->at, out);
    } while (count > 0);
    if (count < 0)
        return stop(scan, string_fault(scan));
    scan->at++;
    return true;
}

static bool read_digits(wf_json_scan *scan)
{
    size_t from = scan->at;

    while (byte_at(scan) >= '0' && byte_at(scan) <= '9')
        scan->at++;
    return scan->at > from || stop(scan, "a digit");
}

static bool read_number(wf_json_scan *scan)
{
    if (byte_at(scan) == '-')
        scan->at++;
    if (byte_at(scan) == '0')
        scan->at++;
    else if (!read_digits(scan))
        return false;
    if (byte_at(scan) == '.') {
        scan->at++;
        if (!read_digits(scan))
            return false;
    }
    if (byte_at(scan) == 'e' || byte_at(scan) == 'E') {
        scan->at++;
        if (byte_at(scan) == '+' || byte_at(scan) == '-')
            scan->at++;
        return read_digits(scan);
    }
    return true;
}

static bool read_word(wf_json_scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);

        if (scan->length - scan->at >= length &&
            memcmp(scan->text + scan->at, words[i], length) == 0) {
            scan->at += length;
            return true;
        }
    }
    return stop(scan, "a JSON value");
}

static bool read_key(wf_json_scan *scan)
{
    wf_json_frame *frame = &scan->frames[scan->depth - 1];

    /* A key that is wrong is a fault of the object. */
    scan->depth--;
    if (skip_space(scan) != '"')
        return stop(scan, "a key in double quotes");
    frame->key = scan->at;
    if (!read_string(scan))
        return false;
    scan->depth++;
    if (skip_space(scan) != ':')
        return stop(scan, "\":\" after the key");
    scan->at++;
    return true;
}

/* After an opening bracket: *done when its container is empty. */
static bool open_container(wf_json_scan *scan, bool *done)
{
    bool object = byte_at(scan) == '{';

    if (scan->depth == WF_MAX_DEPTH) {
        scan->too_deep = true;
        return stop(scan, "no deeper nesting");
    }
    WF_INVARIANT(scan->depth < WF_MAX_DEPTH);
    scan->frames[scan->depth++] = (wf_json_frame){object, 0, scan->at};
    scan->at++;
    *done = skip_space(scan) == (object ? '}' : ']');
    if (*done) {
        scan->at++;
        scan->depth--;
        return true;
    }
    return !object || read_key(scan);
}

/* One value, or the opening of one: *done when it is over. */
static bool read_value(wf_json_scan *scan, bool *done)
{
    char byte = skip_space(scan);

    *done = true;
    if (byte == '{' || byte == '[')
        return open_container(scan, done);
    if (byte == '"')
        return read_string(scan);
    if (byte == '-' || (byte >= '0' && byte <= '9'))
        return read_number(scan);
    return read_word(scan);
}

/* After a value: closes what ends here, *more when another value follows. */
static bool read_separator(wf_json_scan *scan, bool *more)
{
    wf_json_frame *frame = &scan->frames[scan->depth - 1];
    char byte = skip_space(scan);

    WF_INVARIANT(scan->depth > 0);
    *more = byte == ',';
    if (*more) {
        scan->at++;
        frame->index++;
        return !frame->object || read_key(scan);
    }
    if (byte != (frame->object ? '}' : ']'))
        return stop(scan, frame->object ? "\",\" or \"}\"" : "\",\" or \"]\"");
    scan->at++;
    scan->depth--;
    return true;
}

static bool read_separators(wf_json_scan *scan, bool *more, size_t until)
{
    *more = false;
    while (scan->depth && !*more && scan->at < until)
        if (!read_separator(scan, more))
            return false;
    return true;
}

void wf_json_scan_text(wf_json_scan *scan, const char *text, size_t length, size_t until)
{
    bool done = false, more = true;

    scan->text = text;
    scan->length = length;
    scan->at = 0;
    scan->expected = NULL;
    scan->too_deep = false;
    scan->depth = 0;
    while (more) {
        if (!read_value(scan, &done) || scan->at >= until)
            return;
        if (done && (!read_separators(scan, &more, until) || scan->at >= until))
            return;
    }
    skip_space(scan);
    if (scan->at < length)
        stop(scan, "the end of the text");
}

static size_t put(char *out, size_t size, size_t length, const char *bytes, size_t count)
{
    if (length + count + 1 > size)
        return length;
    memcpy(out + length, bytes, count);
    return length + count;
}

static size_t put_key(const wf_json_scan *scan, size_t key, char *out, size_t size,
                      size_t length)
{
    size_t at = key + 1;
    char bytes[4];
    int count;

    while ((count = wf_json_character(scan->text, scan->length, &at, bytes)) > 0) {
        if (bytes[0] == '~')
            length = put(out, size, length, "~0", 2);
        else if (bytes[0] == '/')
            length = put(out, size, length, "~1", 2);
        else
            length = put(out, size, length, bytes, (size_t)count);
    }
    return length;
}

void wf_json_scan_pointer(const wf_json_scan *scan, char *out, size_t size)
{
    char number[WF_NUMBER_BYTES];
    size_t length = 0;

    for (size_t i = 0; i < scan->depth; i++) {
        const wf_json_frame *frame = &scan->frames[i];

        length = put(out, size, length, "/", 1);
        if (frame->object)
            length = put_key(scan, frame->key, out, size, length);
        else
            length =
                put(out, size, length, number, wf_number_text((double)frame->index, number));
    }
    out[length] = '\0';
}
