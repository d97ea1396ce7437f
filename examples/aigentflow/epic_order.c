#include "epic_order.h"

#include <stdio.h>
#include <string.h>

#include "aigentflow.h"

enum { CIRCLE_SIZE = 600 };

static const char *id_of(const json_t *feature)
{
    return json_string_value(json_object_get(feature, "featureId"));
}

static json_t *needs_of(const json_t *feature)
{
    return json_object_get(feature, "dependsOn");
}

/* ---- what is named ---- */

static json_t *by_id(const json_t *features)
{
    json_t *known = json_object(), *feature;
    size_t index;

    json_array_foreach(features, index, feature)
        json_object_set(known, id_of(feature), feature);
    return known;
}

static int refuse(const char *path, size_t index, const char *why, const char *which)
{
    print_error("%s: feature %zu: dependsOn: %s%s", path, index + 1, why, which);
    return -1;
}

static int check_names(const char *path, size_t index, const json_t *feature,
                       const json_t *known)
{
    const json_t *needs = needs_of(feature), *name;
    size_t at;

    if (needs && !json_is_array(needs))
        return refuse(path, index, "expected a list of featureIds", "");
    json_array_foreach(needs, at, name)
    {
        if (!json_is_string(name))
            return refuse(path, index, "expected a list of featureIds", "");
        if (!json_object_get(known, json_string_value(name)))
            return refuse(path, index, "there is no feature ", json_string_value(name));
    }
    return 0;
}

static int check_all_names(const char *path, const json_t *features, const json_t *known)
{
    const json_t *feature;
    size_t index;

    json_array_foreach(features, index, feature)
    {
        if (check_names(path, index, feature, known) != 0)
            return -1;
    }
    return 0;
}

/* ---- the order ---- */

static int is_ready(const json_t *feature, const json_t *placed)
{
    const json_t *name;
    size_t index;

    json_array_foreach(needs_of(feature), index, name)
    {
        if (!json_object_get(placed, json_string_value(name)))
            return 0;
    }
    return 1;
}

/* One round: what needs only features of earlier rounds. The rest stays. */
static json_t *place_ready(const json_t *left, json_t *placed, json_t *ordered)
{
    json_t *rest = json_array(), *round = json_array(), *feature;
    size_t index;

    json_array_foreach(left, index, feature)
        json_array_append(is_ready(feature, placed) ? round : rest, feature);
    json_array_foreach(round, index, feature)
        json_object_set_new(placed, id_of(feature), json_true());
    json_array_extend(ordered, round);
    json_decref(round);
    return rest;
}

/* Every feature that is left needs another one that is left: following these comes round. */
static const json_t *next_of(const json_t *feature, const json_t *placed, const json_t *known)
{
    const json_t *name;
    size_t index;

    json_array_foreach(needs_of(feature), index, name)
    {
        if (!json_object_get(placed, json_string_value(name)))
            return json_object_get(known, json_string_value(name));
    }
    return NULL;
}

static void add_name(char text[CIRCLE_SIZE], const char *name)
{
    size_t length = strlen(text);

    (void)snprintf(text + length, CIRCLE_SIZE - length, "%s%s", length > 0 ? " → " : "", name);
}

static size_t index_of(const json_t *features, const json_t *wanted)
{
    const json_t *feature;
    size_t index;

    json_array_foreach(features, index, feature)
    {
        if (feature == wanted)
            break;
    }
    return index;
}

static int refuse_circle(const char *path, const json_t *features, const json_t *first,
                         const json_t *placed, const json_t *known)
{
    json_t *seen = json_object();
    const json_t *one = first, *begin;
    char text[CIRCLE_SIZE] = "";

    while (!json_object_get(seen, id_of(one))) {
        json_object_set_new(seen, id_of(one), json_true());
        one = next_of(one, placed, known);
    }
    begin = one;
    do {
        add_name(text, id_of(one));
        one = next_of(one, placed, known);
    } while (one != begin);
    add_name(text, id_of(begin));
    json_decref(seen);
    return refuse(path, index_of(features, begin), "it depends on itself: ", text);
}

static int order(const char *path, json_t *features, const json_t *known)
{
    json_t *placed = json_object(), *ordered = json_array(), *left = json_copy(features);
    int wrong = 0;

    while (json_array_size(left) > 0 && !wrong) {
        json_t *rest = place_ready(left, placed, ordered);
        if (json_array_size(rest) == json_array_size(left))
            wrong = refuse_circle(path, features, json_array_get(rest, 0), placed, known);
        json_decref(left);
        left = rest;
    }
    if (!wrong) {
        json_array_clear(features);
        json_array_extend(features, ordered);
    }
    json_decref(left);
    json_decref(ordered);
    json_decref(placed);
    return wrong;
}

int epic_order(const char *path, json_t *features)
{
    json_t *known = by_id(features);
    int wrong = check_all_names(path, features, known);

    if (wrong == 0)
        wrong = order(path, features, known);
    json_decref(known);
    return wrong;
}
