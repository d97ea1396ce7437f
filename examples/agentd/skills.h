/* The files that `init` makes besides the configuration.
 *
 * Prompts, agentd/prompts/ROLE.md, for the agents in the configuration's examples.
 *
 * Skills, which explain to coding assistants the three commands, their exit codes, and which
 * decisions people make: /agentd:plan, /agentd:impl and /agentd:archive, for Claude Code
 * (.claude/commands/agentd/NAME.md) and for the Gemini command line
 * (.gemini/commands/agentd/NAME.toml). */
#ifndef AGENTD_SKILLS_H
#define AGENTD_SKILLS_H

#include "shared/error.h"

enum { PROMPT_FILES = 4, SKILL_FILES = 6 };

/* The path below the project of a file, by its number: 0 to PROMPT_FILES - 1, and 0 to
 * SKILL_FILES - 1. */
const char *prompt_file_path(int number);
const char *skill_file_path(int number);

/* Its text, malloc'ed; NULL and an error when out of memory. */
char *prompt_file_text(int number, host_error *error);
char *skill_file_text(int number, host_error *error);

#endif
