// Shared by the parts of type_file: problems with a position, values of a TOML table, one field.
#pragma once
#include "type_file.h"
#include <optional>
#include <span>
#include <string_view>

namespace type_file {

struct Reader {
    const std::string &file;
    std::vector<Problem> &problems;
};

void complain(Reader &reader, const toml::source_region &place, const std::string &text);
std::string quoted(std::string_view text); // Control characters become '?'; shortened if long.

// `whose` names the table in problems, such as "type \"ship\"". The functions below return nothing
// if the key is absent, or if its value is wrong, which they report.
void check_keys(Reader &reader, const toml::table &table, const std::string &whose,
                std::span<const std::string_view> known);
std::optional<std::string> word(Reader &reader, const toml::table &table, std::string_view key,
                                const std::string &whose);
std::optional<uint32_t> whole_number(Reader &reader, const toml::table &table, std::string_view key,
                                     const std::string &whose, uint32_t min, uint32_t max);
std::optional<double> number(Reader &reader, const toml::table &table, std::string_view key,
                             const std::string &whose);
// Returns the index of the word in `names`.
std::optional<size_t> choice(Reader &reader, const toml::table &table, std::string_view key,
                             const std::string &whose, std::span<const std::string_view> names);

struct ParsedField {
    tern::Field field; // name and offset_bytes are not set.
    std::string name;
    std::string whose; // Names the field in problems.
};
// Returns nothing if the field has problems, which have been reported.
std::optional<ParsedField> parse_field(Reader &reader, const toml::table &table,
                                       const std::string &type);

}
