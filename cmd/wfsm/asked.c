#include "wfsm/asked.h"

#include <string.h>

/* Only people's invocations have a digest. */
static json_t *only_people(json_t *all)
{
    json_t *people = cli_need(json_array()), *one;
    size_t index;
    json_array_foreach(all, index, one) if (json_object_get(one, "digest"))
        json_array_append(people, one);
    json_decref(all);
    return people;
}

json_t *asked_of(wfsm_store *store, const stored_head *head)
{
    stored_instance loaded;
    json_t *asked = NULL;
    size_t length = 0;
    if (stored_load(&loaded, store, head)) {
        const char *text = wfsm_instance_invocations(loaded.instance, &length);
        asked =
            only_people(cli_need(json_loadb(text ? text : "[]", text ? length : 2, 0, NULL)));
    }
    stored_unload(&loaded);
    return asked;
}

const char *asked_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

const json_t *asked_find(const json_t *asked, const char *invocation)
{
    const json_t *one;
    size_t index;
    json_array_foreach(asked, index,
                       one) if (strcmp(asked_text(one, "id"), invocation) == 0) return one;
    return NULL;
}

size_t asked_votes(const json_t *asked, const char *decision)
{
    const json_t *vote;
    size_t index, count = 0;
    json_array_foreach(json_object_get(asked, "votes"), index, vote) count +=
        strcmp(asked_text(vote, "decision"), decision) == 0;
    return count;
}

json_int_t asked_count(const json_t *asked, const char *key)
{
    const json_t *count = json_object_get(json_object_get(asked, "input"), key);
    return json_is_number(count) ? (json_int_t)json_number_value(count) : 1;
}
