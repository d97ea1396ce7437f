/* logic/coerce.c: JavaScript's numbers, and equality. */
#include "logic/expr_tree.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/invariant.h"

/* The bytes of JavaScript's white space at the start of text, 0 if there is none. */
static size_t space_at(const char *text, size_t length)
{
    static const char *const spaces[] = {" ",
                                         "\t",
                                         "\n",
                                         "\v",
                                         "\f",
                                         "\r",
                                         "\xC2\xA0",
                                         "\xE1\x9A\x80",
                                         "\xE2\x80\x80",
                                         "\xE2\x80\x81",
                                         "\xE2\x80\x82",
                                         "\xE2\x80\x83",
                                         "\xE2\x80\x84",
                                         "\xE2\x80\x85",
                                         "\xE2\x80\x86",
                                         "\xE2\x80\x87",
                                         "\xE2\x80\x88",
                                         "\xE2\x80\x89",
                                         "\xE2\x80\x8A",
                                         "\xE2\x80\xA8",
                                         "\xE2\x80\xA9",
                                         "\xE2\x80\xAF",
                                         "\xE2\x81\x9F",
                                         "\xE3\x80\x80",
                                         "\xEF\xBB\xBF"};

    if (!length || (text[0] > ' ' && text[0] < 0x7F))
        return 0;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        size_t bytes = strlen(spaces[i]);

        if (length >= bytes && memcmp(text, spaces[i], bytes) == 0)
            return bytes;
    }
    return 0;
}

/* Without the white space around it. */
static wf_text trimmed(wf_text text)
{
    size_t from = 0, to = 0;

    for (size_t i = 0, bytes; i < text.length; i += bytes ? bytes : 1) {
        bytes = space_at(text.text + i, text.length - i);
        if (bytes && to == 0)
            from = i + bytes;
        if (!bytes)
            to = i + 1;
    }
    return (wf_text){text.text + from, to > from ? to - from : 0};
}

static bool starts_with(wf_text text, const char *word)
{
    return text.length >= strlen(word) && memcmp(text.text, word, strlen(word)) == 0;
}

/* A decimal number or Infinity at the start; returns its bytes, 0 for none. */
static size_t leading_number(wf_text text, double *number)
{
    size_t sign = text.length && (text.text[0] == '-' || text.text[0] == '+');
    wf_text rest = {text.text + sign, text.length - sign};

    if (starts_with(rest, "Infinity")) {
        *number = sign && text.text[0] == '-' ? -INFINITY : INFINITY;
        return sign + strlen("Infinity");
    }
    return wf_number_parse(text.text, text.length, number);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* The bits of a digit after 0x, 0o or 0b; 0 if the text begins with none of them. */
static int bits_of_digit(wf_text text)
{
    char mark = text.length > 2 && text.text[0] == '0' ? (char)(text.text[1] | 0x20) : 0;

    return mark == 'x' ? 4 : mark == 'o' ? 3 : mark == 'b' ? 1 : 0;
}

/* Rounded once: what does not fit into 64 bits only tells that there is more. */
static double number_of_digits(wf_text digits, int bits)
{
    uint64_t kept = 0, more = 0;
    size_t dropped = 0;

    for (size_t i = 0; i < digits.length; i++) {
        int digit = digit_value(digits.text[i]);

        if (digit >= 1 << bits)
            return NAN;
        if (kept >> 60 == 0) {
            kept = kept << bits | (unsigned)digit;
            continue;
        }
        more |= digit != 0;
        dropped += (size_t)bits;
    }
    return ldexp((double)(kept | more), dropped < INT_MAX ? (int)dropped : INT_MAX);
}

static double text_number(wf_text text)
{
    double number = NAN;
    size_t used;

    text = trimmed(text);
    if (!text.length)
        return 0;
    if (bits_of_digit(text))
        return number_of_digits((wf_text){text.text + 2, text.length - 2}, bits_of_digit(text));
    used = leading_number(text, &number);
    WF_INVARIANT(used <= text.length);
    return used && used == text.length ? number : NAN;
}

static int32_t converted_number(wf_run *run, const wf_value *value, double *number)
{
    wf_text text;
    int32_t status = wf_to_text(run, value, &text);

    if (!status)
        status = wf_spend(run, text.length / 8);
    if (!status)
        *number = text_number(text);
    return status;
}

int32_t wf_to_number(wf_run *run, const wf_value *value, double *number)
{
    switch (value->type) {
    case WF_NUMBER:
        *number = value->as.number;
        return WFSM_OK;
    case WF_STRING:
    case WF_ARRAY:
        return converted_number(run, value, number);
    case WF_BOOLEAN:
        *number = value->as.boolean;
        return WFSM_OK;
    case WF_NULL:
        *number = 0;
        return WFSM_OK;
    default:
        *number = NAN;
        return WFSM_OK;
    }
}

int32_t wf_to_operand(wf_run *run, const wf_value *value, double *number)
{
    *number = NAN;
    return value->type >= WF_ARRAY ? WFSM_OK : wf_to_number(run, value, number);
}

int32_t wf_strict_equal(wf_run *run, const wf_value *a, const wf_value *b, bool *equal)
{
    *equal = wf_value_equal_within(a, b, &run->scope->steps);
    return run->scope->steps ? WFSM_OK : wf_spend(run, 1);
}
