#include "files.h"
#include "common/files.h"
#include <nlohmann/json.hpp>

namespace prof::files {

static constexpr int version = 1; // The format of the JSON.
// 4 TB; a sum of rows_max such rows does not overflow.
static constexpr int64_t bits_max = int64_t{1} << 45;
static constexpr size_t rows_max = 100'000;

static constexpr char program[] = "tern-prof";

void fail(const std::string &text)
{
    ::files::fail(program, text);
}

std::string read(const std::string &path)
{
    return ::files::read(program, path);
}

void write(const std::string &path, const std::string &text)
{
    ::files::write(program, path, text);
}

std::string json(const tern::Profile &profile)
{
    nlohmann::ordered_json out = {{"tern_profile", version},
                                  {"title", profile.title},
                                  {"seconds", profile.seconds},
                                  {"datagrams", profile.datagrams},
                                  {"bits", tern::profile::bits(profile)}};
    out["rows"] = nlohmann::ordered_json::array();
    for (const tern::ProfileRow &row : profile.rows) {
        nlohmann::ordered_json one = {{"kind", row.kind}};
        if (!row.type.empty()) one["type"] = row.type;
        if (!row.field.empty()) one["field"] = row.field;
        one["bits"] = row.bits;
        one["count"] = row.count;
        out["rows"].push_back(one);
    }
    const auto replace =
        nlohmann::ordered_json::error_handler_t::replace; // Names may be invalid UTF-8.
    return out.dump(1, ' ', false, replace) + "\n";
}

tern::Profile profile(const std::string &path)
{
    const std::string text = read(path);
    const auto in = nlohmann::json::parse(text, nullptr, false);
    if (in.is_discarded()) fail(path + ": not JSON");
    if (!in.is_object() || in.value("tern_profile", nlohmann::json()) != version)
        fail(path + ": no profile of tern-prof, version 1");
    try {
        tern::Profile profile = {in.at("title"), in.at("seconds"), in.at("datagrams"), {}};
        for (const auto &row : in.at("rows"))
            profile.rows.push_back({row.at("kind"), row.value("type", std::string()),
                                    row.value("field", std::string()), row.at("bits"),
                                    row.at("count")});
        if (!(profile.seconds > 0)) fail(path + ": seconds is not above 0");
        for (const tern::ProfileRow &row : profile.rows)
            if (std::abs(row.bits) > bits_max || profile.rows.size() > rows_max)
                fail(path + ": more rows, or more bits in one, than a session can have");
        return profile;
    } catch (const nlohmann::json::exception &error) {
        fail(path + ": " + error.what());
    }
}

}
