#include "machine_file.h"

#include <stdlib.h>

#include "files.h"

static int refuse(const char *path, const wfsm_error *why, host_error *error)
{
    int32_t line = wfsm_error_line(why);

    if (line > 0)
        return host_fail(error, "%s:%d:%d: %s", path, (int)line, (int)wfsm_error_column(why),
                         wfsm_error_message(why));
    return host_fail(error, "%s: %s %s", path, wfsm_error_pointer(why),
                     wfsm_error_message(why));
}

int host_machine_load_text(wfsm_machine **machine, const char *path, const char *text,
                           size_t length, host_error *error)
{
    wfsm_error *why = wfsm_error_new(NULL);
    int done = -1;

    if (!why)
        return host_fail(error, "out of memory");
    if (wfsm_machine_load(machine, text, length, NULL, NULL, why) == WFSM_OK)
        done = 0;
    else
        (void)refuse(path, why, error);
    wfsm_error_free(why);
    return done;
}

int host_machine_load(wfsm_machine **machine, const char *path, host_error *error)
{
    char *text;
    size_t length;
    int done;

    if (host_file_read(path, (size_t)64 << 20, &text, &length, error) != 0)
        return -1;
    done = host_machine_load_text(machine, path, text, length, error);
    free(text);
    return done;
}

int host_machine_add(wfsm_engine *engine, const char *path, host_error *error)
{
    wfsm_machine *machine = NULL;
    int32_t status;

    if (host_machine_load(&machine, path, error) != 0)
        return -1;
    status = wfsm_engine_add_machine(engine, machine, NULL);
    wfsm_machine_unref(machine);
    return status == WFSM_OK ? 0 : host_fail(error, "%s: out of memory", path);
}
