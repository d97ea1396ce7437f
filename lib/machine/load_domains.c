/* machine/load_domains.c: `domains`, schemas with a name, and `assume`, what senders promise of the
 * data of their events. A reference to a domain is replaced by its schema, so that an agent, too,
 * gets all of a schema. */
#include <string.h>
#include "machine/load.h"

static const char prefix[] = "#/domains/";
enum { PREFIX = sizeof prefix - 1, REFERENCED_BYTES = 4 << 20, DOMAINS_MAX = 250 };

/* ---- references ---- */

static bool is_reference(const wf_value *text)
{
    return text && text->type == WF_STRING && text->length >= PREFIX &&
           memcmp(text->as.text, prefix, PREFIX) == 0;
}

/* Also true of data that only looks like one: then the schema is copied for nothing. */
static bool may_refer(const wf_value *value)
{
    if (value->type == WF_ARRAY) {
        for (uint32_t i = 0; i < value->length; i++)
            if (may_refer(&value->as.items[i]))
                return true;
        return false;
    }
    if (value->type != WF_OBJECT)
        return false;
    if (is_reference(wf_value_get_z(value, "$ref")))
        return true;
    for (uint32_t i = 0; i < value->length; i++)
        if (may_refer(&value->as.members[i].value))
            return true;
    return false;
}

static const wf_value *domain_of(wf_load *load, const wf_node *reference)
{
    const char *name = reference->value->as.text + PREFIX;
    size_t length = reference->value->length - PREFIX;
    const wf_value *found = wf_value_get(&load->domains, name, length);

    if (!found)
        wf_load_error(load, reference, "unknown-domain",
                      "no domain \"%.*s\" before this; expected one of the root's \"domains\"",
                      wf_shown(length), name);
    return found;
}

/* References share the schema, but it is compiled for each of them. Reported once. */
static bool is_affordable(wf_load *load, const wf_node *node, const wf_value *domain)
{
    bool reported = load->referenced > REFERENCED_BYTES;

    load->referenced += reported ? 0 : wf_value_weight(domain);
    if (load->referenced <= REFERENCED_BYTES)
        return true;
    if (!reported)
        wf_load_error_limit(load, node,
                            "the schemas of all references to domains take more than %d bytes",
                            (int)REFERENCED_BYTES);
    return false;
}

static wf_value referred(wf_load *load, const wf_node *node)
{
    wf_node reference = wf_node_member(node, 0);
    const wf_value *domain;

    if (node->value->length > 1) {
        wf_load_error(load, node, "bad-schema",
                      "expected nothing beside a reference to a domain");
        return wf_boolean(true);
    }
    domain = domain_of(load, &reference);
    return domain && is_affordable(load, node, domain) ? *domain : wf_boolean(true);
}

/* Where the domain is used, a local reference would lead elsewhere. */
static wf_value refused(wf_load *load, const wf_node *node)
{
    wf_load_error(load, node, "bad-schema",
                  "expected a domain that refers only to domains before it, by \"%sNAME\"",
                  prefix);
    return wf_boolean(true);
}

/* ---- schemas with references ---- */

static wf_value expand(wf_load *load, const wf_node *schema);

/* Of a keyword whose value has schemas by name or by number. */
static wf_value expand_each(wf_load *load, const wf_node *node)
{
    bool named = node->value->type == WF_OBJECT;
    uint32_t count = node->value->length;
    wf_value *items = wf_arena_take(load->arena, (count + 1u) * sizeof *items);
    wf_member *members = wf_arena_take(load->arena, (count + 1u) * sizeof *members);

    for (uint32_t i = 0; items && members && i < count; i++) {
        wf_node part = named ? wf_node_member(node, i) : wf_node_item(node, i);

        items[i] = expand(load, &part);
        if (!named)
            continue;
        members[i] = node->value->as.members[i];
        members[i].value = items[i];
    }
    if (!items || !members)
        return wf_null();
    return named ? wf_object(members, count) : wf_array(items, count);
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* What other keywords say is data. */
static wf_value expand_keyword(wf_load *load, const wf_node *node)
{
    static const char *const one[] = {"additionalProperties", "items", "not", NULL},
                             *const named[] = {"properties", "$defs", NULL},
                             *const lists[] = {"anyOf", "oneOf", "allOf", "prefixItems", NULL};
    const char *word = node->place.key;

    if (is_one_of(word, one))
        return expand(load, node);
    if ((is_one_of(word, named) && node->value->type == WF_OBJECT) ||
        (is_one_of(word, lists) && node->value->type == WF_ARRAY))
        return expand_each(load, node);
    return *node->value;
}

static wf_value expand(wf_load *load, const wf_node *schema)
{
    const wf_value *value = schema->value, *reference;
    wf_member *members;
    wf_value whole;

    if (value->type != WF_OBJECT)
        return *value;
    reference = wf_value_get_z(value, "$ref");
    if (is_reference(reference))
        return referred(load, schema);
    if (reference && load->in_domain)
        return refused(load, schema);
    members = wf_arena_take(load->arena, (value->length + 1u) * sizeof *members);
    for (uint32_t i = 0; members && i < value->length; i++) {
        wf_node member = wf_node_member(schema, i);

        members[i] = value->as.members[i];
        members[i].value = expand_keyword(load, &member);
    }
    whole = members ? wf_object(members, value->length) : wf_null();
    if (whole.type != WF_ABSENT)
        return whole;
    wf_load_error_limit(load, schema,
                        "with its domains, a schema nests too deep or is too large");
    return wf_boolean(true);
}

const wf_schema *wf_load_schema(wf_load *load, const wf_node *node)
{
    wf_value source = may_refer(node->value) ? expand(load, node) : *node->value;

    return wf_load_schema_value(load, &source, node);
}

/* ---- domains ---- */

static wf_value load_domain(wf_load *load, const wf_node *node)
{
    wf_value schema;

    load->in_domain = true;
    schema = expand(load, node);
    load->in_domain = false;
    wf_load_schema_value(load, &schema, node);
    return schema;
}

static bool is_name(const wf_member *member)
{
    return member->length > 0 && member->length <= WF_NAME_MAX &&
           !member->key[strcspn(member->key, "/~%")];
}

void wf_load_domains(wf_load *load, const wf_node *root)
{
    wf_node domains;
    wf_member *members;

    load->domains = wf_object(NULL, 0);
    if (!wf_node_get(&domains, root, "domains") ||
        !wf_expect(load, &domains, WF_OBJECT, "an object of schemas by name"))
        return;
    if (domains.value->length > DOMAINS_MAX) {
        wf_load_error_limit(load, &domains, "%u domains, at most %d are allowed",
                            domains.value->length, (int)DOMAINS_MAX);
        return;
    }
    members = wf_arena_take(load->arena, (domains.value->length + 1u) * sizeof *members);
    for (uint32_t i = 0; members && i < domains.value->length; i++) {
        wf_node node = wf_node_member(&domains, i);

        members[i] = domains.value->as.members[i];
        if (!is_name(&members[i]))
            wf_load_error_key(
                load, &node, "bad-name",
                "expected the name of a domain, 1 to %d bytes without /, ~ and %%",
                WF_NAME_MAX);
        members[i].value = load_domain(load, &node);
        load->domains = wf_object(members, i + 1u);
        if (load->domains.type == WF_ABSENT) {
            wf_load_error_limit(load, &domains, "the domains nest too deep or are too large");
            load->domains = wf_object(NULL, 0);
            return;
        }
    }
}

/* ---- assumptions ---- */

static void load_assumption(wf_load *load, const wf_node *node)
{
    const wf_names *events = &load->machine->events;
    uint32_t event = wf_names_find(events, node->place.key, node->place.key_length);
    const wf_schema *schema = wf_load_schema(load, node);

    if (wf_event_reserved(node->place.key))
        wf_load_error_key(load, node, "reserved-name",
                          "\"%.*s\" does not come from outside; expected an event that does",
                          wf_shown(node->place.key_length), node->place.key);
    else if (event == WF_NONE)
        wf_load_error_key(
            load, node, "unknown-event",
            "no transition names the event \"%.*s\"; expected one that is handled",
            wf_shown(node->place.key_length), node->place.key);
    else
        load->machine->assumed[event] = schema;
}

void wf_load_assumptions(wf_load *load, const wf_node *root)
{
    wf_node assume;

    if (!wf_node_get(&assume, root, "assume") ||
        !wf_expect(load, &assume, WF_OBJECT, "an object of schemas by the name of an event"))
        return;
    load->machine->assumed = wf_arena_zero(load->arena, (load->machine->events.count + 1u) *
                                                            sizeof *load->machine->assumed);
    for (uint32_t i = 0; load->machine->assumed && i < assume.value->length; i++) {
        wf_node node = wf_node_member(&assume, i);

        load_assumption(load, &node);
    }
}
