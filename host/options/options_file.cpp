// Reads the configuration file.
#include "common/suggestion.h"
#include "host/options/options.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dedicated::options {

namespace {

struct File {
    Loaded &loaded;
    std::string path;
};

}

static std::string place(const File &file, const toml::source_region &region)
{
    return file.path + ":" + std::to_string(region.begin.line) + ":" +
           std::to_string(region.begin.column);
}

static void complain(File &file, const toml::source_region &region, const std::string &text)
{
    file.loaded.problems.push_back({place(file, region), text});
}

static OptionValue value_of(const toml::node &node)
{
    if (const auto *text = node.as_string()) return text->get();
    if (const auto *number = node.as_integer()) return number->get();
    if (const auto *truth = node.as_boolean()) return truth->get();
    const toml::array *array = node.as_array();
    if (!array) return std::monostate{};
    std::vector<std::string> all;
    for (const toml::node &one : *array) {
        if (!one.is_string()) return std::monostate{};
        all.push_back(one.as_string()->get());
    }
    return all;
}

// How an error message shows a value.
static std::string shown(const toml::node &node)
{
    if (node.is_table()) return "a table";
    if (node.is_array()) return "a list";
    const OptionValue value = value_of(node);
    if (const auto *text = std::get_if<std::string>(&value)) return "\"" + *text + "\"";
    if (const auto *number = std::get_if<int64_t>(&value)) return std::to_string(*number);
    if (const auto *truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    return node.is_floating_point() ? "a fraction" : "a time";
}

static const Option *find(const std::string &table, std::string_view key)
{
    for (const Option &option : option::all())
        if (table == option.table && key == option.key) return &option;
    return nullptr;
}

static bool is_table(std::string_view name)
{
    const auto of_table = [name](const Option &option) { return name == option.table; };
    return !name.empty() && std::any_of(option::all().begin(), option::all().end(), of_table);
}

static std::vector<std::string_view> known_names(const std::string &table)
{
    std::vector<std::string_view> names;
    for (const Option &option : option::all()) {
        if (table == option.table) names.push_back(option.key);
        if (table.empty() && *option.table) names.push_back(option.table);
    }
    if (table.empty()) names.push_back("type");
    return names;
}

// Reads the values of one table; room_index is the index of a [[room]].
static void read_table(File &file, const toml::table &values, const std::string &table,
                       size_t room_index)
{
    Options &options = file.loaded.options;
    const std::string in = table.empty() ? "" : " in [" + table + "]";
    for (const auto &[key, node] : values) {
        const Option *option = find(table, key.str());
        const bool other = table.empty() && (is_table(key.str()) || key == "type" ||
                                             node.is_table() || node.is_array_of_tables());
        if (!option && other) continue; // read_tables() reads these.
        if (!option) {
            const std::string name(key.str());
            complain(file, key.source(),
                     "unknown key " + name + in +
                         suggestion::did_you_mean(name, known_names(table)));
            continue;
        }
        if (!option::set(options, options.rooms[room_index], *option, value_of(node)))
            complain(file, node.source(),
                     option::path(*option) + " is " + shown(node) + ", expected " +
                         option::expected(*option));
        const bool of_room = option::is_of_room(*option);
        const std::string path = of_room ? room_path(room_index, *option) : option::path(*option);
        file.loaded.sources[path] = place(file, node.source());
    }
}

static void read_rooms(File &file, const toml::node &node)
{
    static constexpr size_t rooms_max = 64;
    const toml::array *rooms = node.as_array();
    if (!rooms || !node.is_array_of_tables())
        return complain(file, node.source(), "room must be written as [[room]]");
    if (rooms->size() > rooms_max)
        return complain(file, node.source(),
                        std::to_string(rooms->size()) + " rooms, expected at most " +
                            std::to_string(rooms_max));
    file.loaded.options.rooms.assign(rooms->size(), RoomOptions{});
    for (size_t i = 0; i < rooms->size(); ++i) {
        const toml::table &room = *rooms->get(i)->as_table();
        file.loaded.sources["room." + std::to_string(i)] = place(file, room.source());
        read_table(file, room, "room", i);
    }
}

static void read_tables(File &file, const toml::table &root)
{
    for (const auto &[key, node] : root) {
        const std::string name(key.str());
        if (name == "type" || find("", name)) continue;
        if (name == "room")
            read_rooms(file, node);
        else if (is_table(name) && node.is_table())
            read_table(file, *node.as_table(), name, 0);
        else if (is_table(name))
            complain(file, node.source(), name + " must be written as [" + name + "]");
        else if (node.is_table() || node.is_array_of_tables())
            complain(file, node.source(),
                     "unknown table " + name + suggestion::did_you_mean(name, known_names("")));
    }
}

static void read_types(File &file, const toml::table &root)
{
    type_file::Read read = type_file::read(root, file.path);
    for (const Problem &problem : read.problems)
        file.loaded.problems.push_back(problem);
    file.loaded.options.types = read.table;
    const toml::node *types = root.get("type");
    if (!types || !read.table) return;
    toml::table only;
    only.insert("type", *types->as_array());
    std::ostringstream out;
    out << only;
    file.loaded.types_text = out.str();
}

void read_text(Loaded &loaded, const std::string &path, std::string_view text)
{
    File file = {loaded, path};
    try {
        const toml::table root = toml::parse(text, path);
        read_table(file, root, "", 0);
        read_tables(file, root);
        read_types(file, root);
    } catch (const toml::parse_error &error) {
        complain(file, error.source(), std::string(error.description()));
    }
}

void read_file(Loaded &loaded, const std::string &path)
{
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    if (stream) text << stream.rdbuf();
    if (!stream || !text) {
        const char *why = errno != 0 ? std::strerror(errno) : "it is empty or no file";
        loaded.problems.push_back({path, std::string("cannot be read: ") + why});
        return;
    }
    read_text(loaded, path, text.view());
}

}
