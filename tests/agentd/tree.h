/* The contents of a folder as one text, to see whether anything has changed. */
#ifndef TESTS_AGENTD_TREE_H
#define TESTS_AGENTD_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

#include "hosts/workspace.h"
#include "shared/files.h"

enum { TREE_SIZE = 16384, TREE_ENTRIES = 100 };

static char tree_lines[TREE_ENTRIES][1024];
static size_t tree_count, tree_root;

static inline int tree_add(const char *path, const struct stat *found, int kind,
                           struct FTW *where)
{
    char *text;
    size_t length;

    (void)found;
    (void)where;
    if (strlen(path) == tree_root)
        return 0;
    TEST_ASSERT_LESS_THAN(TREE_ENTRIES, tree_count);
    if (kind == FTW_D) {
        (void)snprintf(tree_lines[tree_count++], 1024, "%.500s/\n", path + tree_root);
        return 0;
    }
    TEST_ASSERT_EQUAL(0, host_file_read(path, 100000, &text, &length, NULL));
    (void)snprintf(tree_lines[tree_count++], 1024, "%.500s: %.500s\n", path + tree_root, text);
    free(text);
    return 0;
}

static inline int tree_compare(const void *one, const void *other)
{
    return strcmp(one, other);
}

/* Folders end with '/', files are followed by what they hold. */
static inline void tree_read(const char *folder, char tree[TREE_SIZE])
{
    size_t index;

    tree_count = 0;
    tree_root = strlen(folder);
    TEST_ASSERT_EQUAL(0, nftw(folder, tree_add, 8, FTW_PHYS));
    qsort(tree_lines, tree_count, sizeof tree_lines[0], tree_compare);
    tree[0] = '\0';
    for (index = 0; index < tree_count; index++) {
        TEST_ASSERT_LESS_THAN(TREE_SIZE - 1024, strlen(tree));
        strcat(tree, tree_lines[index]);
    }
}

static inline int tree_drop(const char *path, const struct stat *found, int kind,
                            struct FTW *where)
{
    (void)found;
    (void)kind;
    (void)where;
    return remove(path);
}

/* A folder that is not there is fine. */
static inline void tree_remove(const char *folder)
{
    (void)nftw(folder, tree_drop, 8, FTW_PHYS | FTW_DEPTH);
}

#endif
