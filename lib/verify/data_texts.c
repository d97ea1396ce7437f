/* verify/data_texts.c: texts that are compared, of each length, read as numbers, and in order. */
#include "verify/data_make.h"

#include <math.h>
#include <string.h>
#include "logic/json.h"

enum { MOST_DIFFERENT = 36 };

/* The texts of a length differ in their numbers, below MOST_DIFFERENT. */
static wf_value text_of_length(wf_arena *arena, size_t length, uint32_t number)
{
    static const char other[] = "other", digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char *text = wf_arena_take(arena, length + 1);
    if (!text)
        return wf_absent();
    for (size_t i = 0; i < length; i++)
        text[i] = other[i % (sizeof other - 1)];
    if (number > 0 && length > 0)
        text[length - 1] = digits[number];
    text[length] = '\0';
    return wf_string(text, length);
}

/* Texts as long as a rule asks for, one shorter or longer, and a long one. */
static void add_lengths_of_text(wf_data_classes *out, const wf_schema_group *all,
                                const wf_cone *wanted)
{
    for (uint32_t i = 0; i < 3u * wanted->constant_count; i++) {
        const wf_value *asked = &wanted->constants[i / 3];
        double length = asked->type == WF_NUMBER ? floor(asked->as.number) + i % 3 - 1 : -1;
        if (length >= 0 && length <= WF_DATA_LONGEST)
            wf_data_add_fitting(out, all, text_of_length(out->arena, (size_t)length, 0),
                                wanted);
    }
    wf_data_add_fitting(out, all, text_of_length(out->arena, WF_DATA_LONGEST, 0), wanted);
}

/* Texts that differ from the constants: one more than there are values of the context to compare them with. */
static void add_different(wf_data_classes *out, const wf_schema_group *all,
                          const wf_cone *wanted, size_t length)
{
    const uint32_t most = length == 0 ? 1 : (uint32_t)MOST_DIFFERENT;
    uint32_t needed = wanted ? wanted->link_count + 1u : 1;
    for (uint32_t i = 0; i < most && needed > 0; i++) {
        const wf_value text = text_of_length(out->arena, length, i);
        if (text.type == WF_ABSENT || (wanted && wf_cone_has_constant(wanted, &text)))
            continue;
        wf_data_add_fitting(out, all, text, wanted);
        needed--;
    }
    out->cut |= needed > 0;
}

void wf_data_add_strings(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted)
{
    double least = WF_GROUP_LEAST(all, min_length, 0), most = WF_GROUP_MOST(all, max_length, 5);
    size_t length = least > 5 ? (size_t)least : most < 5 ? (size_t)most : 5;
    if (length > 10000)
        return;
    for (uint32_t i = 0; wanted && i < wanted->constant_count; i++)
        if (wanted->constants[i].type == WF_STRING)
            wf_data_add_fitting(out, all, wanted->constants[i], wanted);
    add_different(out, all, wanted, length);
    if (wanted && (wanted->truth || wanted->length))
        wf_data_add_fitting(out, all, wf_string_z(""), wanted);
    if (wanted && wanted->length)
        add_lengths_of_text(out, all, wanted);
}

/* Texts that operators read as numbers. Those that are infinite can be compared, and not be calculated with. */
void wf_data_add_number_texts(wf_data_classes *out, const wf_schema_group *all,
                              const wf_cone *wanted)
{
    const wf_schema_group any = {0};
    wf_data_classes numbers = {.arena = out->arena};
    wf_data_add_numbers(&numbers, &any, wanted);
    for (uint32_t i = 0; i < numbers.count; i++) {
        char text[WF_NUMBER_BYTES];
        size_t length = wf_number_text(numbers.list[i].as.number, text);
        wf_data_add_fitting(out, all, wf_string_copy(out->arena, text, length), wanted);
    }
    wf_data_add_fitting(out, all, wf_string_z("Infinity"), wanted);
    wf_data_add_fitting(out, all, wf_string_z("-Infinity"), wanted);
}

/* The next text after it, as a readable one if that is less than the next constant. */
static wf_value text_after(const wf_data_classes *out, const wf_cone *wanted,
                           const wf_value *text)
{
    char *made = wf_arena_take(out->arena, text->length + 2u);
    if (!made)
        return wf_absent();
    memcpy(made, text->as.text, text->length);
    made[text->length] = ' ';
    made[text->length + 1u] = '\0';
    for (uint32_t i = 0; i < wanted->constant_count; i++) {
        const wf_value *other = &wanted->constants[i];
        if (other->type == WF_STRING && strcmp(other->as.text, text->as.text) > 0 &&
            strcmp(other->as.text, made) <= 0)
            made[text->length] = '\x01';
    }
    return wf_string(made, text->length + 1u);
}

/* Texts before, between and after those that a text is compared with. */
void wf_data_add_ordered_texts(wf_data_classes *out, const wf_schema_group *all,
                               const wf_cone *wanted)
{
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        if (wanted->constants[i].type == WF_STRING)
            wf_data_add_fitting(out, all, text_after(out, wanted, &wanted->constants[i]),
                                wanted);
    wf_data_add_fitting(out, all, wf_string_z(""), wanted);
}
