// What the parts of type_file share: complaints with a place, values of a TOML table, one field.
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
std::string quoted(std::string_view text); // Unprintable bytes as '?', and not too long.

// `whose` names the table in complaints, as "type \"ship\"". Nothing: the key is absent, or it was
// complained about.
void check_keys(Reader &reader, const toml::table &table, const std::string &whose,
                std::span<const std::string_view> known);
std::optional<std::string> word(Reader &reader, const toml::table &table, std::string_view key,
                                const std::string &whose);
std::optional<uint32_t> whole_number(Reader &reader, const toml::table &table, std::string_view key,
                                     const std::string &whose, uint32_t min, uint32_t max);
std::optional<double> number(Reader &reader, const toml::table &table, std::string_view key,
                             const std::string &whose);
// The index of the word in `names`.
std::optional<size_t> choice(Reader &reader, const toml::table &table, std::string_view key,
                             const std::string &whose, std::span<const std::string_view> names);

struct ParsedField {
    tern::Field field; // Without name and offset_bytes.
    std::string name;
    std::string whose; // As complaints call it.
};
// Nothing: it was complained about.
std::optional<ParsedField> parse_field(Reader &reader, const toml::table &table,
                                       const std::string &type);

}
