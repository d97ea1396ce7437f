// The door of step.c in C++17: each handle in a unique_ptr, each failing status an exception.
// Objects are freed in the reverse order of their making, which is the right one.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <wfsm/wfsm.h>

namespace
{

template <auto Free> struct Freed {
    template <class T> void operator()(T *handle) const noexcept
    {
        Free(handle);
    }
};
using Error = std::unique_ptr<wfsm_error, Freed<wfsm_error_free>>;
using Machine = std::unique_ptr<wfsm_machine, Freed<wfsm_machine_unref>>;
using Store = std::unique_ptr<wfsm_store, Freed<wfsm_store_free>>;

// Calls what ends with an error; a status that is not OK becomes an exception.
template <class Function, class... Arguments> void check(Function f, Arguments... arguments)
{
    const Error error(wfsm_error_new(nullptr));
    if (f(arguments..., error.get()) != WFSM_OK)
        throw std::runtime_error(wfsm_error_message(error.get()));
}

// The same for what makes a handle, its first argument.
template <class Pointer, class Function, class... Arguments>
Pointer make(Function f, Arguments... arguments)
{
    typename Pointer::pointer handle = nullptr;
    check(f, &handle, arguments...);
    return Pointer(handle);
}

class Instance
{
  public:
    Instance(const Machine &machine, const Store &store, const std::string &id)
    {
        wfsm_start_options options{};
        options.size = sizeof options;
        options.id = id.c_str();
        options.store = store.get();
        instance_ = make<Handle>(wfsm_instance_start, machine.get(), &options, std::int64_t{0});
    }
    bool send(const std::string &event, std::string_view data, std::int64_t now)
    {
        wfsm_event sent{};
        sent.size = sizeof sent;
        sent.name = event.c_str();
        sent.data = data.data();
        sent.length = data.size();
        std::int32_t outcome = 0;
        check(wfsm_instance_send, instance_.get(), &sent, now, &outcome);
        return outcome == WFSM_TAKEN;
    }
    std::string configuration() const
    {
        return wfsm_instance_configuration(instance_.get(), nullptr);
    }

  private:
    using Handle = std::unique_ptr<wfsm_instance, Freed<wfsm_instance_free>>;
    Handle instance_;
};

} // namespace

int main()
try {
    constexpr std::string_view door =
        R"({"id": "door", "initial": "closed", "states": {
             "closed": {"on": {"open": "opened"}}, "opened": {"on": {"close": "closed"}}}})";
    const auto machine =
        make<Machine>(wfsm_machine_load, door.data(), door.size(), nullptr, nullptr);
    const auto store = make<Store>(wfsm_memory_open, nullptr);
    Instance front(machine, store, "front");
    const bool taken = front.send("open", {}, 1);
    std::printf("%s, the door is %s\n", taken ? "taken" : "not taken",
                front.configuration().c_str());
    return 0;
} catch (const std::exception &failure) {
    std::fprintf(stderr, "raii: %s\n", failure.what());
    return 1;
}
