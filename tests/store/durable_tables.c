/* Prints what an instance keeps, by the table of step/durable.c, as the tables of doc/records.md. */
#include <inttypes.h>
#include <stdio.h>
#include "step/durable.h"

static const char *value_type(uint8_t type)
{
    switch (type) {
    case WF_STRING:
        return "a string";
    case WF_ARRAY:
        return "an array";
    case WF_OBJECT:
        return "an object";
    default:
        return "any JSON";
    }
}

static void print_type(const wf_field *field)
{
    static const char *const names[] = {
        [WF_FIELD_FLAG] = "`true`",          [WF_FIELD_WORD] = "a word",
        [WF_FIELD_STATE] = "a state's path", [WF_FIELD_INVOKE] = "an invoke's id",
        [WF_FIELD_AGENT] = "an agent",       [WF_FIELD_BUDGET] = "a budget"};
    if (field->type == WF_FIELD_VALUE)
        printf("%s", value_type(field->value));
    else if (field->type >= WF_FIELD_FLAG)
        printf("%s", names[field->type]);
    else if (field->most == WF_NUMBER_MOST)
        printf("a whole number from %" PRId64, field->least);
    else
        printf("from %" PRId64 " to %" PRId64, field->least, field->most);
}

static void print_field(const wf_field *field)
{
    printf("| `%s` | ", field->name);
    print_type(field);
    printf(" | %s%s%s | %d |\n", (field->flags & WF_ID) != 0 ? "id" : "",
           (field->flags & WF_FIXED) != 0 ? "fixed" : "",
           (field->flags & WF_NEEDED) != 0 ? "" : " optional", field->since);
}

int main(void)
{
    for (int i = 0; i <= WF_KINDS; i++) {
        const wf_kind *kind = wf_kind_of(i);
        printf("## %s\n", kind->name);
        if (i < WF_KINDS)
            printf("The order of these entries has %s meaning.\n\n",
                   kind->ordered ? "a" : "no");
        printf("| key | value | | since |\n|---|---|---|---|\n");
        for (uint32_t k = 0; k < kind->field_count; k++)
            print_field(&kind->fields[k]);
    }
    return 0;
}
