#include "wfsm/work.h"

#include <stdlib.h>
#include <string.h>
#include <wfsm/pool.h>

static int32_t kind_of(const char *text, size_t length)
{
    static const char *const names[] = {
        [WFSM_POOL_AGENT] = "agent", [WFSM_POOL_PHASE] = "phase", [WFSM_POOL_GROUP] = "group"};
    for (int32_t i = WFSM_POOL_AGENT; i <= WFSM_POOL_GROUP; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            return i;
    return 0;
}

int work_share_parse(const char *text, work_share *out)
{
    const char *colon = strchr(text, ':'), *equals = strrchr(text, '=');
    size_t length = colon && equals > colon ? (size_t)(equals - colon) - 1 : 0;
    int64_t most = 0;
    out->kind = length > 0 ? kind_of(text, (size_t)(colon - text)) : 0;
    if (out->kind == 0 || length >= sizeof out->name)
        return cli_misused(
            "--share: expected agent:NAME=N, phase:NAME=N or group:NAME=N, not %s", text);
    memcpy(out->name, colon + 1, length);
    out->name[length] = '\0';
    if (!many_number("--share", equals + 1, &most))
        return CLI_USAGE;
    if (most < 1 || most > INT32_MAX)
        return cli_misused("--share: expected 1 to %d, not %s", INT32_MAX, equals + 1);
    out->most = (uint32_t)most;
    return CLI_OK;
}

int32_t work_share_all(work *self, const many *texts)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < texts->count && status == WFSM_OK; i++) {
        work_share one;
        work_share_parse(texts->ids[i], &one); /* it was parsed before */
        status = wfsm_engine_limit_shared(wfsm_loop_engine(self->loop), one.kind, one.name,
                                          one.most, self->error);
    }
    return status;
}
