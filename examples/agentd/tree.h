/* The project's files, apart from the folder agentd: what tests run on and a reviewer reads. A
 * verdict is bound to their digest.
 *
 * With git these are the files that git has or would add. Without it they are all files but those
 * that the configuration's [checks] ignore names, and the usual products of builds. A file
 * counts with its text, whether it may be executed, and where it leads if it is a link.
 *
 * The list of a change is kept in agentd/.state/trees, so that what has changed can be named. */
#ifndef AGENTD_TREE_H
#define AGENTD_TREE_H

#include <jansson.h>
#include <wfsm/base.h>

#include "place.h"

typedef enum tree_list {
    TREE_TESTED, /* what the last checks found, or a person has approved */
    TREE_BEFORE  /* before the implementation began */
} tree_list;

/* The files now, and what each is by path: a new object, or NULL and an error. The place must be
 * configured. */
json_t *tree_read(const place *at, host_error *error);
/* The same list, in the form in which it was kept; NULL without an error if there is none. */
json_t *tree_kept(const place *at, const char *id, tree_list which);

/* Reads the files and keeps the list. */
int tree_keep(const place *at, const char *id, tree_list which, char *digest,
              host_error *error);
/* The digest of a list. */
int tree_digest(const json_t *list, char *digest, host_error *error);

/* The files of the tree with this digest that have changed or are gone, as a new array of paths;
 * files that are new do not count, and the first 50 are named. If the list is not kept any more, the array has one line that
 * says so, unless the tree is the same. NULL and an error. */
json_t *tree_moved(const place *at, const char *id, const char *digest, host_error *error);

/* Removes the lists of a change. */
void tree_forget(const place *at, const char *id);

/* The commit that git has checked out, malloc'ed; NULL without git, or before the first. */
char *tree_commit(const place *at);

#endif
