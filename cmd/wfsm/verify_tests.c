/* Test cases in a folder: for each the lines of `wfsm simulate --by-hand`, and what it prints. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "wfsm/shown.h"
#include "wfsm/simulate_print.h"
#include "wfsm/simulate_script.h"
#include "wfsm/verify_print.h"

static void name_file(cli_text *name, const char *folder, size_t number, const char *ending)
{
    char rest[64];
    snprintf(rest, sizeof rest, "/case-%03zu%s", number, ending);
    name->length = 0;
    cli_text_add(name, folder, strlen(folder));
    cli_text_add(name, rest, strlen(rest));
}

static bool print_step(void *user, const cli_text *line, sim_run *sim)
{
    (void)line;
    return sim_print(user, sim);
}

static bool put_case(FILE *lines, FILE *expected, wfsm_machine *machine, const char *script)
{
    shown_fputs(script, lines);
    if (script_play(machine, script, print_step, expected))
        return true;
    cli_say("a test case cannot be replayed: please report this");
    return false;
}

static bool close_file(FILE *file, const char *name)
{
    bool fine = !ferror(file);
    if (fclose(file) == 0 && fine)
        return true;
    cli_say("%s: %s", name, strerror(errno));
    return false;
}

static FILE *open_file(const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        cli_say("%s: %s", name, strerror(errno));
    return file;
}

static bool write_case(const char *folder, size_t number, wfsm_machine *machine,
                       const char *script)
{
    cli_text lines = {0}, expected = {0};
    name_file(&lines, folder, number, ".jsonl");
    name_file(&expected, folder, number, ".expected.jsonl");
    FILE *first = open_file(lines.data);
    FILE *second = first ? open_file(expected.data) : NULL;
    bool fine = first && second && put_case(first, second, machine, script);
    if (first)
        fine = close_file(first, lines.data) && fine;
    if (second)
        fine = close_file(second, expected.data) && fine;
    cli_text_free(&lines);
    cli_text_free(&expected);
    return fine;
}

/* Those of an earlier call that wrote more. */
static void remove_old(const char *folder, size_t number)
{
    cli_text name = {0};
    bool more = true;
    for (; more; number++) {
        name_file(&name, folder, number, ".jsonl");
        more = unlink(name.data) == 0;
        name_file(&name, folder, number, ".expected.jsonl");
        more |= unlink(name.data) == 0;
    }
    cli_text_free(&name);
}

bool verify_write_tests(const char *folder, const wfsm_verification *found,
                        wfsm_machine *machine)
{
    const char *script;
    size_t count = 0;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cli_say("%s: %s", folder, strerror(errno));
        return false;
    }
    for (; (script = wfsm_verification_case(found, count)); count++)
        if (!write_case(folder, count + 1, machine, script))
            return false;
    remove_old(folder, count + 1);
    return true;
}
