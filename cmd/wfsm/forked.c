#include "wfsm/forked.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>
#include "wfsm/commands.h"

/* A server may have so many open. */
enum { MOST_FILES = 4096, MOST_WORDS = 15 };

char *forked_file(const char *text, size_t length)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%.400s/wfsm-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkstemp(path);
    if (file < 0)
        return NULL;
    bool fine = write(file, text, length) == (ssize_t)length;
    fine = close(file) == 0 && fine;
    if (fine)
        return cli_need(strdup(path));
    unlink(path);
    return NULL;
}

/* ---- in the new process ---- */

static int run_command(const char *const *words)
{
    int count = 0;
    while (words[count])
        count++;
    for (size_t i = 0; commands_all[i]; i++)
        if (strcmp(commands_all[i]->name, words[0]) == 0)
            return commands_all[i]->run(count - 1, (char **)(uintptr_t)(words + 1));
    return CLI_USAGE;
}

/* A file that has no name, with what the command reads. */
static int temporary(const char *input)
{
    char *path = input ? forked_file(input, strlen(input)) : NULL;
    int file = open(path ? path : "/dev/null", O_RDONLY);
    if (path)
        unlink(path);
    free(path);
    return file;
}

/* It ends with its parent. */
static void become(int in, int out, int errors)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    signal(SIGPIPE, SIG_DFL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    for (int other = STDERR_FILENO + 1; other < MOST_FILES; other++)
        close(other);
}

/* The server reads what the command writes. Its own input and output are not for the command. */
static void run_in_process(const char *const *words, const char *input, int out, int errors)
{
    become(temporary(input), out, errors);
    int code = run_command(words);
    fflush(stdout);
    _exit(code);
}

static void run_program(const char *const *words)
{
    const char *list[MOST_WORDS + 2] = {"wfsm"};
    for (size_t i = 0; i < MOST_WORDS && words[i]; i++)
        list[i + 1] = words[i];
    become(open("/dev/null", O_RDONLY), STDOUT_FILENO, STDERR_FILENO);
    execv("/proc/self/exe", (char *const *)(uintptr_t)list);
    _exit(127);
}

/* ---- in the server ---- */

pid_t forked_start(const char *const *words, const char *input, const int out[2],
                   const int errors[2])
{
    fflush(NULL);
    pid_t process = fork();
    if (process == 0)
        run_in_process(words, input, out[1], errors[1]);
    return process;
}

pid_t forked_program(const char *const *words)
{
    fflush(NULL);
    pid_t process = fork();
    if (process == 0)
        run_program(words);
    return process;
}

int forked_code(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
