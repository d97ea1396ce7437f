/* engine/answer_commits.h: answers of agents are committed. */
#ifndef WF_ENGINE_ANSWER_COMMITS_H
#define WF_ENGINE_ANSWER_COMMITS_H

#include "engine/entries.h"

/* Commits the answer of a job. */
int32_t wf_job_commit_answer(wfsm_engine *engine, wf_job *job, wfsm_error *error);
/* After the commit of an answer the job continues or is over. */
void wf_job_answered(wfsm_engine *engine, wf_job *job);
#endif
