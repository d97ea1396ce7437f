#include <wfsm/machine.h>

#include "machine/model.h"

const char *wfsm_machine_uses(const wfsm_machine *machine, int32_t kind, size_t index)
{
    if (!machine)
        return NULL;
    const wf_names *names = kind == WFSM_USES_GUARDS    ? &machine->guards
                            : kind == WFSM_USES_ACTIONS ? &machine->functions
                            : kind == WFSM_USES_AGENTS  ? &machine->agents
                                                        : NULL;
    return names && index < names->count ? names->list[index].text : NULL;
}
