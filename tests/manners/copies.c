/* The library in a plug-in: opened and closed in a loop, in two copies at once, and used on
 * both sides of a fork. usage: copies LIBRARY SECOND-COPY */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wfsm/wfsm.h>
#include "../given.h"

static const char document[] =
    "{\"id\": \"m\", \"initial\": \"a\", \"context\": {\"n\": 0}, \"states\": {\"a\": {\"on\": "
    "{\"go\": {\"actions\": {\"type\": \"assign\", \"params\": "
    "{\"n\": {\"+\": [{\"var\": \"context.n\"}, 1]}}}}}}}}";

/* What one copy offers; each is looked up in it, so that copies cannot mix. */
typedef struct copy {
    void *library;
    int32_t (*load)(wfsm_machine **, const char *, size_t, const wfsm_machine_limits *,
                    const wfsm_allocator *, wfsm_error *);
    int32_t (*open)(wfsm_store **, const wfsm_allocator *, wfsm_error *);
    int32_t (*start)(wfsm_instance **, wfsm_machine *, const wfsm_start_options *, int64_t,
                     wfsm_error *);
    int32_t (*send)(wfsm_instance *, const wfsm_event *, int64_t, int32_t *, wfsm_error *);
    const char *(*context)(const wfsm_instance *, size_t *);
    void (*free_instance)(wfsm_instance *);
    void (*free_store)(wfsm_store *);
    void (*unref)(wfsm_machine *);
} copy;

typedef struct use {
    wfsm_machine *machine;
    wfsm_store *store;
    wfsm_instance *instance;
} use;

static void die(const char *what)
{
    fprintf(stderr, "copies: %s\n", what);
    exit(1);
}

/* ISO C has no cast from data to function pointers; POSIX asks for this one to work. */
static void look_up(copy *c, const char *name, void *function)
{
    void *symbol = dlsym(c->library, name);

    if (!symbol)
        die(dlerror());
    memcpy(function, &symbol, sizeof symbol);
}

static void open_copy(copy *c, const char *path)
{
    c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!c->library)
        die(dlerror());
    look_up(c, "wfsm_machine_load", &c->load);
    look_up(c, "wfsm_memory_open", &c->open);
    look_up(c, "wfsm_instance_start", &c->start);
    look_up(c, "wfsm_instance_send", &c->send);
    look_up(c, "wfsm_instance_context", &c->context);
    look_up(c, "wfsm_instance_free", &c->free_instance);
    look_up(c, "wfsm_store_free", &c->free_store);
    look_up(c, "wfsm_machine_unref", &c->unref);
}

static void begin(const copy *c, use *u)
{
    if (c->load(&u->machine, document, strlen(document), NULL, NULL, NULL) ||
        c->open(&u->store, NULL, NULL) ||
        c->start(&u->instance, u->machine, START("i", .store = u->store), 0, NULL))
        die("an instance does not start");
}

static void step_to(const copy *c, use *u, int from, int to)
{
    char expected[32];
    int32_t outcome = 0;

    for (int i = from; i < to; i++) {
        if (c->send(u->instance, EVENT("go"), i, &outcome, NULL) || outcome != WFSM_TAKEN)
            die("an event is not taken");
    }
    snprintf(expected, sizeof expected, "{\"n\":%d}", to);
    if (strcmp(c->context(u->instance, NULL), expected) != 0)
        die("the context is another one");
}

static void end(const copy *c, use *u)
{
    c->free_instance(u->instance);
    c->free_store(u->store);
    c->unref(u->machine);
}

static int is_mapped(const char *path)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");

    if (!maps)
        die("/proc/self/maps cannot be read");
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, path) != NULL;
    fclose(maps);
    return found;
}

static void open_and_close(const char *path)
{
    for (int i = 0; i < 200; i++) {
        copy c;
        use u;

        open_copy(&c, path);
        begin(&c, &u);
        step_to(&c, &u, 0, 10);
        end(&c, &u);
        if (dlclose(c.library) != 0 || is_mapped(path))
            die("the library stays after dlclose");
    }
    puts("opened and closed 200 times");
}

static void two_at_once(const copy *first, const copy *second)
{
    use a, b;

    if (first->library == second->library)
        die("the two copies are one");
    begin(first, &a);
    begin(second, &b);
    for (int i = 0; i < 100; i++) {
        step_to(first, &a, i, i + 1);
        step_to(second, &b, 2 * i, 2 * i + 2);
    }
    end(first, &a);
    end(second, &b);
    puts("two copies, 300 steps");
}

/* Both processes continue with what is in memory; each has its own copy. */
static void across_a_fork(const copy *c)
{
    use u;
    int status = 0;

    begin(c, &u);
    step_to(c, &u, 0, 5);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        die("no fork");
    step_to(c, &u, 5, child == 0 ? 50 : 500);
    end(c, &u);
    if (child == 0)
        _exit(0);
    if (waitpid(child, &status, 0) != child || status != 0)
        die("the child failed");
    puts("went on in parent and child");
}

int main(int argc, char **argv)
{
    copy first, second;

    if (argc != 3)
        die("usage: copies LIBRARY SECOND-COPY");
    open_and_close(argv[1]);
    open_copy(&first, argv[1]);
    open_copy(&second, argv[2]);
    two_at_once(&first, &second);
    across_a_fork(&first);
    dlclose(first.library);
    dlclose(second.library);
    return 0;
}
