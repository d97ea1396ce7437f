/* verify/choices.c: choices within a step, which is made once for each way to choose. */
#include "verify/successors.h"

uint32_t wf_choose(wf_explorer *explorer, uint32_t most)
{
    wf_choices *all = &explorer->choices;
    if (all->count == WF_CHOICES_MOST) {
        explorer->many_choices = true;
        return 0;
    }
    uint32_t place = all->count++;
    if (place >= all->fixed)
        all->answer[place] = 0;
    all->most[place] = (uint16_t)most;
    all->guard[place] = NULL;
    all->is_decision[place] = true;
    return all->answer[place];
}
