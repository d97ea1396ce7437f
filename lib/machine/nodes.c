/* machine/nodes.c */
#include <math.h>
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

wf_node wf_node_item(const wf_node *array, size_t index)
{
    WF_INVARIANT(array->value->type == WF_ARRAY && index < array->value->length);
    return (wf_node){&array->value->as.items[index], {&array->place, NULL, 0, index}};
}

wf_node wf_node_member(const wf_node *object, size_t index)
{
    const wf_member *member = &object->value->as.members[index];

    WF_INVARIANT(object->value->type == WF_OBJECT && index < object->value->length);
    return (wf_node){&member->value, {&object->place, member->key, member->length, 0}};
}

bool wf_node_get(wf_node *out, const wf_node *object, const char *key)
{
    size_t length = strlen(key);
    const wf_value *value = wf_value_get(object->value, key, length);

    if (!value)
        return false;
    *out = (wf_node){value, {&object->place, key, length, 0}};
    return true;
}

const char *wf_type_words(const wf_value *value)
{
    static const char *const words[] = {"nothing",  "null",     "a boolean", "a number",
                                        "a string", "an array", "an object"};

    return words[value->type];
}

bool wf_expect(wf_load *load, const wf_node *node, enum wf_type type, const char *expected)
{
    if (node->value->type == type)
        return true;
    wf_load_error(load, node, "wrong-type", "expected %s, found %s", expected,
                  wf_type_words(node->value));
    return false;
}

bool wf_expect_name(wf_load *load, const wf_node *node, const char *what)
{
    if (!wf_expect(load, node, WF_STRING, what))
        return false;
    if (node->value->length >= 1 && node->value->length <= WF_NAME_MAX)
        return true;
    wf_load_error(load, node, "bad-name", "expected %s of 1 to %d bytes, found %u", what,
                  WF_NAME_MAX, node->value->length);
    return false;
}

static void report_word(wf_load *load, const wf_node *node, const char *const *words,
                        size_t count)
{
    char list[256];
    size_t used = 0;

    list[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]);

        if (used + length + 5 > sizeof list)
            break;
        if (i) {
            memcpy(list + used, ", ", 2);
            used += 2;
        }
        list[used++] = '"';
        memcpy(list + used, words[i], length);
        used += length;
        memcpy(list + used, "\"", 2);
        used++;
    }
    if (node->value->type == WF_STRING)
        wf_load_error(load, node, "bad-value", "expected one of %s, found \"%.*s\"", list,
                      wf_shown(node->value->length), node->value->as.text);
    else
        wf_load_error(load, node, "wrong-type", "expected one of %s, found %s", list,
                      wf_type_words(node->value));
}

size_t wf_expect_word(wf_load *load, const wf_node *node, const char *const *words,
                      size_t count)
{
    const wf_value *value = node->value;

    if (value->type == WF_STRING)
        for (size_t i = 0; i < count; i++)
            if (strlen(words[i]) == value->length &&
                !memcmp(words[i], value->as.text, value->length))
                return i;
    report_word(load, node, words, count);
    return count;
}

bool wf_expect_integer(wf_load *load, const wf_node *node, double least, double most,
                       double *number)
{
    if (!wf_expect(load, node, WF_NUMBER, "a whole number"))
        return false;
    *number = node->value->as.number;
    if (*number >= least && *number <= most && floor(*number) >= *number)
        return true;
    wf_load_error(load, node, "bad-value", "expected a whole number from %.0f to %.0f", least,
                  most);
    return false;
}

void wf_check_description(wf_load *load, const wf_node *object)
{
    wf_node node;

    if (wf_node_get(&node, object, "description"))
        wf_expect(load, &node, WF_STRING, "a string");
}

int wf_shown(size_t length)
{
    return length < 80 ? (int)length : 80;
}
