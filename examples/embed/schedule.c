/* A schedule: schedule MACHINE.json STORE.db ID SCHEDULE.json. It creates the schedule ID, if it is not
 * there, and starts what is due, until SIGINT or SIGTERM. Killed and started again, it continues. */
#include <stdio.h>
#include <string.h>
#include <wfsm/loop.h>
#include <wfsm/schedule.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

static int32_t create(wfsm_store *store, const char *id, const char *path, wfsm_error *error)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    int32_t status = wfsm_schedule_create(store, id, text, length, wfsm_agents_now(), error);

    if (file)
        fclose(file);
    return status == WFSM_EXISTS ? WFSM_OK : status;
}

int main(int argc, char **argv)
{
    const wfsm_loop_options options = {
        .size = sizeof options, .serve = 1, .progress = 1, .schedules = 1};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    wfsm_loop *loop = NULL;
    int32_t status;

    if (argc != 5) {
        fputs("usage: schedule MACHINE.json STORE.db ID SCHEDULE.json\n", stderr);
        return 2;
    }
    if (!(status = wfsm_sqlite_open(&store, argv[2], NULL, NULL, error)) &&
        !(status = create(store, argv[3], argv[4], error)) &&
        !(status = wfsm_loop_new(&loop, store, &options, error)) &&
        !(status = wfsm_loop_load(loop, argv[1], error)) &&
        !(status =
              wfsm_engine_adopt_all(wfsm_loop_engine(loop), wfsm_agents_now(), NULL, error)))
        status = wfsm_loop_run(loop, error);
    if (status)
        fprintf(stderr, "schedule: %s\n", wfsm_error_message(error));
    wfsm_loop_free(loop);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return status ? 1 : 0;
}
