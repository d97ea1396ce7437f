/* Classes of data: those that follow from a schema and from the cone of a value. */
#include <string.h>
#include <unity.h>
#include "base/memory.h"
#include "logic/json.h"
#include "machine/machine.h"
#include "verify/data_classes.h"

/* The guard of a machine that reacts to `x`, the schema of its data, and the classes. */
typedef struct data_case {
    const char *guard, *schema, *classes;
} data_case;

static const data_case cases[] = {
    {"{'!!':1}", "{'type':'object','required':['a'],'properties':{'a':{'type':'string'}}}",
     "{'a':'other'}"},
    {"{'===':[{'var':'event.data'},'yes']}", "{'enum':['yes','no']}", "'yes' 'no'"},
    {"{'<':[{'var':'event.data.n'},3]}",
     "{'type':'object','required':['n'],'properties':{'n':{'type':'integer','minimum':2,"
     "'maximum':90}}}",
     "{'n':2} {'n':3} {'n':4}"},
    {"{'var':'event.data.b'}", "{'type':'object','properties':{'b':{'type':'boolean'}}}",
     "{'b':false} {'b':true} {}"},
    {"{'===':[{'length':{'var':'event.data'}},2]}",
     "{'type':'array','items':{'type':'integer'}}", "[] [0] [0,0] [0,0,0]"},
    {"{'some':[{'var':'event.data'},{'===':[{'var':'exit'},0]}]}",
     "{'type':'array','minItems':1,'items':{'type':'object','required':['exit'],"
     "'properties':{'exit':{'enum':[0,1]}}}}",
     "[{'exit':0}] [{'exit':1}] [{'exit':0},{'exit':0}] [{'exit':1},{'exit':0}] "
     "[{'exit':0},{'exit':1}] [{'exit':1},{'exit':1}]"},
    {"{'===':[{'var':'event.data.decision'},'approve']}",
     "{'type':'object','required':['decision'],'additionalProperties':false,'properties':{"
     "'decision':{'enum':['approve','reject']},'why':{'type':'array','items':{'type':"
     "'string'}}},'anyOf':[{'properties':{'decision':{'const':'approve'}}},"
     "{'required':['why'],'properties':{'why':{'minItems':1}}}]}",
     "{'decision':'approve'} {'decision':'reject','why':['other']}"},
    {"{'===':[{'var':'event.data.a.b'},'x']}", NULL,
     "null {'a':{'b':'x'}} {'a':{'b':'other'}} {'a':{}}"},
    {"{'>':[{'var':'event.data.n'},7]}", NULL, "null {'n':-1} {'n':7} {'n':8} {'n':'other'}"},
    {"{'==':[{'var':'event.data.n'},'x']}", NULL, "null {'n':'x'} {'n':'other'} {'n':false}"},
    {"{'try':[{'/':[6,{'var':'event.data.n'}]},false]}",
     "{'type':'object','required':['n'],'properties':{'n':{'type':'integer'}}}",
     "{'n':-1} {'n':0} {'n':1} {'n':1.7976931348623157e+308}"},
    {"{'>':[{'length':[{'var':'event.data.l'}]},0]}",
     "{'type':'object','required':['l'],'properties':{'l':true}}",
     "{'l':-1} {'l':0} {'l':'other'} {'l':''} {'l':'o'} {'l':'otherotherotherotherotherotherotherotherotherotherotherotherothe'} {'l':[]} {'l':[null]} {'l':[null,null]} {'l':null} {'l':false} {'l':{}} {'l':{'other1':null}} {'l':{'other1':null,'other2':null}}"},
    {"{'>':[{'var':'event.data.n'},7]}",
     "{'type':'object','required':['n'],'properties':{'n':{'type':'string','maxLength':3}}}",
     "{'n':'oth'} {'n':'-1'} {'n':'8'}"},
    {"{'===':[{'cat':[{'var':'event.data'}]},{'var':'event.data'}]}", NULL, "null 'other'"},
    {"{'var':'event.data.o'}",
     "{'type':'object','required':['o'],'properties':{'o':{'type':'object'}}}",
     "{'o':{}} {'o':{'other1':null}}"},
    {"{'and':[{'===':[{'var':'event.type'},'y']},{'var':'event.data.z'}]}", NULL, "null"},
    {"{'===':[{'var':'event.data.text'},'long']}",
     "{'type':'object','required':['text'],'properties':{'text':{'type':'string','minLength':8}"
     "}}",
     "{'text':'otheroth'}"},
    {"{'===':[{'var':'event.data'},1]}", "false", ""},
};

static wfsm_allocator allocator;
static wfsm_error *error;

void setUp(void)
{
    wf_allocator_init(&allocator, NULL);
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wfsm_error_free(error);
}

static const char *quoted(wf_arena *arena, const char *text)
{
    char *copy = wf_arena_text(arena, text, strlen(text));
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    return copy;
}

static wfsm_machine *machine_of(const char *guard)
{
    char text[2000];
    wfsm_machine *machine = NULL;
    snprintf(
        text, sizeof text,
        "{\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"x\":{\"guard\":%s}}}}}",
        guard);
    int32_t status = wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    return machine;
}

static void check(const data_case *self)
{
    wf_arena arena;
    wf_buffer found;
    wf_value source;
    wf_cones cones;
    wf_data_classes data;
    const wf_schema *schema = NULL;
    wf_arena_init(&arena, &allocator, 0);
    wf_buffer_init(&found, &allocator);
    wfsm_machine *machine = machine_of(quoted(&arena, self->guard));
    if (self->schema) {
        const char *text = quoted(&arena, self->schema);
        TEST_ASSERT_EQUAL(WFSM_OK, wf_json_parse(&arena, text, strlen(text), &source, error));
        TEST_ASSERT_EQUAL(WFSM_OK, wf_schema_compile(&schema, &source, &arena, NULL, error));
    }
    TEST_ASSERT_TRUE(wf_cones_find(&cones, machine, NULL, 0, &arena));
    wf_data_classes_find(&data, &arena, schema, wf_cones_of_event(&cones, "x", 1), NULL);
    wf_buffer_text(&found, "");
    for (uint32_t i = 0; i < data.count; i++) {
        wf_buffer_text(&found, i > 0 ? " " : "");
        wf_json_write(&found, &data.list[i]);
    }
    TEST_ASSERT_EQUAL_STRING(quoted(&arena, self->classes), found.data);
    TEST_ASSERT_FALSE(data.cut);
    wf_buffer_fini(&found);
    wf_arena_fini(&arena);
    wfsm_machine_unref(machine);
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cases);
    return UNITY_END() != 0;
}
