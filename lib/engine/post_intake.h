/* engine/post_intake.h: posts for the instances of this engine are consumed. */
#ifndef WF_ENGINE_POST_INTAKE_H
#define WF_ENGINE_POST_INTAKE_H

#include <wfsm/engine.h>

/* Each post that the last exchange has returned becomes an input of its instance. */
void wf_posts_consume(wfsm_engine *engine);
#endif
