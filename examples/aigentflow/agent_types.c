#include "agent_types.h"

#include <string.h>

const char *const agent_types[AGENT_TYPES] = {
    "project_manager",  "architect",          "analyst",           "ui_designer",
    "git_agent",        "frontend_developer", "backend_developer", "tester",
    "bug_fixer",        "merge_resolver",     "reviewer",          "project_analyzer",
    "compliance_agent",
};

const char *const agent_phases[AGENT_PHASES] = {
    "planning", "design_competition", "development", "testing", "fixing", "review",
};

static const char *const priorities[] = {"high", "normal", "low"};

static int is_one_of(const char *word, const char *const *list, size_t count)
{
    size_t index;

    for (index = 0; word && index < count; index++)
        if (strcmp(word, list[index]) == 0)
            return 1;
    return 0;
}

int is_agent_type(const char *word)
{
    return is_one_of(word, agent_types, AGENT_TYPES);
}

int is_agent_phase(const char *word)
{
    return is_one_of(word, agent_phases, AGENT_PHASES);
}

int is_agent_priority(const char *word)
{
    return is_one_of(word, priorities, sizeof priorities / sizeof *priorities);
}
