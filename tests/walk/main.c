/* walk FILE SEED INPUTS [START…]: prints what a random walk over a document saw, as JSON. Each
 * START is a possible input of the start. Exit codes: 0 success; 1 the document has an error or
 * cannot start; 2 the command line is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "walk/read.h"
#include "walk/walk.h"

static int run(const char *text, size_t length, int argc, char **argv)
{
    walk self;
    wf_buffer out;
    bool good = walk_open(&self, text, length, strtoull(argv[2], NULL, 10));
    self.starts = (const char *const *)&argv[4];
    self.start_count = (size_t)argc - 4;
    good = good && walk_on(&self, strtoull(argv[3], NULL, 10));
    if (good) {
        wf_buffer_init(&out, &self.machine->allocator);
        walk_report(&self, &out);
        fwrite(out.data, 1, out.length, stdout);
        wf_buffer_fini(&out);
    } else {
        fprintf(stderr, "walk: %s\n", wfsm_error_message(self.error));
    }
    walk_close(&self);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    size_t length = 0;
    if (argc < 4) {
        fputs("usage: walk FILE SEED INPUTS [START…]\n", stderr);
        return 2;
    }
    char *text = walk_read(argv[1], &length);
    int code = text ? run(text, length, argc, argv) : 1;
    free(text);
    return code;
}
