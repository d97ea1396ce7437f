#include "opinion/values.h"

#include <math.h>
#include <string.h>

enum { ITEMS_MOST = 12, TEXT_MOST = 48, DEPTH_MOST = 3 };

json_t *value_json(double number)
{
    if (number == floor(number) && fabs(number) < 9e15)
        return json_integer((json_int_t)number);
    return json_real(number);
}

static double of_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double unit(chance *random)
{
    return (double)(draw_bits(random) >> 11) * 0x1p-53;
}

double value_number(chance *random)
{
    static const double steps[] = {0.5, 0.25, 0.1, 0.01, 1.0 / 3};
    uint32_t kind = draw(random, 100);
    double number = 0;
    if (kind < 40)
        number = (double)draw(random, 16) - 3;
    else if (kind < 60)
        number = unit(random);
    else if (kind < 75)
        number = ((double)draw(random, 200) - 60) * DRAW_FROM(random, steps);
    else if (kind < 85)
        number = (unit(random) - 0.3) * pow(10, draw(random, 7));
    else if (kind < 92)
        number = (double)draw(random, 20000) - 1000;
    else
        do
            number = of_bits(draw_bits(random));
        while (!isfinite(number));
    return draw_percent(random, 4)
               ? nextafter(number, draw_percent(random, 50) ? -1e300 : 1e300)
               : number;
}

/* ---- texts ---- */

static void add_piece(char *text, chance *random)
{
    static const char *const pieces[] = {"a", "b", "ab", "ba", "x", "-",
                                         ".", "/", "0",  "1",  "7", " "};
    char piece[32];
    size_t used = strlen(text);
    switch (draw(random, 14)) {
    case 0:
        snprintf(piece, sizeof piece, "20%02u-%02u-%02u", 20 + draw(random, 10),
                 1 + draw(random, 12), 1 + draw(random, 28));
        break;
    case 1:
        snprintf(piece, sizeof piece, "%d", (int)draw(random, 30) - 5);
        break;
    default:
        snprintf(piece, sizeof piece, "%s", DRAW_FROM(random, pieces));
    }
    if (used + strlen(piece) < TEXT_MOST)
        memcpy(text + used, piece, strlen(piece) + 1);
}

json_t *value_text(chance *random)
{
    static const char *const odd[] = {"",  "0x1F", " 12 ", "1e3", "NaN",
                                      "ü", "null", "true", "0"};
    char text[TEXT_MOST] = "";
    uint32_t count = draw(random, draw_percent(random, 80) ? 5 : 12);
    if (draw_percent(random, 12))
        return json_string(DRAW_FROM(random, odd));
    for (uint32_t i = 0; i < count; i++)
        add_piece(text, random);
    return json_string(text);
}

/* ---- by a shape ---- */

static json_t *of_kind(const json_t *shape, chance *random, int depth);

static json_t *any(chance *random, int depth)
{
    uint32_t kind = draw(random, depth < DEPTH_MOST ? 12 : 9);
    json_t *list;
    if (kind < 4)
        return value_json(value_number(random));
    if (kind < 7)
        return value_text(random);
    if (kind < 9)
        return kind == 7 ? json_null() : json_boolean(draw(random, 2));
    if (kind < 11) {
        list = json_array();
        for (uint32_t n = draw(random, 4); n > 0; n--)
            json_array_append_new(list, any(random, depth + 1));
        return list;
    }
    return json_pack("{s:o s:o}", "n", any(random, depth + 1), "s", any(random, depth + 1));
}

static double bound_of(const json_t *shape, const char *key, double otherwise)
{
    const json_t *bound = json_object_get(shape, key);
    return bound ? json_number_value(bound) : otherwise;
}

static json_t *number_of(const json_t *shape, chance *random, int whole)
{
    double low = bound_of(shape, "lo", -INFINITY), high = bound_of(shape, "hi", INFINITY);
    double number = value_number(random);
    if (isfinite(low) && isfinite(high) && draw_percent(random, 75))
        number = low + unit(random) * (high - low + (whole ? 1 : 0));
    if (draw_percent(random, 96))
        number = fmin(fmax(number, low), high);
    return value_json(whole ? floor(number) : number);
}

static json_t *list_of(const json_t *shape, chance *random, int depth)
{
    json_t *list = json_array();
    uint32_t most = draw_percent(random, 70) ? 4 : ITEMS_MOST + 1;
    for (uint32_t n = draw(random, most); n > 0; n--)
        json_array_append_new(list, of_kind(json_object_get(shape, "of"), random, depth + 1));
    return list;
}

static json_t *object_of(const json_t *shape, chance *random, int depth)
{
    json_t *fields = json_object_get(shape, "f"), *object = json_object(), *field;
    const char *name;
    json_object_foreach(fields, name, field)
    {
        if (draw_percent(random, 93))
            json_object_set_new(object, name, of_kind(field, random, depth + 1));
    }
    return object;
}

const char *value_name(chance *random)
{
    static const char *const names[] = {"ann", "bob", "cem", "dan"};
    return DRAW_FROM(random, names);
}

static json_t *of_kind(const json_t *shape, chance *random, int depth)
{
    const char *kind = json_string_value(json_object_get(shape, "k"));
    if (!kind || strcmp(kind, "any") == 0 || draw_percent(random, 3))
        return any(random, depth);
    if (strcmp(kind, "num") == 0 || strcmp(kind, "int") == 0)
        return number_of(shape, random, kind[0] == 'i');
    if (strcmp(kind, "str") == 0)
        return value_text(random);
    if (strcmp(kind, "name") == 0)
        return json_string(value_name(random));
    if (strcmp(kind, "bool") == 0)
        return json_boolean(draw(random, 2));
    if (strcmp(kind, "list") == 0)
        return list_of(shape, random, depth);
    return object_of(shape, random, depth);
}

json_t *value_of(const json_t *shape, chance *random)
{
    return of_kind(shape, random, 0);
}

/* ---- what is like another one ---- */

static json_t *number_near(double number, chance *random)
{
    switch (draw(random, 6)) {
    case 0:
        return value_json(nextafter(number, INFINITY));
    case 1:
        return value_json(nextafter(number, -INFINITY));
    case 2:
        return value_json(number + (double)draw(random, 5) - 2);
    case 3:
        return value_json(-number);
    case 4:
        return value_json(number * (0.5 + unit(random)));
    default:
        return value_json(value_number(random));
    }
}

static json_t *text_near(const char *old, chance *random)
{
    char text[2 * TEXT_MOST] = "";
    size_t length = strlen(old), at = draw(random, (uint32_t)length + 1);
    if (length >= TEXT_MOST)
        return value_text(random);
    switch (draw(random, 4)) {
    case 0: /* shorter */
        memcpy(text, old, at);
        break;
    case 1:
        add_piece(text, random);
        strcat(text, old);
        break;
    default:
        strcpy(text, old);
        add_piece(text, random);
    }
    /* Half of a character is no text. */
    json_t *made = json_string(text);
    return made ? made : value_text(random);
}

static json_t *list_near(const json_t *old, chance *random)
{
    json_t *list = json_deep_copy(old);
    size_t count = json_array_size(list);
    if (count == 0)
        return list;
    json_t *one = json_array_get(list, draw(random, (uint32_t)count));
    if (draw_percent(random, 40) || count >= ITEMS_MOST)
        json_array_remove(list, draw(random, (uint32_t)count));
    else
        json_array_append_new(list, json_deep_copy(one));
    return list;
}

json_t *value_near(const json_t *old, chance *random)
{
    json_t *made = NULL;
    if (json_is_number(old))
        made = number_near(json_number_value(old), random);
    else if (json_is_string(old))
        made = text_near(json_string_value(old), random);
    else if (json_is_array(old))
        made = list_near(old, random);
    /* Nothing is near a number that is not finite. */
    return made ? made : any(random, DEPTH_MOST);
}

/* ---- halfway ---- */

/* In the order of the doubles. */
static int64_t place_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double at_place(int64_t place)
{
    int64_t bits = place < 0 ? INT64_MIN - place : place;
    return of_bits((uint64_t)bits);
}

double value_between(double low, double high)
{
    int64_t a = place_of(low), b = place_of(high);
    return at_place((a & b) + ((a ^ b) >> 1));
}
