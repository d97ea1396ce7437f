#include "errand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

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
static char **fill_list(const char *const *texts, const hk_mark *marks, size_t more)
{
    size_t count = 0, index;
    char **list;

    while (texts[count])
        count++;
    list = calloc(count + more + 1, sizeof *list);
    for (index = 0; list && index < count; index++) {
        list[index] = hk_fill(texts[index], marks);
        if (!list[index]) {
            free_list(list);
            return NULL;
        }
    }
    return list;
}

static int make_command(hk_errand *job, const hk_agent_config *config)
{
    const char *prompt = job->question.prompt ? job->question.prompt : "";
    const hk_mark marks[] = {{"{prompt}", prompt}, {NULL, NULL}};

    job->words = fill_list(config->command, marks, 0);
    return job->words ? 0 : -1;
}

/* Ours come last, so the configuration cannot take their names away. */
static int make_environment(hk_errand *job, const hk_agent_config *config)
{
    static const char *const ours[] = {"WFSM_INVOCATION_ID={id}", "WFSM_ATTEMPT={attempt}",
                                       "WFSM_AGENT={agent}", NULL};
    const hk_mark marks[] = {{"{id}", job->question.id},
                             {"{attempt}", job->question.attempt},
                             {"{agent}", config->name},
                             {NULL, NULL}};
    const hk_mark none[] = {{NULL, NULL}};
    size_t count = 0, index;

    job->env = fill_list(config->env, none, 3);
    if (!job->env)
        return -1;
    while (job->env[count])
        count++;
    for (index = 0; ours[index]; index++) {
        job->env[count + index] = hk_fill(ours[index], marks);
        if (!job->env[count + index])
            return -1;
    }
    return 0;
}

/* The worktree that the input names; where the host lets agents work if it names none. */
static const char *worktree_of(const json_t *input, const hk_process_host *host)
{
    const char *path = json_string_value(json_object_get(input, "worktreePath"));

    if (path && *path)
        return path;
    return host->folder ? host->folder : ".";
}

static int make_folder(hk_errand *job, const hk_agent_config *config,
                       const hk_process_host *host)
{
    const char *folder = config->folder ? config->folder : host->folder;
    char name[HK_FILE_NAME_SIZE];
    json_t *input;

    if (!folder)
        return 0;
    hk_file_name(job->question.instance, name);
    input = strstr(folder, "{worktree}") ? json_loads(job->question.input, 0, NULL) : NULL;
    job->folder = hk_fill(folder, (const hk_mark[]){{"{instance}", name},
                                                    {"{worktree}", worktree_of(input, host)},
                                                    {NULL, NULL}});
    json_decref(input);
    return job->folder ? 0 : -1;
}

char *hk_run_base(const hk_process_host *host, const char *id, int32_t attempt)
{
    char name[HK_FILE_NAME_SIZE + 16];

    hk_file_name(id, name);
    (void)snprintf(name + strlen(name), 16, ".%d", (int)attempt);
    return hk_path_join(host->runs, name);
}

static void set_spec(hk_errand *job, const hk_agent_config *config)
{
    job->spec = (hk_child_spec){
        .argv = (const char *const *)job->words,
        .folder = job->folder,
        .env = (const char *const *)job->env,
        .input = job->question.text,
        .input_length = job->question.length,
        .base = job->base,
        .token = job->question.claimed,
        .timeout_ms = config->timeout_ms,
        .grace_ms = config->grace_ms,
        .max_output = config->max_output,
        .max_log = config->max_log,
    };
}

int hk_errand_make(hk_errand *job, const hk_agent_config *config, const hk_process_host *host,
                   wfsm_call *call, hk_error *error)
{
    memset(job, 0, sizeof *job);
    if (hk_question_make(&job->question, call, config, error) != 0)
        return -1;
    job->base = hk_run_base(host, job->question.id, job->question.number);
    if (!job->base || make_command(job, config) != 0 || make_environment(job, config) != 0 ||
        make_folder(job, config, host) != 0)
        return hk_fail(error, "out of memory");
    set_spec(job, config);
    return 0;
}

void hk_errand_clear(hk_errand *job)
{
    hk_question_clear(&job->question);
    free_list(job->words);
    free_list(job->env);
    free(job->folder);
    free(job->base);
}
