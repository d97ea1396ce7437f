/* `new` as libwfsm-agents calls it, on the allocator that faults.c stands in front of. Not as
 * toml++ does in its own library: it ends the process when memory runs out. */
#include <cstdlib>
#include <new>

extern "C" void *__wrap__Znwm(std::size_t bytes);
extern "C" void *__real__Znwm(std::size_t bytes);

extern "C" void *__wrap__Znwm(std::size_t bytes)
{
    void *probe = std::malloc(1);

    if (!probe)
        throw std::bad_alloc();
    std::free(probe);
    return __real__Znwm(bytes);
}
