#include "wfsm/shown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/base.h>

static char *escaped(int32_t form, const char *text, size_t length)
{
    size_t room = wfsm_text_escape(form, text, length, NULL, 0) + 1;
    char *made = malloc(room);

    if (made)
        (void)wfsm_text_escape(form, text, length, made, room);
    return made;
}

char *shown_line(const char *text, size_t length)
{
    return escaped(WFSM_ESCAPE_LINE, text, length);
}

void shown_text(FILE *out, const char *text, size_t length)
{
    char *shown = escaped(WFSM_ESCAPE_TEXT, text, length);

    (void)fputs(shown ? shown : "(out of memory)", out);
    free(shown);
}

void shown_fputs(const char *text, FILE *out)
{
    shown_text(out, text, strlen(text));
}

void shown_puts(const char *text)
{
    shown_fputs(text, stdout);
    (void)fputc('\n', stdout);
}

int shown_json(const json_t *value, FILE *out, size_t flags)
{
    char *text = json_dumps(value, flags);

    if (!text)
        return -1;
    shown_fputs(text, out);
    free(text);
    return 0;
}

/* ---- formats ---- */

/* "%-14.*s" without its '%': flags, width, precision (-1: none) and conversion. */
typedef struct conversion {
    char flags[8];
    int width, precision;
    char size; /* 'l', 'L' for ll, 'z', 'j', 't' or 0 */
    char what;
} conversion;

static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void pad(FILE *out, int count)
{
    for (; count > 0; count--)
        (void)fputc(' ', out);
}

static void put_string(FILE *out, const conversion *as, const char *text)
{
    size_t length = as->precision >= 0 ? strnlen(text, (size_t)as->precision) : strlen(text);
    char *shown = shown_line(text, length);
    int left = strchr(as->flags, '-') != NULL;
    int room = as->width - (int)width_of(shown ? shown : "");

    if (!left)
        pad(out, room);
    (void)fputs(shown ? shown : "(out of memory)", out);
    if (left)
        pad(out, room);
    free(shown);
}

static const char *read_number(const char *at, int *number, va_list *arguments)
{
    if (*at == '*') {
        *number = va_arg(*arguments, int);
        return at + 1;
    }
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        *number = *number * 10 + (*at - '0');
    return at;
}

static const char *read_conversion(const char *at, conversion *as, va_list *arguments)
{
    size_t flags = strspn(at, "-+ #0");

    *as = (conversion){.precision = -1};
    memcpy(as->flags, at, flags < sizeof as->flags ? flags : sizeof as->flags - 1);
    at = read_number(at + flags, &as->width, arguments);
    if (*at == '.')
        at = read_number(at + 1, &as->precision, arguments);
    for (; *at && strchr("hlzjt", *at); at++)
        as->size = as->size == 'l' && *at == 'l' ? 'L' : *at;
    as->what = *at;
    return *at ? at + 1 : at;
}

static intmax_t read_signed(char size, va_list *arguments)
{
    switch (size) {
    case 'l':
        return va_arg(*arguments, long);
    case 'L':
        return va_arg(*arguments, long long);
    case 'z':
    case 't':
        return va_arg(*arguments, ptrdiff_t);
    case 'j':
        return va_arg(*arguments, intmax_t);
    default:
        return va_arg(*arguments, int);
    }
}

static uintmax_t read_unsigned(char size, va_list *arguments)
{
    switch (size) {
    case 'l':
        return va_arg(*arguments, unsigned long);
    case 'L':
        return va_arg(*arguments, unsigned long long);
    case 'z':
    case 't':
        return va_arg(*arguments, size_t);
    case 'j':
        return va_arg(*arguments, uintmax_t);
    default:
        return va_arg(*arguments, unsigned);
    }
}

/* Widths of numbers are written into the format, because a precision may be missing. */
static void put_number(FILE *out, const conversion *as, va_list *arguments)
{
    int is_signed = as->what == 'd' || as->what == 'i';
    char format[48];

    if (as->precision >= 0)
        (void)snprintf(format, sizeof format, "%%%s%d.%dj%c", as->flags, as->width,
                       as->precision, as->what);
    else if (as->width > 0)
        (void)snprintf(format, sizeof format, "%%%s%dj%c", as->flags, as->width, as->what);
    else
        (void)snprintf(format, sizeof format, "%%%sj%c", as->flags, as->what);
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    if (is_signed)
        (void)fprintf(out, format, read_signed(as->size, arguments));
    else
        (void)fprintf(out, format, read_unsigned(as->size, arguments));
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
}

static void put_character(FILE *out, const conversion *as, int byte)
{
    const char text[] = {(char)byte, '\0'};
    conversion one = *as;

    one.precision = 1;
    put_string(out, &one, text);
}

static void put_conversion(FILE *out, const conversion *as, va_list *arguments)
{
    const char *text;

    switch (as->what) {
    case '%':
        (void)fputc('%', out);
        break;
    case 's':
        text = va_arg(*arguments, const char *);
        put_string(out, as, text ? text : "(null)");
        break;
    case 'f':
        (void)fprintf(out, "%*.*f", as->width, as->precision, va_arg(*arguments, double));
        break;
    case 'c':
        put_character(out, as, va_arg(*arguments, int));
        break;
    default:
        put_number(out, as, arguments);
    }
}

void shown_vfprintf(FILE *out, const char *format, va_list arguments)
{
    va_list list;

    va_copy(list, arguments);
    while (*format) {
        size_t plain = strcspn(format, "%");
        conversion as;

        (void)fwrite(format, 1, plain, out);
        format += plain;
        if (!*format)
            break;
        format = read_conversion(format + 1, &as, &list);
        put_conversion(out, &as, &list);
    }
    va_end(list);
}

void shown_fprintf(FILE *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    shown_vfprintf(out, format, arguments);
    va_end(arguments);
}

void shown_printf(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    shown_vfprintf(stdout, format, arguments);
    va_end(arguments);
}
