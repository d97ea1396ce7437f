/*
 * logic/number.c: doubles and decimal text, without regard to the locale: the C library
 * only ever sees digits and an exponent, never a decimal point.
 */
#include "logic/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

/* 0.digits × 10^point */
typedef struct decimal {
    char digits[24];
    int count;
    int point;
} decimal;

static double decimal_value(const decimal *from)
{
    char text[48];

    snprintf(text, sizeof text, "%.*se%d", from->count, from->digits,
             from->point - from->count);
    return strtod(text, NULL);
}

static void round_to(decimal *out, double number, int count)
{
    char text[48];
    const char *p = text;

    snprintf(text, sizeof text, "%.*e", count - 1, number);
    out->count = 0;
    /* Whatever the locale's decimal point is, it is no digit. */
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9' && out->count < count)
            out->digits[out->count++] = *p;
    WF_INVARIANT(out->count == count);
    out->point = (int)strtol(p + 1, NULL, 10) + 1;
}

static void next_up(decimal *out)
{
    for (int i = out->count - 1; i >= 0; i--) {
        if (out->digits[i] != '9') {
            out->digits[i]++;
            return;
        }
        out->digits[i] = '0';
    }
    out->digits[0] = '1';
    out->point++;
}

/* The shortest digits that read back as the number, the closest of those. Below 16
 * digits normal numbers need no search: what rounds to them is unique. */
static void shortest(decimal *out, double number)
{
    int count = number < 2.3e-308 ? 1 : 15;

    for (; count < 17; count++) {
        round_to(out, number, count);
        if (decimal_value(out) == number)
            break;
        /* Below a power of two the gap is half as wide: the neighbour above may fit. */
        next_up(out);
        if (decimal_value(out) == number)
            break;
    }
    if (count == 17)
        round_to(out, number, 17);
    while (out->count > 1 && out->digits[out->count - 1] == '0')
        out->count--;
}

typedef struct writer {
    char *out;
    size_t length;
} writer;

static void put(writer *to, const char *bytes, int count)
{
    memcpy(to->out + to->length, bytes, (size_t)count);
    to->length += (size_t)count;
}

static void put_zeros(writer *to, int count)
{
    WF_INVARIANT(to->length + (size_t)count < WF_NUMBER_BYTES);
    while (count-- > 0)
        to->out[to->length++] = '0';
}

static void put_exponent_form(writer *to, const decimal *from)
{
    char exponent[16];
    int count = snprintf(exponent, sizeof exponent, "e%+d", from->point - 1);

    put(to, from->digits, 1);
    if (from->count > 1) {
        put(to, ".", 1);
        put(to, from->digits + 1, from->count - 1);
    }
    put(to, exponent, count);
}

static void put_plain_form(writer *to, const decimal *from)
{
    if (from->point <= 0) {
        put(to, "0.", 2);
        put_zeros(to, -from->point);
        put(to, from->digits, from->count);
    } else if (from->count <= from->point) {
        put(to, from->digits, from->count);
        put_zeros(to, from->point - from->count);
    } else {
        put(to, from->digits, from->point);
        put(to, ".", 1);
        put(to, from->digits + from->point, from->count - from->point);
    }
}

static size_t special_text(double number, char *out)
{
    const char *text = isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
    size_t length = strlen(text);

    memcpy(out, text, length + 1);
    return length;
}

static size_t decimal_text(double number, char *out, int plain_up_to)
{
    writer to = {out, 0};
    decimal digits;

    if (number < 0)
        put(&to, "-", 1);
    shortest(&digits, fabs(number));
    if (digits.point > -6 && digits.point <= plain_up_to)
        put_plain_form(&to, &digits);
    else
        put_exponent_form(&to, &digits);
    out[to.length] = '\0';
    return to.length;
}

/* Ids have fifteen digits, and each record some of them: two digits with each division. */
size_t wf_integer_text(int64_t number, char *out)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    for (; rest >= 100; rest /= 100)
        memcpy(digits + (at -= 2), pairs + 2 * (rest % 100), 2);
    if (rest >= 10)
        memcpy(digits + (at -= 2), pairs + 2 * rest, 2);
    else
        digits[--at] = (char)('0' + rest);
    if (number < 0)
        digits[--at] = '-';
    memcpy(out, digits + at, sizeof digits - at);
    out[sizeof digits - at] = '\0';
    return sizeof digits - at;
}

static bool is_safe_integer(double number)
{
    return fabs(number) <= 9007199254740992.0 && number == floor(number);
}

/* The digits of a fraction are searched for; far from 1 each attempt takes long. */
size_t wf_number_steps(double number)
{
    double size = fabs(number);

    if (is_safe_integer(number) || !isfinite(number))
        return 1;
    return size > 1e-30 && size < 1e30 ? 16 : 256;
}

size_t wf_number_text(double number, char out[WF_NUMBER_BYTES])
{
    if (!isfinite(number))
        return special_text(number, out);
    if (is_safe_integer(number))
        return wf_integer_text((int64_t)number, out);
    return decimal_text(number, out, 21);
}

void wf_json_write_number(wf_buffer *buffer, double number)
{
    char text[WF_NUMBER_BYTES];
    size_t length;

    if (!isfinite(number)) {
        wf_buffer_text(buffer, "null");
        return;
    }
    if (is_safe_integer(number))
        length = wf_integer_text((int64_t)number, text);
    else
        /* Integers beyond 2^53 are refused when they are read; with an exponent it is
         * none. */
        length = decimal_text(number, text, fabs(number) < 9007199254740992.0 ? 21 : -999);
    wf_buffer_add(buffer, text, length);
}

void wf_json_write_int(wf_buffer *buffer, int64_t number)
{
    char text[WF_NUMBER_BYTES];

    wf_buffer_add(buffer, text, wf_integer_text(number, text));
}
