#include "progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text_buffer.h"

enum { LINE_ROOM = 1024, USUAL_WIDTH = 80, USUAL_HEIGHT = 24 };

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

/* A terminal that can do more than print. */
static int is_terminal(FILE *out)
{
    const char *terminal = getenv("TERM");
    int fd = fileno(out);

    return fd >= 0 && isatty(fd) && terminal && strcmp(terminal, "dumb") != 0;
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

void wfa_progress_begin(wfa_progress *progress, FILE *out, int64_t now)
{
    progress->out = out;
    progress->begun = now;
    progress->terminal = is_terminal(out);
    progress->colour = progress->terminal && !is_set("NO_COLOR");
    progress->unicode = locale_is_utf8();
    progress->live = NULL;
    progress->live_lines = 0;
    progress->told = 0;
    progress->next_kept = 0;
    memset(progress->kept, 0, sizeof progress->kept);
}

const char *wfa_duration(int64_t ms, char text[WFA_DURATION_SIZE])
{
    int64_t s = ms / 1000, m = s / 60, h = m / 60;

    if (ms < 1000)
        (void)snprintf(text, WFA_DURATION_SIZE, "%" PRId64 "ms", ms > 0 ? ms : 0);
    else if (s < 60)
        (void)snprintf(text, WFA_DURATION_SIZE, "%" PRId64 ".%" PRId64 "s", s, ms % 1000 / 100);
    else if (m < 60)
        (void)snprintf(text, WFA_DURATION_SIZE, "%" PRId64 "m%02" PRId64 "s", m, s % 60);
    else if (h < 24)
        (void)snprintf(text, WFA_DURATION_SIZE, "%" PRId64 "h%02" PRId64 "m", h, m % 60);
    else
        (void)snprintf(text, WFA_DURATION_SIZE, "%" PRId64 "d%02" PRId64 "h", h / 24, h % 24);
    return text;
}

static const char *tone_code(const wfa_progress *progress, wfa_tone tone)
{
    static const char *const codes[] = {[WFA_PLAIN] = "",
                                        [WFA_GOOD] = "\033[32m",
                                        [WFA_BAD] = "\033[31m",
                                        [WFA_QUIET] = "\033[2m"};

    return progress->colour ? codes[tone] : "";
}

/* ---- live lines ---- */

static void erase_live(wfa_progress *progress)
{
    if (progress->live_lines > 0)
        (void)fprintf(progress->out, "\033[%dA\033[J", progress->live_lines);
    progress->live_lines = 0;
}

static struct winsize size_of(const wfa_progress *progress)
{
    struct winsize size;

    if (ioctl(fileno(progress->out), TIOCGWINSZ, &size) != 0)
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

    while (at < length && columns < width - 1) {
        at++;
        while (at < length && ((unsigned char)line[at] & 0xC0) == 0x80)
            at++;
        columns++;
    }
    return at;
}

/* What stands above the screen cannot be erased, so there are fewer lines than rows. */
static void draw_line(wfa_progress *progress, const struct winsize *size, wfa_tone tone,
                      const char *line, size_t length)
{
    const char *colour = tone_code(progress, tone);

    if (progress->live_lines >= WFA_LIVE_MOST || progress->live_lines >= size->ws_row - 1)
        return;
    (void)fprintf(progress->out, "%s%.*s%s\n", colour, (int)fitting(line, length, size->ws_col),
                  line, *colour ? "\033[0m" : "");
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
static void draw_kept(wfa_progress *progress, const struct winsize *size)
{
    long live = count_lines(progress->live) + WFA_KEPT;
    int index;

    for (index = 0; index < WFA_KEPT; index++) {
        const wfa_kept *one = &progress->kept[(progress->next_kept + index) % WFA_KEPT];

        if (one->number > 0 && progress->told - one->number + live >= size->ws_row)
            draw_line(progress, size, WFA_BAD, one->text, strlen(one->text));
    }
}

static void draw_live(wfa_progress *progress)
{
    const char *line = progress->live, *end;
    struct winsize size = size_of(progress);

    if (line && *line)
        draw_kept(progress, &size);
    for (; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            break;
        draw_line(progress, &size, WFA_PLAIN, line, (size_t)(end - line));
    }
    (void)fflush(progress->out);
}

static void keep(wfa_progress *progress, const char *head, const char *text)
{
    wfa_kept *one = &progress->kept[progress->next_kept];
    size_t length;

    one->number = progress->told;
    (void)snprintf(one->text, sizeof one->text, "%.100s%.154s", head, text);
    length = strlen(one->text);
    while (length > 200 && (unsigned char)one->text[length - 1] >= 0x80)
        one->text[--length] = '\0'; /* perhaps half a character */
    progress->next_kept = (progress->next_kept + 1) % WFA_KEPT;
}

/* One write for one line: lines of several processes do not mix. Bytes above ASCII pass
 * only into a UTF-8 locale. */
static void put_line(wfa_progress *progress, int64_t now, const char *instance, wfa_tone tone,
                     const char *text)
{
    const char *colour = tone_code(progress, tone);
    int64_t since = now > progress->begun ? now - progress->begun : 0;
    char head[LINE_ROOM];

    (void)snprintf(head, sizeof head, "[%6" PRId64 ".%" PRId64 "s] %s%s", since / 1000,
                   since % 1000 / 100, instance ? instance : "", instance ? "  " : "");
    erase_live(progress);
    (void)fprintf(progress->out, "%s%s%s%s\n", head, colour, text, *colour ? "\033[0m" : "");
    progress->told++;
    if (tone == WFA_BAD)
        keep(progress, head, text);
    draw_live(progress);
}

static void make_harmless(const wfa_progress *progress, char *text)
{
    char *at;

    wfa_text_make_line(text);
    for (at = text; *at && !progress->unicode; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
}

static void put_cleaned(wfa_progress *progress, int64_t now, const char *instance,
                        wfa_tone tone, char *text)
{
    char name[256];

    make_harmless(progress, text);
    if (instance) {
        (void)snprintf(name, sizeof name, "%s", instance);
        make_harmless(progress, name);
        instance = name;
    }
    put_line(progress, now, instance, tone, text);
}

static void make_lines_harmless(const wfa_progress *progress, char *text)
{
    char *line = text, *end;

    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        make_harmless(progress, line);
        *end = '\n';
    }
    *line = '\0'; /* no line: it has no line break */
}

void wfa_progress_live(wfa_progress *progress, const char *text)
{
    if (!progress->terminal || (progress->live && strcmp(progress->live, text) == 0))
        return;
    erase_live(progress);
    free(progress->live);
    progress->live = strdup(text);
    if (progress->live)
        make_lines_harmless(progress, progress->live);
    draw_live(progress);
}

void wfa_progress_end(wfa_progress *progress)
{
    if (progress->live_lines > 0) {
        erase_live(progress);
        (void)fflush(progress->out);
    }
    free(progress->live);
    progress->live = NULL;
}

void wfa_progress_line(wfa_progress *progress, int64_t now, const char *instance, wfa_tone tone,
                       const char *format, ...)
{
    char text[LINE_ROOM];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_cleaned(progress, now, instance, tone, text);
}

void wfa_progress_transition(wfa_progress *progress, int64_t now, const char *instance,
                             const char *from, const char *to, const char *note, wfa_tone tone)
{
    const char *arrow = progress->unicode ? " \xE2\x86\x92 " : " -> ";
    char text[LINE_ROOM];

    (void)snprintf(text, sizeof text, "%s%s%s%s%s", from ? from : "", from ? arrow : "", to,
                   note ? "  " : "", note ? note : "");
    put_cleaned(progress, now, instance, tone, text);
}
