#include "command_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of each of stdout and stderr; it goes to the coder by way of the must-fix list. */
enum { TAIL_BYTES = 4000 };

/* Not in the middle of a character. */
static const char *tail_of(const char *text, size_t length, size_t *left)
{
    const char *from = length > TAIL_BYTES ? text + length - TAIL_BYTES : text;

    while (from < text + length && from != text && ((unsigned char)*from & 0xC0) == 0x80)
        from++;
    *left = (size_t)(text + length - from);
    return from;
}

/* What a command writes may be no UTF-8, and then JSON cannot hold it. */
static json_t *any_text(const char *text, size_t length)
{
    json_t *made = json_stringn(text, length);
    char *plain;
    size_t index;

    if (made)
        return made;
    plain = malloc(length + 1);
    if (!plain)
        return NULL;
    for (index = 0; index < length; index++)
        plain[index] = (char)((unsigned char)text[index] < 0x80 ? text[index] : '?');
    made = json_stringn(plain, length);
    free(plain);
    return made;
}

static size_t add_tail(char *to, const char *text, size_t length)
{
    size_t left;
    const char *from = tail_of(text, length, &left);

    memcpy(to, from, left);
    return left;
}

static size_t add_file_tail(char *to, const char *path)
{
    FILE *file = fopen(path, "rb");
    char text[TAIL_BYTES + 1];
    size_t got;

    if (!file)
        return 0;
    if (fseek(file, -(long)TAIL_BYTES, SEEK_END) != 0)
        rewind(file);
    got = fread(text, 1, TAIL_BYTES, file);
    (void)fclose(file);
    return add_tail(to, text, got);
}

/* The end of stdout, then the end of stderr. */
static json_t *read_tail(wfa_child *child)
{
    char text[2 * TAIL_BYTES];
    size_t length = 0, used = 0;
    const char *out = wfa_child_output(child, &length, NULL);

    if (out)
        used = add_tail(text, out, length);
    used += add_file_tail(text + used, wfa_child_log(child));
    while (used > 0 && (text[used - 1] == '\n' || text[used - 1] == '\0'))
        used--;
    return any_text(text, used);
}

static json_t *read_reason(wfa_child *child)
{
    const char *message = wfa_child_message(child);
    char text[32];

    if (wfa_child_reason(child) != WFA_END_EXITED)
        return any_text(message, strlen(message));
    (void)snprintf(text, sizeof text, "exit status %d", wfa_child_code(child));
    return json_string(text);
}

json_t *wfa_command_result(wfa_child *child, json_t *argv)
{
    int by_itself = wfa_child_reason(child) == WFA_END_EXITED;

    return json_pack("{s:O, s:o, s:o, s:o, s:I}", "argv", argv, "exit_code",
                     by_itself ? json_integer(wfa_child_code(child)) : json_null(), "reason",
                     read_reason(child), "tail", read_tail(child), "duration_ms",
                     (json_int_t)wfa_child_duration(child));
}

int wfa_command_passed(const json_t *result)
{
    const json_t *code = json_object_get(result, "exit_code");

    return json_is_integer(code) && json_integer_value(code) == 0;
}
