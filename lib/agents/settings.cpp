// The shim around toml++, the one C++ file. C++ ends here: no exception leaves it.
#include "config.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "files.h"

namespace
{

constexpr size_t most_bytes = 1024 * 1024;

struct free_memory {
    void operator()(void *memory) const
    {
        std::free(memory);
    }
};

using memory = std::unique_ptr<char, free_memory>;

} // namespace

struct wfa_table {
    wfa_config *config;
    const toml::table *node;
    std::vector<std::string> keys;
    std::set<std::string, std::less<>> asked;
};

struct wfa_config {
    std::string path;
    std::string folder;
    toml::table document;
    std::deque<wfa_table> tables;
    std::deque<std::string> texts;
    std::deque<std::vector<const char *>> lists;
};

namespace
{

int out_of_memory(wfa_error *error)
{
    return wfa_fail(error, "out of memory");
}

int fail_at(const wfa_config *config, const toml::source_position &at, wfa_error *error,
            const char *text)
{
    // A table that is only implied by [a.b] has no place of its own.
    if (at.line == 0)
        return wfa_fail(error, "%s: %s", config->path.c_str(), text);
    return wfa_fail(error, "%s:%u:%u: %s", config->path.c_str(), static_cast<unsigned>(at.line),
                    static_cast<unsigned>(at.column), text);
}

int fail_expected(const wfa_table *table, const char *key, const toml::node &found,
                  wfa_error *error, const std::string &expected)
{
    std::string text = std::string(key) + ": expected " + expected;

    return fail_at(table->config, found.source().begin, error, text.c_str());
}

// What is there under the key, or null; from now on the key was asked for.
const toml::node *ask(wfa_table *table, const char *key)
{
    table->asked.insert(key);
    return table->node->get(key);
}

wfa_table *add_table(wfa_config *config, const toml::table *node)
{
    config->tables.push_back({config, node, {}, {}});
    wfa_table *table = &config->tables.back();
    for (const auto &entry : *node)
        table->keys.emplace_back(entry.first.str());
    return table;
}

// A C text ends at its first NUL, and TOML can write one as \u0000.
bool is_c_text(const std::string &text)
{
    return text.find('\0') == std::string::npos;
}

const char *keep(wfa_config *config, const std::string &text)
{
    config->texts.push_back(text);
    return config->texts.back().c_str();
}

int parse(wfa_config *config, std::string_view text, wfa_error *error)
{
    try {
        config->document = toml::parse(text, config->path);
        return 0;
    } catch (const toml::parse_error &problem) {
        return fail_at(config, problem.source().begin, error,
                       std::string(problem.description()).c_str());
    }
}

int load(wfa_config *config, const char *path, wfa_error *error)
{
    char *data = nullptr;
    size_t length = 0;

    if (wfa_file_read(path, most_bytes, &data, &length, error) != 0)
        return -1;
    memory text(data);
    memory full(realpath(path, nullptr));
    if (!full)
        return wfa_fail(error, "%s: %s", path, std::strerror(errno));
    config->path = path;
    config->folder = full.get();
    config->folder.resize(std::max<size_t>(config->folder.rfind('/'), 1));
    if (parse(config, std::string_view(data, length), error) != 0)
        return -1;
    add_table(config, &config->document);
    return 0;
}

int read_strings(wfa_table *table, const char *key, const toml::array &array,
                 std::vector<const char *> &list, wfa_error *error)
{
    for (const toml::node &element : array) {
        const auto *text = element.as_string();
        if (!text || !is_c_text(text->get()))
            return fail_expected(table, key, element, error, "an array of strings");
        list.push_back(keep(table->config, text->get()));
    }
    return 0;
}

struct unknown_key {
    const wfa_table *table;
    const toml::key *key;
};

bool is_before(const toml::key &one, const toml::key &other)
{
    const auto &left = one.source().begin, &right = other.source().begin;

    return left.line != right.line ? left.line < right.line : left.column < right.column;
}

// The tables keep their keys by name; people read a file from the top.
void find_first_unknown(const wfa_table *table, unknown_key &first)
{
    for (const auto &entry : *table->node) {
        if (table->asked.find(entry.first.str()) != table->asked.end())
            continue;
        if (!first.key || is_before(entry.first, *first.key))
            first = {table, &entry.first};
    }
}

int fail_unknown(const unknown_key &first, wfa_error *error)
{
    std::string text = "unknown key '" + std::string(first.key->str()) + "', expected ";
    const char *between = "";

    for (const std::string &known : first.table->asked) {
        text += between + known;
        between = ", ";
    }
    if (first.table->asked.empty())
        text += "an empty table";
    return fail_at(first.table->config, first.key->source().begin, error, text.c_str());
}

// Memory is all that can run out behind the C face.
template <typename Work> int guarded(wfa_error *error, Work work)
{
    try {
        return work();
    } catch (const std::exception &) {
        return out_of_memory(error);
    }
}

} // namespace

int wfa_config_open(wfa_config **config, const char *path, wfa_error *error)
{
    *config = nullptr;
    return guarded(error, [&] {
        auto made = std::make_unique<wfa_config>();
        if (load(made.get(), path, error) != 0)
            return -1;
        *config = made.release();
        return 0;
    });
}

void wfa_config_close(wfa_config *config)
{
    delete config;
}

const char *wfa_config_folder(const wfa_config *config)
{
    return config->folder.c_str();
}

wfa_table *wfa_config_root(wfa_config *config)
{
    return &config->tables.front();
}

int wfa_config_check(wfa_config *config, wfa_error *error)
{
    return guarded(error, [&] {
        unknown_key first = {nullptr, nullptr};
        for (const wfa_table &table : config->tables)
            find_first_unknown(&table, first);
        return first.key ? fail_unknown(first, error) : 0;
    });
}

int wfa_table_has(const wfa_table *table, const char *key)
{
    return table->node->get(key) != nullptr;
}

int wfa_table_fail(const wfa_table *table, const char *key, wfa_error *error,
                   const char *format, ...)
{
    const toml::node *found = table->node->get(key);
    const toml::source_region &place = found ? found->source() : table->node->source();
    wfa_error text;
    va_list arguments;

    va_start(arguments, format);
    wfa_fail_list(&text, format, arguments);
    va_end(arguments);
    if (place.begin.line == 0)
        return wfa_fail(error, "%s: %s: %s", table->config->path.c_str(), key, text.message);
    return wfa_fail(error, "%s:%u:%u: %s: %s", table->config->path.c_str(),
                    static_cast<unsigned>(place.begin.line),
                    static_cast<unsigned>(place.begin.column), key, text.message);
}

int wfa_table_require(const wfa_table *table, const char *key, wfa_error *error)
{
    if (wfa_table_has(table, key))
        return 0;
    return wfa_table_fail(table, key, error, "missing");
}

int wfa_table_string(wfa_table *table, const char *key, const char *fallback,
                     const char **value, wfa_error *error)
{
    *value = fallback;
    return guarded(error, [&] {
        const toml::node *found = ask(table, key);
        if (!found)
            return 0;
        const auto *text = found->as_string();
        if (!text || !is_c_text(text->get()))
            return fail_expected(table, key, *found, error, "a string");
        *value = keep(table->config, text->get());
        return 0;
    });
}

int wfa_table_int(wfa_table *table, const char *key, int64_t fallback, int64_t least,
                  int64_t most, int64_t *value, wfa_error *error)
{
    *value = fallback;
    return guarded(error, [&] {
        const toml::node *found = ask(table, key);
        if (!found)
            return 0;
        const auto *number = found->as_integer();
        if (!number || number->get() < least || number->get() > most)
            return fail_expected(table, key, *found, error,
                                 "an integer from " + std::to_string(least) + " to " +
                                     std::to_string(most));
        *value = number->get();
        return 0;
    });
}

int wfa_table_bool(wfa_table *table, const char *key, int fallback, int *value,
                   wfa_error *error)
{
    *value = fallback;
    return guarded(error, [&] {
        const toml::node *found = ask(table, key);
        if (!found)
            return 0;
        const auto *yes = found->as_boolean();
        if (!yes)
            return fail_expected(table, key, *found, error, "true or false");
        *value = yes->get();
        return 0;
    });
}

int wfa_table_strings(wfa_table *table, const char *key, const char *const **values,
                      size_t *count, wfa_error *error)
{
    *values = nullptr;
    return guarded(error, [&] {
        const toml::node *found = ask(table, key);
        std::vector<const char *> list;
        if (found && !found->as_array())
            return fail_expected(table, key, *found, error, "an array of strings");
        if (found && read_strings(table, key, *found->as_array(), list, error) != 0)
            return -1;
        if (count)
            *count = list.size();
        list.push_back(nullptr);
        table->config->lists.push_back(std::move(list));
        *values = table->config->lists.back().data();
        return 0;
    });
}

int wfa_table_table(wfa_table *table, const char *key, wfa_table **value, wfa_error *error)
{
    *value = nullptr;
    return guarded(error, [&] {
        const toml::node *found = ask(table, key);
        if (!found)
            return 0;
        if (!found->as_table())
            return fail_expected(table, key, *found, error, "a table");
        for (wfa_table &known : table->config->tables)
            if (known.node == found->as_table())
                *value = &known;
        if (!*value)
            *value = add_table(table->config, found->as_table());
        return 0;
    });
}

const char *wfa_table_key(const wfa_table *table, size_t index)
{
    return index < table->keys.size() ? table->keys[index].c_str() : nullptr;
}
