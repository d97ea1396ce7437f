/* Each part of a dotted key is a table inside the one before, and toml++ frees tables by recursion:
 * a key of 50,000 parts ends the process. So such keys are found before toml++ reads the text. */
#include "toml_keys.h"

#include <string.h>

typedef struct reader {
    const char *text;
    size_t length, at;
} reader;

static int looking_at(const reader *self, const char *word)
{
    size_t length = strlen(word);

    return self->length - self->at >= length &&
           memcmp(self->text + self->at, word, length) == 0;
}

static void skip_comment(reader *self)
{
    while (self->at < self->length && self->text[self->at] != '\n')
        self->at++;
}

/* From the opening quotes to behind the closing ones. A string of one line also ends where its line
 * does. */
static void skip_string(reader *self)
{
    char quote[] = {self->text[self->at], self->text[self->at], self->text[self->at], '\0'};
    int escapes = *quote == '"', lines = looking_at(self, quote);

    if (!lines)
        quote[1] = '\0';
    self->at += strlen(quote);
    while (self->at < self->length && !looking_at(self, quote) &&
           (lines || self->text[self->at] != '\n'))
        self->at += escapes && self->text[self->at] == '\\' ? 2 : 1;
    if (self->at < self->length)
        self->at += strlen(quote);
    if (self->at > self->length)
        self->at = self->length;
}

static void find_place(const reader *self, size_t *line, size_t *column)
{
    size_t index;

    *line = *column = 1;
    for (index = 0; index < self->at; index++) {
        *column = self->text[index] == '\n' ? 1 : *column + 1;
        *line += self->text[index] == '\n';
    }
}

int wfa_toml_long_key(const char *text, size_t length, size_t *line, size_t *column)
{
    reader self = {text, length, 0};
    size_t dots = 0;

    while (self.at < length) {
        char byte = text[self.at];
        if (byte == '#') {
            skip_comment(&self);
            continue;
        }
        if (byte == '"' || byte == '\'') {
            skip_string(&self);
            continue;
        }
        if (memchr("=,[]{}\n", byte, 7))
            dots = 0;
        dots += byte == '.';
        if (dots == WFA_KEY_PARTS) {
            find_place(&self, line, column);
            return 1;
        }
        self.at++;
    }
    return 0;
}
