/* logic/expr_suspects.c: what compiles, but means something else in other implementations. */
#include "logic/expr_compile.h"

#include <string.h>

typedef struct foreign {
    const char *key;
    const char *word; /* wfsm's, or NULL */
    const char *message;
} foreign;

/* Operators that only others have. */
static const foreign operators[] = {
    {"eachKey", NULL,
     "\"eachKey\" is no operator, so this is data; an object of rules needs none"},
    {"keys", NULL, "\"keys\" is no operator, so this is data"},
    {"pipe", NULL, "\"pipe\" is no operator, so this is data; put one rule into the other"},
    {"every", "all", "\"every\" is no operator, so this is data; wfsm has \"all\""},
    {"not", "!", "\"not\" is no operator, so this is data; wfsm has \"!\""},
    {"stateIn", "in_state",
     "\"stateIn\" is no operator, so this is data; wfsm has \"in_state\""},
    {"xor", "!==", "\"xor\" is no operator, so this is data; wfsm has \"!==\""},
};

const char *wf_foreign_word(const char *key)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i].key, key) == 0)
            return operators[i].word;
    return NULL;
}

static void tell(const wf_compiler *c, const wf_place *place, const char *rule,
                 const char *message)
{
    if (c->to->suspect)
        c->to->suspect(c->to->user, place, rule, message);
}

/* Names that data hardly has as keys. */
static bool looks_like_operator(const wf_member *member)
{
    bool letters = member->length > 0 && ((member->key[0] | 0x20) >= 'a') &&
                   ((member->key[0] | 0x20) <= 'z');

    if (letters && strcmp(member->key, "var") != 0 && strcmp(member->key, "val") != 0)
        return false;
    return wf_operator_find(member->key, member->length) != NULL;
}

void wf_suspect_object(const wf_compiler *c, const wf_value *source, const wf_place *place)
{
    if (c->rules == 0)
        return;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (source->length == 1 && strcmp(source->as.members[0].key, operators[i].key) == 0)
            tell(c, place, "data-in-rule", operators[i].message);
    for (uint32_t i = 0; source->length > 1 && i < source->length; i++)
        if (looks_like_operator(&source->as.members[i])) {
            tell(c, place, "data-in-rule",
                 "an object with several keys is data, although one of them is an operator");
            return;
        }
}

void wf_suspect_path(const wf_compiler *c, const wf_path_part *parts, uint32_t count,
                     const wf_place *place)
{
    if (count > 1 && strcmp(parts[count - 1].key, "length") == 0)
        tell(c, place, "no-length",
             "lists and texts have no member \"length\"; wfsm has the operator \"length\"");
}

void wf_suspect_rule(const wf_compiler *c, const wf_expr *rule, const wf_place *place)
{
    const wf_value *key = rule->op->run == wf_op_get ? &rule->as.list[1].as.constant : NULL;

    if (key && rule->as.list[1].node == WF_NODE_CONSTANT && key->type == WF_STRING &&
        strchr(key->as.text, '.'))
        tell(c, place, "path-as-key", "\"get\" takes one key, which is not split at dots");
}
