/* W7, verification: how fast a state space is explored, and the memory of a state. */
#include <stdlib.h>
#include <string.h>
#include <wfsm/verify.h>
#include <wfsm/wfsm.h>
#include "bench.h"

enum { LEAST = 1000 };

typedef struct subject {
    wfsm_machine *machine;
    wfsm_error *error;
    const char *inputs;
    wfsm_verify_counts counts;
} subject;

static void try_out(void *user)
{
    subject *self = user;
    wfsm_verification *found = NULL;
    wfsm_verify_options options = {.size = sizeof options, .inputs = self->inputs};
    options.inputs_length = strlen(self->inputs);
    if (wfsm_verify(&found, self->machine, &options, self->error) != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(self->error));
    if (wfsm_verification_verdict(found) != WFSM_HOLDS)
        bench_fail("wfsm", "the document does not hold");
    self->counts.size = sizeof self->counts;
    wfsm_verification_counts(found, &self->counts);
    wfsm_verification_free(found);
}

int main(int argc, char **argv)
{
    size_t length = 0;
    subject self = {.error = wfsm_error_new(NULL)};
    if (argc != 3)
        bench_fail("usage", "bench_verify DOCUMENT INPUTS");
    char *text = bench_read(argv[1], &length);
    self.inputs = argv[2];
    if (wfsm_machine_load(&self.machine, text, length, NULL, NULL, self.error) != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(self.error));
    double ns = bench_time(try_out, &self, 1, LEAST);
    double states = (double)self.counts.states;
    bench_print("verify", "moves", (double)self.counts.moves * 1e9 / ns, "/s", NULL);
    bench_print("verify", "moves that lead on", (double)self.counts.changes * 1e9 / ns, "/s",
                NULL);
    bench_print("verify", "states", states * 1e9 / ns, "/s", NULL);
    bench_print("verify", "key of a state", (double)self.counts.key_bytes / states, "B", NULL);
    bench_print("verify", "a state beyond its key",
                (double)(self.counts.memory - self.counts.key_bytes) / states, "B", NULL);
    wfsm_machine_unref(self.machine);
    wfsm_error_free(self.error);
    free(text);
    return 0;
}
