/* Terms of seed 004 that more than one part needs: agent types, phases, priorities. */
#ifndef AGENT_TYPES_H
#define AGENT_TYPES_H

#include <stddef.h>

enum { AGENT_TYPES = 13, AGENT_PHASES = 6 };

extern const char *const agent_types[AGENT_TYPES];
extern const char *const agent_phases[AGENT_PHASES];

int is_agent_type(const char *word);
int is_agent_phase(const char *word);
int is_agent_priority(const char *word);

#endif
