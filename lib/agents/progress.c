#include <wfsm/agents.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../base/invariant.h"
#include "../base/sized.h"
#include "progress_lines.h"

enum { LINE_ROOM = 1024, OUT_ROOM = 3 * LINE_ROOM, USUAL_WIDTH = 80, USUAL_HEIGHT = 24 };
static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

/* A terminal that can do more than print. */
static int is_terminal(int descriptor)
{
    const char *terminal = getenv("TERM");

    return isatty(descriptor) && terminal && strcmp(terminal, "dumb") != 0;
}

/* The environment is asked and not setlocale(), which would change the whole program. */
static int locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *charset;
    size_t index;

    for (index = 0; index < sizeof names / sizeof names[0]; index++) {
        if (!is_set(names[index]))
            continue;
        charset = strchr(getenv(names[index]), '.');
        return charset && (strncasecmp(charset, ".utf-8", 6) == 0 ||
                           strncasecmp(charset, ".utf8", 5) == 0);
    }
    return 0;
}

static void write_stdout(void *user, const char *bytes, size_t length)
{
    (void)user;
    (void)fwrite(bytes, 1, length, stdout);
    (void)fflush(stdout);
}

int32_t wfsm_progress_new(wfsm_progress **progress, const wfsm_progress_options *options,
                          wfsm_error *error)
{
    wfsm_progress_options given = {.size = sizeof given};
    wfsm_progress *made;

    if (!progress ||
        (options && !wf_struct_check(&given, sizeof given, options, sizeof given.size)))
        return wfsm_error_set(error, WFSM_INVALID, "expected options of this version");
    *progress = NULL;
    made = calloc(1, sizeof *made);
    if (!made)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    made->to = given;
    if (!given.write)
        made->to.write = write_stdout;
    if (given.descriptor == 0)
        made->to.descriptor = STDOUT_FILENO;
    made->terminal = is_terminal(made->to.descriptor);
    made->colour = made->terminal && !is_set("NO_COLOR");
    made->unicode = locale_is_utf8();
    *progress = made;
    return WFSM_OK;
}

int32_t wfsm_progress_is_terminal(const wfsm_progress *progress)
{
    return progress && progress->terminal;
}

int32_t wfsm_progress_is_unicode(const wfsm_progress *progress)
{
    return progress && progress->unicode;
}

static void put(const wfsm_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* In one piece, so that lines of several processes do not mix. */
static void put(const wfsm_progress *progress, const char *format, ...)
{
    char text[OUT_ROOM];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text)
        length = (int)sizeof text - 1;
    if (length > 0)
        progress->to.write(progress->to.user, text, (size_t)length);
}

const char *wfsm_progress_duration(int64_t ms, char *text)
{
    int64_t s = ms / 1000, m = s / 60, h = m / 60;

    if (ms < 1000)
        (void)snprintf(text, WFSM_DURATION_SIZE, "%" PRId64 "ms", ms > 0 ? ms : 0);
    else if (s < 60)
        (void)snprintf(text, WFSM_DURATION_SIZE, "%" PRId64 ".%" PRId64 "s", s,
                       ms % 1000 / 100);
    else if (m < 60)
        (void)snprintf(text, WFSM_DURATION_SIZE, "%" PRId64 "m%02" PRId64 "s", m, s % 60);
    else if (h < 24)
        (void)snprintf(text, WFSM_DURATION_SIZE, "%" PRId64 "h%02" PRId64 "m", h, m % 60);
    else
        (void)snprintf(text, WFSM_DURATION_SIZE, "%" PRId64 "d%02" PRId64 "h", h / 24, h % 24);
    return text;
}

static const char *tone_code(const wfsm_progress *progress, int32_t tone)
{
    static const char *const codes[] = {[WFSM_TONE_PLAIN] = "",
                                        [WFSM_TONE_GOOD] = "\033[32m",
                                        [WFSM_TONE_BAD] = "\033[31m",
                                        [WFSM_TONE_QUIET] = "\033[2m"};

    int known = tone >= WFSM_TONE_PLAIN && tone <= WFSM_TONE_QUIET;

    return progress->colour && known ? codes[tone] : "";
}

/* ---- live lines ---- */

static void erase_live(wfsm_progress *progress)
{
    WF_INVARIANT(progress->live_lines <= WFA_MOST_LIVE);
    if (progress->live_lines > 0)
        put(progress, "\033[%dA\033[J", progress->live_lines);
    progress->live_lines = 0;
}

static struct winsize size_of(const wfsm_progress *progress)
{
    struct winsize size;

    if (ioctl(progress->to.descriptor, TIOCGWINSZ, &size) != 0)
        size.ws_col = size.ws_row = 0;
    if (size.ws_col == 0)
        size.ws_col = USUAL_WIDTH;
    if (size.ws_row == 0)
        size.ws_row = USUAL_HEIGHT;
    return size;
}

/* A line that wrapped would be two, and the next erasure would leave one of them. */
static size_t fitting(const char *line, size_t length, int width)
{
    size_t at = 0;
    int columns = 0;

    while (at < length && at < LINE_ROOM && columns < width - 1) {
        at++;
        while (at < length && ((unsigned char)line[at] & 0xC0) == 0x80)
            at++;
        columns++;
    }
    return at;
}

/* Lines above the screen cannot be erased, so there are fewer lines than rows. */
static void draw_line(wfsm_progress *progress, const struct winsize *size, int32_t tone,
                      const char *line, size_t length)
{
    const char *colour = tone_code(progress, tone);

    if (progress->live_lines >= WFA_MOST_LIVE || progress->live_lines >= size->ws_row - 1)
        return;
    put(progress, "%s%.*s%s\n", colour, (int)fitting(line, length, size->ws_col), line,
        *colour ? "\033[0m" : "");
    progress->live_lines++;
}

static int count_lines(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Bad news that has left the screen, the oldest first. */
static void draw_kept(wfsm_progress *progress, const struct winsize *size)
{
    long live = count_lines(progress->live) + WFA_KEPT;
    int index;

    for (index = 0; index < WFA_KEPT; index++) {
        const wfa_kept_line *one = &progress->kept[(progress->next_kept + index) % WFA_KEPT];

        WF_INVARIANT(one->number <= progress->told);
        if (one->number > 0 && progress->told - one->number + live >= size->ws_row)
            draw_line(progress, size, WFSM_TONE_BAD, one->text, strlen(one->text));
    }
}

static void draw_live(wfsm_progress *progress)
{
    const char *line = progress->live, *end;
    struct winsize size = size_of(progress);

    if (line && *line)
        draw_kept(progress, &size);
    for (; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            break;
        draw_line(progress, &size, WFSM_TONE_PLAIN, line, (size_t)(end - line));
    }
}

/* As many bytes as there may be at most, without half a character. */
static size_t whole_characters(const char *line, size_t most)
{
    size_t length = strnlen(line, most);

    while (line[length] && length > 0 && ((unsigned char)line[length] & 0xC0) == 0x80)
        length--;
    return length;
}

static void keep(wfsm_progress *progress, const char *head, const char *text)
{
    wfa_kept_line *one = &progress->kept[progress->next_kept];

    WF_INVARIANT(progress->next_kept < WFA_KEPT);
    one->number = progress->told;
    (void)snprintf(one->text, sizeof one->text, "%.*s%.*s", (int)whole_characters(head, 100),
                   head, (int)whole_characters(text, 154), text);
    progress->next_kept = (progress->next_kept + 1) % WFA_KEPT;
}

static void put_line(wfsm_progress *progress, int64_t now, const char *instance, int32_t tone,
                     const char *text)
{
    const char *colour = tone_code(progress, tone);
    int64_t since = now > progress->to.now ? now - progress->to.now : 0;
    char head[LINE_ROOM];

    WF_INVARIANT(!strchr(text, '\n')); /* erase_live() counts lines */
    (void)snprintf(head, sizeof head, "[%6" PRId64 ".%" PRId64 "s] %s%s", since / 1000,
                   since % 1000 / 100, instance ? instance : "", instance ? "  " : "");
    erase_live(progress);
    put(progress, "%s%s%s%s\n", head, colour, text, *colour ? "\033[0m" : "");
    progress->told++;
    if (tone == WFSM_TONE_BAD)
        keep(progress, head, text);
    draw_live(progress);
}

/* `form` is LINE, or TEXT for several lines. */
static void make_harmless(const wfsm_progress *progress, int32_t form, const char *text,
                          char *out, size_t room)
{
    (void)wfsm_text_escape(form, text, strlen(text), out, room);
    for (; *out; out++)
        if (*out == '\t' || (!progress->unicode && (unsigned char)*out >= 0x80))
            *out = *out == '\t' ? ' ' : '?';
}

static void put_cleaned(wfsm_progress *progress, int64_t now, const char *instance,
                        int32_t tone, const char *text)
{
    char line[LINE_ROOM], name[LINE_ROOM / 2];

    make_harmless(progress, WFSM_ESCAPE_LINE, text, line, sizeof line);
    if (instance)
        make_harmless(progress, WFSM_ESCAPE_LINE, instance, name, sizeof name);
    put_line(progress, now, instance ? name : NULL, tone, line);
}

/* A copy without what stands behind its last line break: that is no line. */
static char *harmless_lines(const wfsm_progress *progress, const char *text)
{
    size_t room = wfsm_text_escape(WFSM_ESCAPE_TEXT, text, strlen(text), NULL, 0) + 1;
    char *made = malloc(room), *end;

    if (!made)
        return NULL;
    make_harmless(progress, WFSM_ESCAPE_TEXT, text, made, room);
    end = strrchr(made, '\n');
    made[end ? end + 1 - made : 0] = '\0';
    return made;
}

void wfsm_progress_live(wfsm_progress *progress, const char *text)
{
    char *lines;

    if (!progress || !progress->terminal)
        return;
    if (!text)
        text = "";
    lines = harmless_lines(progress, text);
    if (lines && progress->live && strcmp(progress->live, lines) == 0) {
        free(lines);
        return;
    }
    erase_live(progress);
    free(progress->live);
    progress->live = lines;
    draw_live(progress);
}

void wfsm_progress_free(wfsm_progress *progress)
{
    if (!progress)
        return;
    erase_live(progress);
    free(progress->live);
    free(progress);
}

void wfsm_progress_line(wfsm_progress *progress, int64_t now, const char *instance,
                        int32_t tone, const char *text)
{
    if (progress && text)
        put_cleaned(progress, now, instance, tone, text);
}

void wfsm_progress_transition(wfsm_progress *progress, int64_t now,
                              const wfsm_progress_change *change)
{
    wfsm_progress_change of;
    const char *arrow;
    char text[LINE_ROOM];

    if (!progress ||
        !wf_struct_check(&of, sizeof of, change, WF_SIZE_UP_TO(wfsm_progress_change, to)))
        return;
    arrow = progress->unicode ? " \xE2\x86\x92 " : " -> ";
    (void)snprintf(text, sizeof text, "%s%s%s%s%s", of.from ? of.from : "",
                   of.from ? arrow : "", of.to ? of.to : "", of.note ? "  " : "",
                   of.note ? of.note : "");
    put_cleaned(progress, now, of.instance, of.tone, text);
}

void wfsm_progress_note(void *progress, const char *instance, const char *line)
{
    char text[LINE_ROOM];

    (void)snprintf(text, sizeof text, "    %s", line ? line : "");
    wfsm_progress_line(progress, wfsm_agents_now(), instance, WFSM_TONE_QUIET, text);
}
