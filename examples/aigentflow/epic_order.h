/* The features of an epic, ordered by what they depend on. */
#ifndef EPIC_ORDER_H
#define EPIC_ORDER_H

#include <jansson.h>

/*
 * Checks `dependsOn` of every feature, and puts each feature behind those that it depends on: a feature
 * that waits must not keep one that it waits for from its turn. Otherwise they stay in their order. -1
 * after printing an error with the place: no list of ids, an unknown one, or a circle.
 */
int epic_order(const char *path, json_t *features);

#endif
