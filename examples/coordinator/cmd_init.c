/* coordinator init: writes what a project needs to be worked on. Nothing is overwritten. */
#include "coordinator.h"

#include <unistd.h>

#include "init_text.h"
#include "shared/doctor.h"
#include "shared/kinds.h"
#include "shared/setup.h"
#include "shared/starters.h"
#include "wfsm/shown.h"

static int failed(const host_error *why)
{
    print_error("%s", why->message);
    return END_USAGE;
}

static int write_new(const char *path, const char *text, size_t length)
{
    host_error why;

    return host_setup_write(path, text, length, &why) == 0 ? END_FINE : failed(&why);
}

static int ignore_own_files(void)
{
    host_error why;

    return host_setup_ignore(ignored_lines, &why) == 0 ? END_FINE : failed(&why);
}

/* ---- which programs ---- */

static int choose_all(const char *kind, const char *kinds[ROLES])
{
    int index;

    for (index = 0; index < ROLES; index++)
        kinds[index] = kind;
    return END_FINE;
}

static int ask_all(const char *kinds[ROLES])
{
    const char *usual = host_kind_installed();
    int index;

    for (index = 0; index < ROLES; index++) {
        kinds[index] = host_kind_ask(role_names[index], usual);
        if (!kinds[index])
            return END_USAGE;
        usual = kinds[index];
    }
    return END_FINE;
}

static int choose(const arguments *given, const char *kinds[ROLES])
{
    if (given->agent)
        return choose_all(host_kind_named(given->agent), kinds);
    if (given->yes)
        return choose_all(host_kind_installed(), kinds);
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return ask_all(kinds);
    print_error("there is no terminal to ask at: expected --yes, or --agent claude, codex, "
                "gemini or command");
    return END_USAGE;
}

/* ---- the files ---- */

static int write_configuration(const arguments *given)
{
    const char *kinds[ROLES];
    host_text text = {.data = NULL};
    int code = END_FINE;

    if (access(given->config, F_OK) == 0) {
        code = write_new(given->config, "", 0);
        host_kind_unused(given->agent, given->config);
        return code;
    }
    code = choose(given, kinds);
    if (code == END_FINE && init_text_make(&text, kinds) != 0)
        code = END_STORE;
    if (code == END_FINE)
        code = write_new(given->config, text.data, text.length);
    host_text_free(&text);
    return code;
}

static int write_starters(const char *config)
{
    host_error why;

    return host_setup_starters(starter_texts, "coordinator", config, &why) == 0 ? END_FINE
                                                                                : failed(&why);
}

/* ---- the end ---- */

static int examine(const arguments *given)
{
    settings with;
    wfsm_error *error = wfsm_error_new(NULL);
    int is_well = -1;

    shown_printf("\n");
    if (settings_read(&with, given->config, error) == WFSM_OK)
        is_well = host_doctor(with.agents);
    if (is_well < 0)
        print_error("%s", wfsm_error_message(error));
    else
        shown_printf("\n%s\n    coordinator run --task \"…\" --workspace .\n",
                     is_well ? "Next:" : "When that is done:");
    settings_clear(&with);
    wfsm_error_free(error);
    return is_well < 0 ? END_USAGE : is_well ? END_FINE : END_OTHER;
}

static int init(const arguments *given)
{
    int code = write_configuration(given);

    if (code == END_FINE)
        code = write_starters(given->config);
    if (code == END_FINE)
        code = ignore_own_files();
    return code == END_FINE ? examine(given) : code;
}

int cmd_init(const arguments *given, const settings *with)
{
    int aside = given->json ? host_setup_aside() : -1, code = init(given);

    (void)with;
    if (given->json)
        host_setup_tell(aside, given->config, code == END_FINE);
    return code;
}
