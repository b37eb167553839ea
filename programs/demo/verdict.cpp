#include "verdict.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

namespace demo::verdict {

static bool equal(const Known &a, const Known &b)
{
    return a.object == b.object && a.stamp == b.stamp && a.owner == b.owner && a.type == b.type &&
           std::memcmp(a.value.bytes, b.value.bytes, types[a.type].size_bytes) == 0;
}

bool converged(const std::vector<Testimony> &testimonies)
{
    if (testimonies.empty()) return false;
    const Testimony &first = testimonies.front();
    for (const Testimony &each : testimonies) {
        if (each.digest != first.digest) return false;
        if (!std::equal(each.world.begin(), each.world.end(), first.world.begin(),
                        first.world.end(), equal))
            return false;
    }
    return true;
}

// --- Text ---

static void add_field(std::string &out, const Field &field, const unsigned char *value)
{
    char text[64] = "";
    out += std::string(" ") + field.name + "=";
    const unsigned char *at = value + field.offset_bytes;
    if (field.kind == FieldKind::text) {
        out.append(reinterpret_cast<const char *>(at),
                   strnlen(reinterpret_cast<const char *>(at), field.count));
        return;
    }
    for (uint16_t i = 0; i < field.count; ++i) {
        if (field.kind == FieldKind::float32) {
            float number;
            std::memcpy(&number, at + i * sizeof number, sizeof number);
            std::snprintf(text, sizeof text, "%s%.9g", i > 0 ? "," : "",
                          static_cast<double>(number));
        } else { // uint16 and peer.
            uint16_t number;
            std::memcpy(&number, at + i * sizeof number, sizeof number);
            std::snprintf(text, sizeof text, "%s%u", i > 0 ? "," : "", number);
        }
        out += text;
    }
}

std::string described(const Known &known)
{
    char text[96];
    std::snprintf(text, sizeof text, "%s stamp=%llx owner=%u", types[known.type].name,
                  static_cast<unsigned long long>(known.stamp), static_cast<unsigned>(known.owner));
    std::string out = text;
    for (const Field &field : types[known.type].fields)
        add_field(out, field, known.value.bytes);
    return out;
}

// The versions of one object that are about, and who has them.
struct Version {
    const Known *known; // Null: not there.
    std::string peers;
};

static void add_version(std::vector<Version> &versions, const Known *known, PeerId peer)
{
    const std::string name = std::to_string(static_cast<unsigned>(peer));
    for (Version &version : versions) {
        const bool same =
            known && version.known ? equal(*known, *version.known) : known == version.known;
        if (!same) continue;
        version.peers += "," + name;
        return;
    }
    versions.push_back({known, name});
}

using Column = std::vector<const Known *>; // By testimony; null where the object is not there.

static std::map<ObjectId, Column> columns(const std::vector<Testimony> &testimonies)
{
    std::map<ObjectId, Column> columns;
    for (size_t i = 0; i < testimonies.size(); ++i)
        for (const Known &known : testimonies[i].world) {
            Column &column = columns[known.object];
            column.resize(testimonies.size());
            column[i] = &known;
        }
    return columns;
}

std::string differences(const std::vector<Testimony> &testimonies)
{
    std::string out;
    size_t count = 0;
    for (const auto &[object, column] : columns(testimonies)) {
        std::vector<Version> versions;
        for (size_t i = 0; i < testimonies.size(); ++i)
            add_version(versions, column[i], testimonies[i].peer);
        if (versions.size() < 2) continue;
        count += 1;
        if (count > differences_max) continue;
        char text[64];
        for (const Version &version : versions) {
            std::snprintf(text, sizeof text, "  object %llx at peer ",
                          static_cast<unsigned long long>(object));
            out += text + version.peers + ": " +
                   (version.known ? described(*version.known) : "not there") + "\n";
        }
    }
    if (count > differences_max)
        out += "  and " + std::to_string(count - differences_max) + " more objects\n";
    if (count == 0 && !converged(testimonies))
        out += "  the listed fields agree; the digests do not\n";
    return out;
}

}
