#include "follow.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files.h"
#include "run_logs.h"
#include "signals.h"
#include "text.h"
#include "wfsm/shown.h"

enum { PAUSE_MS = 200, WORDS_SIZE = 200 };

/* A file, and how much of it was shown. */
typedef struct follower {
    char *name;
    long shown;
} follower;

typedef struct followers {
    const host_following *what;
    follower *list;
    size_t count;
    char last[256]; /* the file of the last line */
} followers;

static long *shown_of(followers *self, const char *name)
{
    follower *longer;
    size_t index;

    for (index = 0; index < self->count; index++)
        if (strcmp(self->list[index].name, name) == 0)
            return &self->list[index].shown;
    longer = realloc(self->list, (self->count + 1) * sizeof *longer);
    if (!longer)
        return NULL;
    self->list = longer;
    longer[self->count] = (follower){strdup(name), 0};
    return longer[self->count].name ? &longer[self->count++].shown : NULL;
}

static void describe(const followers *self, const char *name, char words[WORDS_SIZE])
{
    *words = '\0';
    if (self->what->describe)
        self->what->describe(self->what->user, name, words, WORDS_SIZE);
}

static void show_name(followers *self, const char *name)
{
    char words[WORDS_SIZE];

    if (strcmp(self->last, name) == 0)
        return;
    (void)snprintf(self->last, sizeof self->last, "%s", name);
    describe(self, name, words);
    shown_printf("==> %s%s%s <==\n", words, *words ? ", " : "", name);
}

static void show_object(const followers *self, const char *name, char *text, size_t length)
{
    char words[WORDS_SIZE];
    json_t *made;

    describe(self, name, words);
    host_text_make_plain(text, length);
    made = json_pack("{s:s, s:s%, s:s*}", "file", name, "text", text, length, "agent",
                     *words ? words : NULL);
    shown_json(made, stdout, JSON_COMPACT);
    shown_puts("");
    json_decref(made);
}

static void show_more(followers *self, const char *name, FILE *in, long *shown)
{
    char block[4096];
    size_t length;

    if (fseek(in, *shown, SEEK_SET) != 0)
        return;
    while ((length = fread(block, 1, sizeof block, in)) > 0) {
        if (self->what->is_json && length == sizeof block) {
            length = host_text_whole(block, length);
            (void)fseek(in, *shown + (long)length, SEEK_SET);
        }
        if (self->what->is_json) {
            show_object(self, name, block, length);
        } else {
            show_name(self, name);
            shown_text(stdout, block, length);
        }
        *shown += (long)length;
    }
    (void)fflush(stdout);
}

/* stdout and stderr; the other files are the library's own. */
static int is_output(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".out") == 0 || strcmp(dot, ".log") == 0);
}

static void show_file(followers *self, const char *name)
{
    long *shown = is_output(name) ? shown_of(self, name) : NULL;
    char *path = shown ? host_path_join(self->what->folder, name) : NULL;
    FILE *in = path ? fopen(path, "r") : NULL;

    if (in) {
        show_more(self, name, in, shown);
        (void)fclose(in);
    }
    free(path);
}

static void show_all(followers *self)
{
    host_run_logs list;
    size_t index;

    if (host_run_logs_read(&list, self->what->folder, self->what->id, self->what->children) !=
        0)
        return;
    for (index = 0; index < list.count; index++)
        show_file(self, list.names[index]);
    host_run_logs_clear(&list);
}

/* What was written before the end is shown as well: it is looked at once more after that. */
int host_follow(const host_following *what)
{
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    followers self = {.what = what};
    int over = 0;

    while (!over && !host_signals_asked()) {
        over = what->is_over(what->user);
        if (over >= 0)
            show_all(&self);
        if (!over)
            (void)nanosleep(&pause, NULL);
    }
    while (self.count > 0)
        free(self.list[--self.count].name);
    free(self.list);
    return over < 0 ? -1 : 0;
}
