/* Change ids, and the paths of a project: none leads outside it. */
#ifndef AGENTD_IDS_H
#define AGENTD_IDS_H

#include "shared/error.h"

/* The longest id, in bytes. It is a folder's name, and a part of an instance's id. */
enum { CHANGE_ID_MOST = 100 };

/* Letters and digits of ASCII, '-' and '_', beginning with a letter or a digit. Such a name is
 * a folder's name on every system, and cannot be taken for an option. -1 and an error that
 * names the first wrong byte; one that cannot be printed is shown as \xNN. */
int change_id_check(const char *id, host_error *error);

/* A project is a folder with a folder "agentd" in it. */
typedef struct project {
    char *root; /* absolute, no links in it */
} project;

/* Finds the project whose root is this folder or the nearest one above it; -1 if there is none.
 * Must be cleared after a failure, too. */
int project_find(project *found, const char *folder, host_error *error);
/* Takes this folder as the root of a project; for `init`. */
int project_at(project *found, const char *folder, host_error *error);
void project_clear(project *found);

/* The absolute path of a place below the root, malloc'ed. It need not exist. NULL and an error
 * if it would lead outside: an absolute path, an empty part, "." or "..", or a link in it that
 * leads out of the root or nowhere. */
char *project_path(const project *in, const char *below, host_error *error);

/* The same for agentd/changes/ID and agentd/archive/ID, and for NAME in it unless that is NULL.
 * The id is checked. */
char *change_path(const project *in, const char *id, const char *name, host_error *error);
char *archived_path(const project *in, const char *id, const char *name, host_error *error);

#endif
