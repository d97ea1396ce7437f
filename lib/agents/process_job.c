#include "process_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "../base/invariant.h"
#include "coding_job.h"
#include "files.h"
#include "fill.h"

static void free_list(char **list)
{
    size_t index;

    for (index = 0; list && list[index]; index++)
        free(list[index]);
    free(list);
}

/* Copies of texts with marks filled in, and room for `more` behind them. */
static char **fill_list(char *const *texts, const wfa_mark *marks, size_t more)
{
    size_t count = 0, index;
    char **list;

    while (texts[count])
        count++;
    list = calloc(count + more + 1, sizeof *list);
    for (index = 0; list && index < count; index++) {
        list[index] = wfa_fill(texts[index], marks);
        if (!list[index]) {
            free_list(list);
            return NULL;
        }
    }
    return list;
}

static char **make_coding(const wfa_process_job *job, const wfa_agent_config *config,
                          const wfa_process_host *host, wfa_error *error)
{
    int32_t before = job->invocation.number - 1;
    char *base_before = before > 0 ? wfa_run_base(host, job->invocation.id, before) : NULL;
    const wfa_coding_attempt attempt = {.config = config,
                                        .schema = job->invocation.schema,
                                        .base = job->base,
                                        .base_before = base_before};
    char **words = wfa_coding_command(&attempt, error);

    free(base_before);
    return words;
}

/* NULL and an error. */
static char **make_command(const wfa_process_job *job, const wfa_agent_config *config,
                           const wfa_process_host *host, wfa_error *error)
{
    const char *prompt = job->invocation.prompt ? job->invocation.prompt : "";
    const wfa_mark marks[] = {{"{prompt}", prompt}, {NULL, NULL}};

    if (config->coding)
        return make_coding(job, config, host, error);
    (void)wfa_no_memory(error);
    return fill_list(config->command, marks, 0);
}

/* Ours come last, so the configuration cannot take their names away. */
static int make_environment(wfa_process_job *job, const wfa_agent_config *config)
{
    enum { OURS = 3 };
    static const char *const ours[] = {"WFSM_INVOCATION_ID={id}", "WFSM_ATTEMPT={attempt}",
                                       "WFSM_AGENT={agent}", NULL};
    const wfa_mark marks[] = {{"{id}", job->invocation.id},
                              {"{attempt}", job->invocation.attempt},
                              {"{agent}", config->name},
                              {NULL, NULL}};
    const wfa_mark none[] = {{NULL, NULL}};
    size_t count = 0, index;

    job->env = fill_list(config->env, none, OURS);
    if (!job->env)
        return -1;
    while (job->env[count])
        count++;
    for (index = 0; ours[index]; index++) {
        job->env[count + index] = wfa_fill(ours[index], marks);
        if (!job->env[count + index])
            return -1;
    }
    WF_INVARIANT(index == OURS);
    return 0;
}

/* The worktree that the input names; where the host lets agents work if it names none. */
static const char *worktree_of(const json_t *input, const wfa_process_host *host)
{
    const char *path = json_string_value(json_object_get(input, "worktreePath"));

    if (path && *path)
        return path;
    return host->folder ? host->folder : ".";
}

static int make_folder(wfa_process_job *job, const wfa_agent_config *config,
                       const wfa_process_host *host)
{
    const char *folder = config->folder ? config->folder : host->folder;
    char name[WFA_FILE_NAME_SIZE];
    json_t *input;

    if (!folder)
        return 0;
    wfa_file_name(job->invocation.instance, name);
    input = strstr(folder, "{worktree}") ? json_loads(job->invocation.input, 0, NULL) : NULL;
    job->folder = wfa_fill(folder, (const wfa_mark[]){{"{instance}", name},
                                                      {"{worktree}", worktree_of(input, host)},
                                                      {NULL, NULL}});
    json_decref(input);
    return job->folder ? 0 : -1;
}

char *wfa_run_base(const wfa_process_host *host, const char *id, int32_t attempt)
{
    char name[WFA_FILE_NAME_SIZE + 16];

    WF_INVARIANT(attempt > 0);
    wfa_file_name(id, name);
    (void)snprintf(name + strlen(name), 16, ".%d", (int)attempt);
    return wfa_path_join(host->runs, name);
}

static void set_spec(wfa_process_job *job, const wfa_agent_config *config)
{
    job->spec = (wfa_child_spec){
        .argv = (const char *const *)job->words,
        .folder = job->folder,
        .env = (const char *const *)job->env,
        .pass_env = (const char *const *)config->pass_env,
        .input = job->invocation.text,
        .input_length = job->invocation.length,
        .base = job->base,
        .token = job->invocation.claimed,
        .timeout_ms = config->timeout_ms,
        .grace_ms = config->grace_ms,
        .max_output = config->max_output,
        .max_log = config->max_log,
    };
}

int wfa_process_job_make(wfa_process_job *job, const wfa_agent_config *config,
                         const wfa_process_host *host, wfsm_call *call, wfa_error *error)
{
    memset(job, 0, sizeof *job);
    if (wfa_invocation_make(&job->invocation, call, config, error) != 0)
        return -1;
    job->base = wfa_run_base(host, job->invocation.id, job->invocation.number);
    if (!job->base)
        return wfa_no_memory(error);
    job->words = make_command(job, config, host, error);
    if (!job->words)
        return -1;
    if (make_environment(job, config) != 0 || make_folder(job, config, host) != 0)
        return wfa_no_memory(error);
    set_spec(job, config);
    return 0;
}

void wfa_process_job_clear(wfa_process_job *job)
{
    wfa_invocation_clear(&job->invocation);
    free_list(job->words);
    free_list(job->env);
    free(job->folder);
    free(job->base);
}
