#include "draw/rule_text.h"

#include <string.h>
#include "logic/expr.h"
#include "base/invariant.h"

/* How tight an operator binds; looser ones inside tighter ones get parentheses. */
enum { LOOSE, OR, AND, NOT, COMPARE, ELSE, SUM, PRODUCT, TIGHT };
/* Rules inside rules that are written out. */
enum { DEPTH = 16 };

typedef struct writer {
    wf_buffer *out;
    unsigned depth;
} writer;

/* How an operator is written. Those that the table does not name are calls: max(a, b). */
typedef struct rule_form {
    const char *operator;
    void (*write)(writer *self, const struct rule_form *form, const wf_value *operands);
    const char *text;
    int binds;
} rule_form;

static void write_part(writer *self, const wf_value *value, int at_least);

static size_t count(const wf_value *operands)
{
    return operands->type == WF_ARRAY ? operands->length : 1;
}

static const wf_value *operand(const wf_value *operands, size_t index)
{
    return operands->type == WF_ARRAY ? &operands->as.items[index] : operands;
}

static void write_list(writer *self, const wf_value *values, const char *between, int binds)
{
    for (size_t i = 0; i < count(values); i++) {
        wf_buffer_text(self->out, i > 0 ? between : "");
        write_part(self, operand(values, i), binds);
    }
}

static void write_infix(writer *self, const rule_form *form, const wf_value *operands)
{
    write_list(self, operands, form->text, form->binds + 1);
}

static void write_prefix(writer *self, const rule_form *form, const wf_value *operands)
{
    wf_buffer_text(self->out, form->text);
    write_part(self, operand(operands, 0), TIGHT);
}

static void write_call(writer *self, const rule_form *form, const wf_value *operands)
{
    wf_buffer_text(self->out, form->operator);
    wf_buffer_byte(self->out, '(');
    write_list(self, operands, ", ", LOOSE);
    wf_buffer_byte(self->out, ')');
}

/* A path that is computed cannot be told from its parts, so it is a call. */
static void write_var(writer *self, const rule_form *form, const wf_value *operands)
{
    const wf_value *path = count(operands) > 0 ? operand(operands, 0) : operands;
    if (path->type != WF_STRING)
        write_call(self, form, operands);
    else if (path->length == 0)
        wf_buffer_text(self->out, "it");
    else
        wf_buffer_add(self->out, path->as.text, path->length);
}

static bool is_plain_key(const wf_value *key)
{
    return key->type == WF_NUMBER ||
           (key->type == WF_STRING && !memchr(key->as.text, '.', key->length));
}

/* Keys as a path, unless that would be another path; a scope makes it a call. */
static void write_val(writer *self, const rule_form *form, const wf_value *operands)
{
    for (size_t i = 0; i < count(operands); i++)
        if (!is_plain_key(operand(operands, i))) {
            write_call(self, form, operands);
            return;
        }
    for (size_t i = 0; i < count(operands); i++) {
        const wf_value *key = operand(operands, i);
        wf_buffer_text(self->out, i > 0 ? "." : "");
        if (key->type == WF_STRING)
            wf_buffer_add(self->out, key->as.text, key->length);
        else
            wf_json_write(self->out, key);
    }
    wf_buffer_text(self->out, count(operands) == 0 ? "it" : "");
}

/* A path and what stands in for it. */
static void write_default(writer *self, const rule_form *form, const wf_value *operands)
{
    if (operand(operands, 0)->type != WF_STRING) {
        write_call(self, form, operands);
        return;
    }
    write_var(self, form, operands);
    wf_buffer_text(self->out, form->text);
    write_part(self, operand(operands, 1), form->binds + 1);
}

static void write_state(writer *self, const rule_form *form, const wf_value *operands)
{
    const wf_value *path = count(operands) > 0 ? operand(operands, 0) : operands;
    wf_buffer_text(self->out, form->text);
    if (path->type == WF_STRING)
        wf_buffer_add(self->out, path->as.text, path->length);
}

static void write_children(writer *self, const rule_form *form, const wf_value *operands)
{
    write_state(self, form, operands);
    if (count(operands) != 2 || operand(operands, 1)->type != WF_STRING)
        return;
    wf_buffer_text(self->out, " in ");
    wf_buffer_add(self->out, operand(operands, 1)->as.text, operand(operands, 1)->length);
}

/* Quotes in quotes are hard on the eye, and drawings have to escape double ones. */
static void write_string(writer *self, const wf_value *value)
{
    if (memchr(value->as.text, '\'', value->length) ||
        memchr(value->as.text, '\\', value->length)) {
        wf_json_write(self->out, value);
        return;
    }
    wf_buffer_byte(self->out, '\'');
    wf_buffer_add(self->out, value->as.text, value->length);
    wf_buffer_byte(self->out, '\'');
}

static void write_constant(writer *self, const wf_value *value)
{
    if (value->type == WF_STRING)
        write_string(self, value);
    else
        wf_json_write(self->out, value);
}

static void write_literal(writer *self, const rule_form *form, const wf_value *operands)
{
    (void)form;
    write_constant(self, operands);
}

static const rule_form forms[] = {
    {"or", write_infix, " or ", OR},
    {"and", write_infix, " and ", AND},
    {"!", write_prefix, "not ", NOT},
    {"===", write_infix, " === ", COMPARE},
    {"!==", write_infix, " !== ", COMPARE},
    {"==", write_infix, " == ", COMPARE},
    {"!=", write_infix, " != ", COMPARE},
    {"<", write_infix, " < ", COMPARE},
    {"<=", write_infix, " <= ", COMPARE},
    {">", write_infix, " > ", COMPARE},
    {">=", write_infix, " >= ", COMPARE},
    {"in", write_infix, " in ", COMPARE},
    {"+", write_infix, " + ", SUM},
    {"-", write_infix, " - ", SUM},
    {"*", write_infix, " * ", PRODUCT},
    {"/", write_infix, " / ", PRODUCT},
    {"%", write_infix, " % ", PRODUCT},
    {"var", write_var, "", TIGHT},
    {"in_state", write_state, "in ", TIGHT},
    {"literal", write_literal, "", TIGHT},
    {"val", write_val, "", TIGHT},
    {"??", write_infix, " ?? ", ELSE},
    {"preserve", write_literal, "", TIGHT},
    {"children_in", write_children, "children of ", TIGHT},
};
static const rule_form with_default = {"var", write_default, " ?? ", ELSE};

static const rule_form *find(const char *operator, const wf_value * operands)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const rule_form *found = &forms[i];
        if (strcmp(found->operator, operator) != 0)
            continue;
        if (found->write == write_infix && count(operands) < 2)
            return NULL;
        if (found->write == write_prefix && count(operands) != 1)
            return NULL;
        if (found->write == write_var && count(operands) > 1)
            return &with_default;
        return found;
    }
    return NULL;
}

static void write_rule(writer *self, const wf_member *rule, int at_least)
{
    const rule_form call = {rule->key, write_call, "", TIGHT};
    const rule_form *form = find(rule->key, &rule->value);
    bool truth = at_least >= OR && at_least <= NOT; /* all that counts here */
    if (truth && strcmp(rule->key, "!!") == 0 && count(&rule->value) == 1) {
        write_part(self, operand(&rule->value, 0), at_least);
        return;
    }
    if (!form)
        form = &call;
    wf_buffer_text(self->out, form->binds < at_least ? "(" : "");
    form->write(self, form, &rule->value);
    wf_buffer_text(self->out, form->binds < at_least ? ")" : "");
}

static void write_part(writer *self, const wf_value *value, int at_least)
{
    WF_INVARIANT(self->depth <= DEPTH);
    if (self->depth == DEPTH) {
        wf_buffer_text(self->out, "…");
        return;
    }
    self->depth++;
    if (wf_is_rule(value)) {
        write_rule(self, &value->as.members[0], at_least);
    } else if (value->type == WF_ARRAY) {
        wf_buffer_byte(self->out, '[');
        write_list(self, value, ", ", LOOSE);
        wf_buffer_byte(self->out, ']');
    } else {
        write_constant(self, value);
    }
    self->depth--;
}

void wf_rule_text(wf_buffer *out, const wf_value *rule)
{
    writer self = {out, 0};
    write_part(&self, rule, OR);
}
