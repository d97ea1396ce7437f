#include "drawing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void put(chart *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(self->text + self->used, TEXT - self->used, format, arguments);
    va_end(arguments);
    self->used += (size_t)length;
    if (self->used >= TEXT) {
        fputs("a chart is too long\n", stderr);
        abort();
    }
}

bool chance_of(chart *self, uint32_t percent)
{
    return draw_percent(&self->random, percent);
}

static void put_path(chart *self, int number, int above)
{
    if (self->nodes[number].parent != above) {
        put_path(self, self->nodes[number].parent, above);
        put(self, ".");
    }
    put(self, "%s%d", self->prefix, number);
}

void put_id(chart *self, int number)
{
    put(self, "\"#");
    if (self->nodes[number].own_id)
        put(self, "%sid%d", self->prefix, number);
    else
        put_path(self, number, 0);
    put(self, "\"");
}

static bool inside(const chart *self, int number, int above)
{
    while (number != above && number != 0)
        number = self->nodes[number].parent;
    return number == above;
}

int draw_state(chart *self)
{
    return 1 + (int)draw(&self->random, (uint32_t)self->count - 1);
}

static int draw_inside(chart *self, int above)
{
    int number;
    do
        number = draw_state(self);
    while (number == above || !inside(self, number, above));
    return number;
}

/* Targets in different regions: a list. */
static bool apart(const chart *self, int a, int b)
{
    int up = a, below_a = a, below_b = b;
    if (inside(self, a, b) || inside(self, b, a))
        return false;
    while (!inside(self, b, up)) {
        below_a = up;
        up = self->nodes[up].parent;
    }
    while (self->nodes[below_b].parent != up)
        below_b = self->nodes[below_b].parent;
    return self->nodes[up].kind == PARALLEL && self->nodes[below_a].kind < SHALLOW &&
           self->nodes[below_b].kind < SHALLOW;
}

void put_targets(chart *self, int above)
{
    int first = draw_inside(self, above), second = draw_inside(self, above);
    bool both = apart(self, first, second);
    if (both)
        put(self, "[");
    put_id(self, first);
    if (both) {
        put(self, ",");
        put_id(self, second);
        put(self, "]");
    }
}
