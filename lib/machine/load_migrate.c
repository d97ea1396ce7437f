/* machine/load_migrate.c: `migrate`, how instances of older documents continue under this one. */
#include <string.h>
#include "machine/load.h"

static wf_name borrow(const wf_value *string)
{
    return (wf_name){string->as.text, string->length, wf_hash(string->as.text, string->length)};
}

static void load_version(wf_load *load, const wf_node *node)
{
    wf_name version;

    if (!wf_expect_name(load, node, "the version, or the fingerprint, of an old document"))
        return;
    version = borrow(node->value);
    wf_load_push(load, &load->versions, &version);
}

static wf_span load_versions(wf_load *load, const wf_node *node)
{
    uint32_t first = (uint32_t)load->versions.count;

    if (node->value->type != WF_ARRAY)
        load_version(load, node);
    else
        for (uint32_t i = 0; i < node->value->length; i++) {
            wf_node item = wf_node_item(node, i);

            load_version(load, &item);
        }
    return (wf_span){first, (uint32_t)load->versions.count - first};
}

static void load_move(wf_load *load, const wf_node *node)
{
    wf_move move = {.state = WF_NONE};

    if (!wf_expect(load, node, WF_STRING, "a state of this document: its path or #id"))
        return;
    move.old = (wf_name){node->place.key, (uint32_t)node->place.key_length,
                         wf_hash(node->place.key, node->place.key_length)};
    move.state = wf_load_find(load, node->value->as.text, node->value->length);
    if (move.state == WF_NONE || move.state == 0 ||
        wf_load_state(load, move.state)->type >= WF_SHALLOW)
        wf_load_error(load, node, "unknown-target",
                      "no state \"%.*s\" to be active in; expected its dotted path from the "
                      "root, or #id",
                      wf_shown(node->value->length), node->value->as.text);
    else
        wf_load_push(load, &load->moves, &move);
}

static wf_span load_moves(wf_load *load, const wf_node *node)
{
    uint32_t first = (uint32_t)load->moves.count;

    if (wf_expect(load, node, WF_OBJECT, "an object: old paths, and where they lead"))
        for (uint32_t i = 0; i < node->value->length; i++) {
            wf_node member = wf_node_member(node, i);

            load_move(load, &member);
        }
    return (wf_span){first, (uint32_t)load->moves.count - first};
}

static void load_migration(wf_load *load, const wf_node *entry)
{
    wf_migration migration = {{0, 0}, {0, 0}, {0, 0}};
    wf_node node;

    if (!wf_expect(load, entry, WF_OBJECT, "an object with \"from\", \"states\", \"assign\""))
        return;
    wf_check_keys(load, entry, WF_MIGRATE_KEYS, 0);
    if (wf_node_get(&node, entry, "from"))
        migration.versions = load_versions(load, &node);
    if (wf_node_get(&node, entry, "states"))
        migration.moves = load_moves(load, &node);
    if (wf_node_get(&node, entry, "assign") &&
        wf_expect(load, &node, WF_OBJECT, "an object: context keys and their values"))
        migration.assignments = wf_load_assignments(load, &node);
    wf_load_push(load, &load->migrations, &migration);
}

void wf_load_migrate(wf_load *load, const wf_node *root)
{
    wf_node list;

    if (!wf_node_get(&list, root, "migrate") ||
        !wf_expect(load, &list, WF_ARRAY, "a list of objects, of which the first fits"))
        return;
    for (uint32_t i = 0; i < list.value->length; i++) {
        wf_node entry = wf_node_item(&list, i);

        load_migration(load, &entry);
    }
}
