/* logic/number_parse.c: decimal text to doubles, rounded right at any length. */
#include "logic/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/invariant.h"

/* No double needs more digits to be rounded right; the rest only matters by being
 * there. */
enum { DIGITS = 800, EXPONENT = 100000 };

typedef struct scan {
    const char *text;
    size_t length;
    size_t at;
    char digits[DIGITS + 24];
    size_t count;
    int exponent; /* of the digits as an integer */
    bool any;
} scan;

static int digit_at(const scan *in, size_t at)
{
    if (at >= in->length || in->text[at] < '0' || in->text[at] > '9')
        return -1;
    return in->text[at] - '0';
}

static void take_digit(scan *in, int digit, bool fraction)
{
    in->any = true;
    if (in->count == 0 && digit == 0) {
        in->exponent -= fraction && in->exponent > -EXPONENT;
    } else if (in->count < DIGITS) {
        in->digits[in->count++] = (char)('0' + digit);
        in->exponent -= fraction;
    } else {
        /* Too far right to round by, but not nothing. */
        if (digit)
            in->digits[DIGITS - 1] = (char)(in->digits[DIGITS - 1] | 1);
        in->exponent += !fraction && in->exponent < EXPONENT;
    }
}

static void take_digits(scan *in, bool fraction)
{
    for (int digit; (digit = digit_at(in, in->at)) >= 0; in->at++)
        take_digit(in, digit, fraction);
}

static void take_fraction(scan *in)
{
    if (in->at >= in->length || in->text[in->at] != '.')
        return;
    if (!in->any && digit_at(in, in->at + 1) < 0)
        return;
    in->at++;
    take_digits(in, true);
}

static void take_exponent(scan *in)
{
    size_t at = in->at;
    bool negative = false;
    int exponent = 0;

    if (at >= in->length || (in->text[at] != 'e' && in->text[at] != 'E'))
        return;
    at++;
    if (at < in->length && (in->text[at] == '-' || in->text[at] == '+'))
        negative = in->text[at++] == '-';
    if (digit_at(in, at) < 0)
        return;
    for (int digit; (digit = digit_at(in, at)) >= 0; at++)
        exponent = exponent < EXPONENT ? exponent * 10 + digit : exponent;
    in->exponent += negative ? -exponent : exponent;
    in->at = at;
}

size_t wf_number_parse(const char *text, size_t length, double *number)
{
    scan in = {.text = text, .length = length};
    bool negative = false;

    if (length && (text[0] == '-' || text[0] == '+'))
        negative = text[in.at++] == '-';
    take_digits(&in, false);
    take_fraction(&in);
    if (!in.any)
        return 0;
    take_exponent(&in);
    if (!in.count)
        in.digits[in.count++] = '0';
    WF_INVARIANT(in.count > 0 && in.count <= DIGITS);
    snprintf(in.digits + in.count, sizeof in.digits - in.count, "e%d", in.exponent);
    *number = strtod(in.digits, NULL);
    if (negative)
        *number = -*number;
    return in.at;
}
