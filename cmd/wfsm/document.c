#include "wfsm/document.h"
#include "wfsm/shown.h"

const char *document_severity(const wfsm_diagnostic *diagnostic)
{
    static const char *const names[] = {"error", "warning", "note"};
    return names[diagnostic->severity >= 1 && diagnostic->severity <= 3
                     ? diagnostic->severity - 1
                     : 1];
}

void document_print(FILE *out, const char *path, const wfsm_diagnostic *diagnostic)
{
    shown_fprintf(out, "%s:%d:%d: %s: %s [%s]\n", path, (int)diagnostic->line,
                  (int)diagnostic->column, document_severity(diagnostic), diagnostic->message,
                  diagnostic->rule);
}

/* All that is wrong, not only what the loader met first. */
static size_t print_errors(const char *path, const cli_text *text)
{
    size_t errors = 0;
    wfsm_diagnostics *diagnostics = NULL;
    if (wfsm_machine_check(&diagnostics, text->data, text->length, NULL, NULL) != WFSM_OK)
        return 0;
    for (size_t i = 0; i < wfsm_diagnostics_count(diagnostics); i++) {
        wfsm_diagnostic diagnostic = {.size = sizeof diagnostic};
        if (wfsm_diagnostics_get(diagnostics, i, &diagnostic) != WFSM_OK ||
            diagnostic.severity != 1)
            continue;
        document_print(stderr, path, &diagnostic);
        errors++;
    }
    wfsm_diagnostics_free(diagnostics);
    return errors;
}

wfsm_machine *document_load(const char *path)
{
    cli_text text = {0};
    wfsm_machine *machine = NULL;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    if (cli_read_file(path, &text) &&
        wfsm_machine_load(&machine, text.data, text.length, NULL, NULL, error) != WFSM_OK &&
        print_errors(path, &text) == 0)
        cli_say_error(path, error);
    cli_text_free(&text);
    wfsm_error_free(error);
    return machine;
}
