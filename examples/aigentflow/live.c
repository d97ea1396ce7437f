#include "live.h"

#include <stdio.h>
#include <string.h>

#include "agent_pool_work.h"

enum { ROOM = 4096 };

static void add(char *text, const char *line)
{
    if (strlen(text) + strlen(line) < ROOM)
        (void)strcat(text, line);
}

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

void live_show(wfsm_progress *progress, agent_pool *pool)
{
    char text[ROOM] = "", line[512];
    json_t *agents;
    size_t index;
    const json_t *one;

    if (!wfsm_progress_is_terminal(progress))
        return;
    agents = agent_pool_active(pool);
    json_array_foreach(agents, index, one)
    {
        (void)snprintf(line, sizeof line, "  %-20.40s %-12.40s %.40s\n",
                       or_nothing(pool_text(one, "type")), or_nothing(pool_text(one, "phase")),
                       or_nothing(pool_text(one, "featureId")));
        add(text, line);
    }
    (void)snprintf(line, sizeof line, "  %zu at work, %zu waiting\n", json_array_size(agents),
                   wfsm_engine_waiting(pool->engine));
    add(text, line);
    json_decref(agents);
    wfsm_progress_live(progress, text);
}
