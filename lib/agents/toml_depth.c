#include "toml_depth.h"

#include <string.h>

#include "../base/invariant.h"

typedef struct scan {
    const char *at, *end;
    const char *line; /* where it begins */
    unsigned lines;
    unsigned depth, parts; /* brackets that are open; dots of this key */
} scan;

static int is_at(const scan *self, const char *text, size_t length)
{
    return (size_t)(self->end - self->at) >= length && memcmp(self->at, text, length) == 0;
}

static void skip_byte(scan *self)
{
    if (*self->at++ == '\n') {
        self->lines++;
        self->line = self->at;
    }
}

/* A string of several lines. Up to two quotes more than three at its end belong to it. */
static void skip_long_string(scan *self, char quote)
{
    const char three[] = {quote, quote, quote};
    int more = 2;

    self->at += 3;
    while (self->at < self->end && !is_at(self, three, 3)) {
        if (*self->at == '\\' && quote == '"')
            skip_byte(self);
        if (self->at < self->end)
            skip_byte(self);
    }
    if (self->at < self->end)
        self->at += 3;
    while (more-- > 0 && is_at(self, &quote, 1))
        self->at++;
}

/* A line that ends within the string is a mistake, which the parser reports. */
static void skip_string(scan *self, char quote)
{
    const char three[] = {quote, quote, quote};

    if (is_at(self, three, 3)) {
        skip_long_string(self, quote);
        return;
    }
    self->at++;
    while (self->at < self->end && *self->at != quote && *self->at != '\n')
        self->at += *self->at == '\\' && quote == '"' && self->end - self->at > 1 ? 2 : 1;
    if (is_at(self, &quote, 1))
        self->at++;
}

static void skip_comment(scan *self)
{
    while (self->at < self->end && *self->at != '\n')
        self->at++;
}

/* Takes one byte outside strings and comments. Whatever ends a key starts its count again. A dot
 * of a number counts, too, which is harmless: a number has one. */
static void take(scan *self)
{
    switch (*self->at) {
    case '.':
        self->parts++;
        break;
    case '[':
    case '{':
        self->depth++;
        self->parts = 0;
        break;
    case ']':
    case '}':
        self->depth -= self->depth > 0;
        self->parts = 0;
        break;
    case '=':
    case ',':
    case '\n':
        self->parts = 0;
        break;
    default:
        break;
    }
    skip_byte(self);
}

static void step(scan *self)
{
    if (*self->at == '"' || *self->at == '\'')
        skip_string(self, *self->at);
    else if (*self->at == '#')
        skip_comment(self);
    else
        take(self);
}

int wfa_toml_is_too_deep(const char *text, size_t length, wfa_toml_place *place)
{
    scan self = {.at = text, .end = text + length, .line = text, .lines = 1};

    while (self.at < self.end && self.depth <= WFA_TOML_DEPTH && self.parts < WFA_TOML_DEPTH)
        step(&self);
    WF_INVARIANT(self.at <= self.end && self.line <= self.at);
    if (self.depth <= WFA_TOML_DEPTH && self.parts < WFA_TOML_DEPTH)
        return 0;
    *place = (wfa_toml_place){self.lines, (unsigned)(self.at - self.line)};
    return 1;
}
