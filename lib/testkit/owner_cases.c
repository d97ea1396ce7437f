/* testkit/owner_cases.c: owners, their lapse, and acknowledged effects. */
#include "cases.h"

static void own(tk_kit *kit, const char *what, const char *owner, int64_t now, int32_t answer)
{
    tk_status(kit, what, answer, wfsm_store_own(kit->store, "a", owner, now, NULL));
}

static void give_up(tk_kit *kit, const char *what, const char *owner, int32_t answer)
{
    tk_status(kit, what, answer, wfsm_store_disown(kit->store, "a", owner, NULL));
}

static void alive(tk_kit *kit, const char *owner, int64_t until)
{
    tk_status(kit, "a sign of life", WFSM_OK,
              wfsm_store_owner_alive(kit->store, owner, until, NULL));
}

static void commit_as(tk_kit *kit, const char *what, const char *owner, int32_t answer)
{
    wfsm_commit commit = tk_commit_of("a", 1);
    commit.owner = owner;
    tk_commit(kit, what, kit->store, &commit, answer);
}

static void an_owner_keeps_what_it_has_while_it_is_alive(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    alive(kit, "one", 1000);
    own(kit, "owning what is nobody's", "one", 500, WFSM_OK);
    own(kit, "owning what is one's own", "one", 500, WFSM_OK);
    tk_text before = tk_dump_of(kit, kit->store);
    own(kit, "owning what one who is alive has", "two", 999, WFSM_DENIED);
    tk_same(kit, "after a takeover that was denied", kit->store, &before);
    alive(kit, "one", 2000);
    own(kit, "owning what one who gave a sign of life has", "two", 1999, WFSM_DENIED);
}

static void an_owner_that_lapsed_is_fenced_off(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    alive(kit, "one", 1000);
    own(kit, "owning what is nobody's", "one", 500, WFSM_OK);
    own(kit, "owning what one who lapsed has", "two", 1000, WFSM_OK);
    tk_text before = tk_dump_of(kit, kit->store);
    commit_as(kit, "a commit of the old owner", "one", WFSM_CONFLICT);
    tk_same(kit, "after a commit of the old owner", kit->store, &before);
    commit_as(kit, "a commit of the new owner", "two", WFSM_OK);
    tk_string(kit, "head.owner", "two", tk_head_of(kit, "a").owner);
}

static void an_owner_without_a_row_is_gone(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    own(kit, "owning what is nobody's", "one", 500, WFSM_OK);
    own(kit, "owning what one without a sign of life has", "two", 500, WFSM_OK);
    alive(kit, "two", 1000);
    own(kit, "owning what one who is alive has", "one", 600, WFSM_DENIED);
    for (int i = 0; i < 2; i++)
        tk_status(kit, "telling that an owner is gone", WFSM_OK,
                  wfsm_store_remove_owner(kit->store, "two", NULL));
    own(kit, "owning what one who is gone had", "one", 600, WFSM_OK);
}

static void an_owner_gives_up(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    alive(kit, "one", 1000);
    own(kit, "owning what is nobody's", "one", 500, WFSM_OK);
    give_up(kit, "giving up", "one", WFSM_OK);
    tk_string(kit, "head.owner after giving up", "", tk_head_of(kit, "a").owner);
    commit_as(kit, "a commit of an owner that gave up", "one", WFSM_CONFLICT);
    give_up(kit, "giving up again, as if the answer had been lost", "one", WFSM_OK);
    own(kit, "owning what was given up", "two", 500, WFSM_OK);
}

static void only_an_owner_gives_up(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    alive(kit, "one", 1000);
    own(kit, "owning what is nobody's", "one", 500, WFSM_OK);
    give_up(kit, "giving up what one who is alive has", "two", WFSM_DENIED);
    own(kit, "owning what one who lapsed has", "two", 1000, WFSM_OK);
    tk_text before = tk_dump_of(kit, kit->store);
    give_up(kit, "giving up what another has taken over", "one", WFSM_DENIED);
    tk_same(kit, "after the old owner gave up", kit->store, &before);
    commit_as(kit, "a commit of the new owner", "two", WFSM_OK);
}

static void an_owner_owns_by_instance(tk_kit *kit)
{
    tk_start(kit, kit->store, "a", 1);
    tk_start(kit, kit->store, "b", 1);
    own(kit, "owning what is nobody's", "one", 500, WFSM_OK);
    tk_string(kit, "the owner of an instance that nobody asked for", "",
              tk_head_of(kit, "b").owner);
    wfsm_commit commit = tk_commit_of("b", 1);
    tk_commit(kit, "a commit to it", kit->store, &commit, WFSM_OK);
}

static void acknowledge(tk_kit *kit, const char *what, uint64_t effect, int32_t answer,
                        uint64_t mark)
{
    tk_status(kit, what, answer, wfsm_store_acknowledge(kit->store, "a", effect, NULL));
    tk_number(kit, what, mark, tk_head_of(kit, "a").acknowledged);
}

static void the_mark_of_effects_only_rises(tk_kit *kit)
{
    wfsm_commit commit = tk_commit_of("a", 0);
    commit.effects = 5;
    tk_commit(kit, "a commit with effects", kit->store, &commit, WFSM_OK);
    acknowledge(kit, "the mark after acknowledging", 3, WFSM_OK, 3);
    acknowledge(kit, "the mark after acknowledging an older effect", 2, WFSM_OK, 3);
    acknowledge(kit, "the mark after acknowledging what was never made", 6, WFSM_NOT_FOUND, 3);
    commit = tk_commit_of("a", 1);
    commit.effects = 5;
    tk_commit(kit, "a commit without new effects", kit->store, &commit, WFSM_OK);
    tk_number(kit, "the mark after a commit", 3, tk_head_of(kit, "a").acknowledged);
}

const tk_case tk_owner_cases[] = {
    {"an_owner_keeps_what_it_has_while_it_is_alive",
     an_owner_keeps_what_it_has_while_it_is_alive, false},
    {"an_owner_that_lapsed_is_fenced_off", an_owner_that_lapsed_is_fenced_off, false},
    {"an_owner_without_a_row_is_gone", an_owner_without_a_row_is_gone, false},
    {"an_owner_gives_up", an_owner_gives_up, false},
    {"only_an_owner_gives_up", only_an_owner_gives_up, false},
    {"an_owner_owns_by_instance", an_owner_owns_by_instance, false},
    {"the_mark_of_effects_only_rises", the_mark_of_effects_only_rises, false},
    {NULL, NULL, false},
};
