/* What an invocation asks of people: who may vote, and how many approvals or rejections decide. A
 * person is an agent whose result arrives as votes (votes.c). */
#include "step/step.h"

#include <string.h>
#include "base/buffer.h"
#include "base/utf8.h"
#include "logic/json.h"

enum { MOST_VOTES = 1000 };

uint32_t wf_approval_count(const wf_value *input, const char *key)
{
    const wf_value *count = wf_value_get_z(input, key);
    if (!count || count->type == WF_NULL)
        return 1;
    if (count->type != WF_NUMBER || count->as.number < 1 || count->as.number > MOST_VOTES ||
        count->as.number != (double)(uint32_t)count->as.number)
        return 0;
    return (uint32_t)count->as.number;
}

uint32_t wf_approval_voters(const wf_value *input)
{
    const wf_value *people = wf_value_get_z(input, "people");
    return people && people->type == WF_ARRAY ? people->length : UINT32_MAX;
}

static bool is_name(const wf_value *value)
{
    return value->type == WF_STRING && wf_id_valid(value->as.text);
}

bool wf_approval_asks(const wf_value *input, const char *by)
{
    const wf_value *people = wf_value_get_z(input, "people");
    if (!people || people->type != WF_ARRAY)
        return true;
    for (uint32_t i = 0; i < people->length; i++)
        if (strcmp(people->as.items[i].as.text, by) == 0)
            return true;
    return false;
}

/* Names, each once: a name that is there twice would count as two people. */
static bool are_people(const wf_value *people)
{
    if (people->type != WF_ARRAY || people->length > MOST_VOTES)
        return false;
    for (uint32_t i = 0; i < people->length; i++) {
        if (!is_name(&people->as.items[i]))
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(people->as.items[i].as.text, people->as.items[j].as.text) == 0)
                return false;
    }
    return true;
}

const char *wf_approval_error(const wf_value *input)
{
    const wf_value *people = input->type == WF_OBJECT ? wf_value_get_z(input, "people") : NULL;
    uint32_t quorum = 1, rejections = 1;
    if (input->type == WF_OBJECT) {
        quorum = wf_approval_count(input, "quorum");
        rejections = wf_approval_count(input, "rejections");
    }
    if (quorum == 0 || rejections == 0)
        return "`quorum` and `rejections` of a person's input are whole numbers from 1 to 1000";
    if (!people || people->type == WF_NULL)
        return NULL;
    if (!are_people(people))
        return "`people` of a person's input is a list of at most 1000 different names";
    if (quorum > people->length || rejections > people->length)
        return "more people are needed than `people` of a person's input names";
    return NULL;
}

bool wf_approval_digest(const wf_value *input, const wfsm_allocator *allocator,
                        char digest[WF_DIGEST_HEX])
{
    wf_buffer text;
    wf_buffer_init(&text, allocator);
    wf_json_write(&text, input);
    bool good = !text.failed;
    if (good)
        wf_digest_of(text.data, text.length, digest);
    wf_buffer_fini(&text);
    return good;
}
