// wfsm/settings.h: a shim around toml++, the one C++ file. C++ ends here: no exception leaves it.
#include <wfsm/settings.h>

#include <algorithm>
#include <cerrno>
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
#include "toml_depth.h"

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

struct wfsm_table {
    wfsm_settings *settings;
    const toml::table *node;
    std::vector<std::string> keys;
    std::set<std::string, std::less<>> asked;
};

struct wfsm_settings {
    std::string path;
    std::string folder;
    toml::table document;
    std::deque<wfsm_table> tables;
    std::deque<std::string> texts;
    std::deque<std::vector<const char *>> lists;
};

namespace
{

int32_t fail_at(const wfsm_settings *settings, const toml::source_position &at, int32_t status,
                const std::string &text, wfsm_error *error)
{
    std::string message = settings->path;

    // A table that is only implied by [a.b] has no place of its own.
    if (at.line > 0)
        message += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
    return wfsm_error_set(error, status, (message + ": " + text).c_str());
}

int32_t fail_expected(const wfsm_table *table, const char *key, const toml::node &found,
                      const std::string &expected, wfsm_error *error)
{
    return fail_at(table->settings, found.source().begin, WFSM_SEMANTIC,
                   std::string(key) + ": expected " + expected, error);
}

// What is there under the key, or null; from now on the key was asked for.
const toml::node *ask(wfsm_table *table, const char *key)
{
    table->asked.insert(key);
    return table->node->get(key);
}

wfsm_table *add_table(wfsm_settings *settings, const toml::table *node)
{
    settings->tables.push_back({settings, node, {}, {}});
    wfsm_table *table = &settings->tables.back();
    for (const auto &entry : *node)
        table->keys.emplace_back(entry.first.str());
    return table;
}

// A C text ends at its first NUL, and TOML can write one as \u0000.
bool is_c_text(const std::string &text)
{
    return text.find('\0') == std::string::npos;
}

const char *keep(wfsm_settings *settings, const std::string &text)
{
    settings->texts.push_back(text);
    return settings->texts.back().c_str();
}

int32_t parse(wfsm_settings *settings, std::string_view text, wfsm_error *error)
{
    wfa_toml_place deep;

    if (wfa_toml_is_too_deep(text.data(), text.size(), &deep))
        return fail_at(settings, {deep.line, deep.column}, WFSM_LIMIT,
                       "expected keys of at most " + std::to_string(WFA_TOML_DEPTH) +
                           " parts, and values nested at most as deeply",
                       error);
    try {
        settings->document = toml::parse(text, settings->path);
        return WFSM_OK;
    } catch (const toml::parse_error &failure) {
        return fail_at(settings, failure.source().begin, WFSM_SYNTAX,
                       std::string(failure.description()), error);
    }
}

int32_t load(wfsm_settings *settings, const char *path, wfsm_error *error)
{
    char *data = nullptr;
    size_t length = 0;
    wfa_error why;

    if (wfa_file_read(path, most_bytes, &data, &length, &why) != 0)
        return wfa_report(&why, error);
    memory text(data);
    memory full(realpath(path, nullptr));
    if (!full)
        return wfsm_error_set(error, WFSM_IO,
                              (std::string(path) + ": " + std::strerror(errno)).c_str());
    settings->path = path;
    settings->folder = full.get();
    settings->folder.resize(std::max<size_t>(settings->folder.rfind('/'), 1));
    int32_t status = parse(settings, std::string_view(data, length), error);
    if (status == WFSM_OK)
        add_table(settings, &settings->document);
    return status;
}

int32_t read_strings(wfsm_table *table, const char *key, const toml::array &array,
                     std::vector<const char *> &list, wfsm_error *error)
{
    for (const toml::node &element : array) {
        const auto *text = element.as_string();
        if (!text || !is_c_text(text->get()))
            return fail_expected(table, key, element, "an array of strings", error);
        list.push_back(keep(table->settings, text->get()));
    }
    return WFSM_OK;
}

std::string with_folder(const wfsm_settings *settings, const char *text)
{
    std::string path = text;

    for (size_t at = 0; (at = path.find("{dir}", at)) != std::string::npos;
         at += settings->folder.size())
        path.replace(at, std::strlen("{dir}"), settings->folder);
    return path;
}

struct unknown_key {
    const wfsm_table *table;
    const toml::key *key;
};

bool is_before(const toml::key &one, const toml::key &other)
{
    const auto &left = one.source().begin, &right = other.source().begin;

    return left.line != right.line ? left.line < right.line : left.column < right.column;
}

// The tables keep their keys by name; people read a file from the top.
void find_first_unknown(const wfsm_table *table, unknown_key &first)
{
    for (const auto &entry : *table->node) {
        if (table->asked.find(entry.first.str()) != table->asked.end())
            continue;
        if (!first.key || is_before(entry.first, *first.key))
            first = {table, &entry.first};
    }
}

int32_t fail_unknown(const unknown_key &first, wfsm_error *error)
{
    std::string text = "unknown key '" + std::string(first.key->str()) + "', expected ";
    const char *between = "";

    for (const std::string &known : first.table->asked) {
        text += between + known;
        between = ", ";
    }
    if (first.table->asked.empty())
        text += "an empty table";
    return fail_at(first.table->settings, first.key->source().begin, WFSM_SEMANTIC, text,
                   error);
}

// Memory is all that can run out behind the C face.
template <typename Work> int32_t guarded(wfsm_error *error, Work work)
{
    try {
        return work();
    } catch (const std::exception &) {
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    }
}

// Reads one key: `read` is given what is there, if it is.
template <typename Read>
int32_t read_key(wfsm_table *table, const char *key, const void *value, wfsm_error *error,
                 Read read)
{
    if (!table || !key || !value)
        return wfsm_error_set(error, WFSM_INVALID, "expected a table, a key and a value");
    return guarded(error, [&]() -> int32_t {
        const toml::node *found = ask(table, key);
        return found ? read(*found) : static_cast<int32_t>(WFSM_OK);
    });
}

} // namespace

int32_t wfsm_settings_open(wfsm_settings **settings, const char *path, wfsm_error *error)
{
    if (!settings || !path)
        return wfsm_error_set(error, WFSM_INVALID, "expected settings and a path");
    *settings = nullptr;
    return guarded(error, [&] {
        auto made = std::make_unique<wfsm_settings>();
        int32_t status = load(made.get(), path, error);
        if (status == WFSM_OK)
            *settings = made.release();
        return status;
    });
}

void wfsm_settings_free(wfsm_settings *settings)
{
    delete settings;
}

wfsm_table *wfsm_settings_root(wfsm_settings *settings)
{
    return settings ? &settings->tables.front() : nullptr;
}

const char *wfsm_settings_folder(const wfsm_settings *settings)
{
    return settings ? settings->folder.c_str() : "";
}

int32_t wfsm_settings_check(const wfsm_settings *settings, wfsm_error *error)
{
    if (!settings)
        return wfsm_error_set(error, WFSM_INVALID, "expected settings");
    return guarded(error, [&] {
        unknown_key first = {nullptr, nullptr};
        for (const wfsm_table &table : settings->tables)
            find_first_unknown(&table, first);
        return first.key ? fail_unknown(first, error) : static_cast<int32_t>(WFSM_OK);
    });
}

int32_t wfsm_table_has(const wfsm_table *table, const char *key)
{
    return table && key && table->node->get(key) != nullptr;
}

int32_t wfsm_table_require(const wfsm_table *table, const char *key, wfsm_error *error)
{
    if (wfsm_table_has(table, key))
        return WFSM_OK;
    return wfsm_table_fail(table, key, "missing", error);
}

int32_t wfsm_table_string(wfsm_table *table, const char *key, const char **value,
                          wfsm_error *error)
{
    return read_key(table, key, value, error, [&](const toml::node &found) -> int32_t {
        const auto *text = found.as_string();
        if (!text || !is_c_text(text->get()))
            return fail_expected(table, key, found, "a string", error);
        *value = keep(table->settings, text->get());
        return WFSM_OK;
    });
}

int32_t wfsm_table_path(wfsm_table *table, const char *key, const char **value,
                        wfsm_error *error)
{
    int32_t status = wfsm_table_string(table, key, value, error);

    if (status != WFSM_OK || !*value)
        return status;
    if (!**value)
        return wfsm_table_fail(table, key, "expected a path, found an empty text", error);
    return guarded(error, [&] {
        *value = keep(table->settings, with_folder(table->settings, *value));
        return static_cast<int32_t>(WFSM_OK);
    });
}

/* What can be any number is not a matter of its range. */
static std::string range_of(int64_t least, int64_t most)
{
    if (least == INT64_MIN && most == INT64_MAX)
        return "an integer";
    return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

int32_t wfsm_table_int(wfsm_table *table, const char *key, int64_t least, int64_t most,
                       int64_t *value, wfsm_error *error)
{
    return read_key(table, key, value, error, [&](const toml::node &found) -> int32_t {
        const auto *number = found.as_integer();
        if (!number || number->get() < least || number->get() > most)
            return fail_expected(table, key, found, range_of(least, most), error);
        *value = number->get();
        return WFSM_OK;
    });
}

int32_t wfsm_table_bool(wfsm_table *table, const char *key, int32_t *value, wfsm_error *error)
{
    return read_key(table, key, value, error, [&](const toml::node &found) -> int32_t {
        const auto *yes = found.as_boolean();
        if (!yes)
            return fail_expected(table, key, found, "true or false", error);
        *value = yes->get();
        return WFSM_OK;
    });
}

int32_t wfsm_table_strings(wfsm_table *table, const char *key, const char *const **values,
                           size_t *count, wfsm_error *error)
{
    return read_key(table, key, values, error, [&](const toml::node &found) -> int32_t {
        std::vector<const char *> list;
        if (!found.as_array())
            return fail_expected(table, key, found, "an array of strings", error);
        int32_t status = read_strings(table, key, *found.as_array(), list, error);
        if (status != WFSM_OK)
            return status;
        if (count)
            *count = list.size();
        list.push_back(nullptr);
        table->settings->lists.push_back(std::move(list));
        *values = table->settings->lists.back().data();
        return WFSM_OK;
    });
}

int32_t wfsm_table_table(wfsm_table *table, const char *key, wfsm_table **value,
                         wfsm_error *error)
{
    return read_key(table, key, value, error, [&](const toml::node &found) -> int32_t {
        if (!found.as_table())
            return fail_expected(table, key, found, "a table", error);
        for (wfsm_table &known : table->settings->tables)
            if (known.node == found.as_table()) {
                *value = &known;
                return WFSM_OK;
            }
        *value = add_table(table->settings, found.as_table());
        return WFSM_OK;
    });
}

const char *wfsm_table_key(const wfsm_table *table, size_t index)
{
    return table && index < table->keys.size() ? table->keys[index].c_str() : nullptr;
}

int32_t wfsm_table_fail(const wfsm_table *table, const char *key, const char *message,
                        wfsm_error *error)
{
    if (!table || !key || !message)
        return wfsm_error_set(error, WFSM_INVALID, "expected a table, a key and a message");
    return guarded(error, [&] {
        const toml::node *found = table->node->get(key);
        const toml::source_region &place = found ? found->source() : table->node->source();
        return fail_at(table->settings, place.begin, WFSM_SEMANTIC,
                       std::string(key) + ": " + message, error);
    });
}
