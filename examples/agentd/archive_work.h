/* One archive in progress; shared by the files behind archive.h. */
#ifndef AGENTD_ARCHIVE_WORK_H
#define AGENTD_ARCHIVE_WORK_H

#include "archive.h"

typedef enum archive_folder {
    ARCHIVE_CHANGE,       /* agentd/changes/ID */
    ARCHIVE_CHANGE_SPECS, /* …/specs */
    ARCHIVE_ABOVE,        /* agentd/archive */
    ARCHIVE_TARGET,       /* agentd/archive/ID */
    ARCHIVE_KEPT,         /* …/replaced-specs */
    ARCHIVE_SPECS,        /* agentd/specs */
    ARCHIVE_STAGE,        /* agentd/.archiving/ID */
    ARCHIVE_STAGE_SPECS,  /* …/specs: dated, not yet in their place */
    ARCHIVE_STAGE_OLD     /* …/replaced: taken out of agentd/specs */
} archive_folder;

typedef struct archive_work {
    const archive_order *order;
    json_t *specs; /* [{"name": "a.md", "digest": of the dated text}] */
    host_error *error;
} archive_work;

/* malloc'ed; of the folder itself when name is NULL. NULL and an error. */
char *archive_path(const archive_work *at, archive_folder folder, const char *name);
/* 1: there is something; 0: there is not; -1 and an error. */
int archive_has(const archive_work *at, archive_folder folder, const char *name);
/* Moves a file, or a whole folder when both names are NULL. */
int archive_move(const archive_work *at, archive_folder from, archive_folder to,
                 const char *name);
int archive_make_folder(const archive_work *at, archive_folder folder);

const char *archive_spec_name(const json_t *spec);

/* Lists the change's specs in at->specs, and reads, dates and compares each: *conflicts as in
 * archive.h. Writes nothing. */
int archive_compare(archive_work *at, json_t **conflicts);
/* Writes the dated specs and the intent. */
int archive_stage(archive_work *at);
/* Reads the intent into at->specs. 1: there is one; 0: there is none; -1. */
int archive_read_intent(archive_work *at);
/* Undoes everything according to the intent. May be repeated. */
int archive_undo(archive_work *at);
/* Removes the intent, and then the rest of the stage. */
int archive_clean(const archive_work *at);

#endif
