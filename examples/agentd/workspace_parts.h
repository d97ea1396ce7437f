/* What workspace.c and workspace_back.c share. */
#ifndef AGENTD_WORKSPACE_PARTS_H
#define AGENTD_WORKSPACE_PARTS_H

#include <jansson.h>

#include "place.h"

/* Where the workspace is, and what is built there, as shared/worktree.h describes them; borrowed. */
json_t *workspace_place(const place *at);
json_t *workspace_change(const place *at);
/* Takes the change over. -1: it is NULL, or out of memory. */
int workspace_set_change(const place *at, json_t *change);
/* Writes the workspace's file. */
int workspace_keep(const place *at, const char *id, host_error *error);
/* Makes a commit of the files as they are. */
int workspace_record(const place *at, host_error *error);
/* Gives the commit a name with this digest, by which workspace_back() finds it. */
int workspace_name_bound(const place *at, const char *digest, host_error *error);

#endif
